"""Durations in words, such as 30 s, for settings in milliseconds."""

from __future__ import annotations

import time

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from advisor.catalog import Family
from advisor.models import Description
from advisor.questions.durations import milliseconds, spoken
from advisor.questions.questionnaire import DECIDES, steps
from advisor.templatetags.look import lasting
from tests.advisor.walking import answer, page, walk


@pytest.mark.parametrize(
    ("message", "ms"),
    [
        ("30 s", "30000"), ("30s", "30000"), ("2 days", "172800000"), ("1 Day", "86400000"),
        ("1 h 30 min", "5400000"), ("1.5 h", "5400000"), ("500 ms", "500"),
        (" 1 week ", "604800000"), ("1 min, 5 s", "65000"),
    ],
)  # fmt: skip
def test_a_duration_in_words_is_parsed(message: str, ms: str) -> None:
    assert milliseconds(message) == ms


@pytest.mark.parametrize(
    "text",
    ["", "30", "-1", "soon", "2 fortnights", "1.0005 ms", "s 30", "30 s x", "٣ s", "1e3 s"],
)
def test_other_texts_are_not_parsed_as_durations(text: str) -> None:
    assert milliseconds(text) is None


@pytest.mark.parametrize("piece", [" ", "1 s", ", ", "s"])
def test_a_long_text_is_parsed_in_linear_time(piece: str) -> None:
    began = time.process_time()
    assert milliseconds(f"1 s{piece * 100_000}!") is None
    assert time.process_time() - began < 2, "it is some 0.1 s, and was minutes for blanks"


@given(st.integers(min_value=1, max_value=2**40))
def test_the_words_for_a_number_are_parsed_as_that_number(number: int) -> None:
    assert milliseconds(spoken(str(number))) == str(number)


def test_only_durations_are_written_in_words() -> None:
    assert [spoken(text) for text in ("", "0", "-1", "many", "²", "9" * 16)] == [""] * 6
    assert lasting(172_800_000, "retention.ms") == " (2 days)"
    assert lasting(172_800_000, "retention.bytes") == ""
    assert lasting(5, "linger.ms") == ""


@pytest.mark.django_db
def test_a_duration_in_words_is_saved_in_milliseconds(client: Client) -> None:
    answer(client, "producer", {"producer.delivery.timeout.ms": "3 min"})
    html = page(client, "producer")
    assert 'value="3 min"' in html, "it stays as it was typed"
    assert "<strong>3 min</strong> = <code>180000</code> ms" in html
    assert "<code>120000</code> (2 min)" in html
    slug = walk(client, producer={"producer.delivery.timeout.ms": "3 min"})
    settings = Description.objects.get(slug=slug).data["settings"]
    assert settings["producer"]["delivery.timeout.ms"] == 180_000


@pytest.mark.django_db
@pytest.mark.parametrize("typed", ["soon", "2 fortnights", "<b>"])
def test_an_invalid_duration_is_refused_with_examples(client: Client, typed: str) -> None:
    response = answer(client, "producer", {"producer.delivery.timeout.ms": typed})
    assert response.status_code == 400
    html = response.content.decode()
    text = "delivery.timeout.ms is a duration: write 30 s, 1 h 30 min, 2 days"
    assert html.count(text) == 3, "in the summary, beside the field and on the card"
    assert "<b>" not in html.partition('id="questions"')[2].partition("</form>")[0]


@pytest.mark.django_db
def test_a_duration_out_of_bounds_gets_the_message_of_the_client(client: Client) -> None:
    response = answer(client, "producer", {"producer.delivery.timeout.ms": "-7"})
    assert response.status_code == 400
    assert "is a duration" not in response.content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize("family", list(Family))
def test_few_questions_are_open_and_the_others_folded(client: Client, family: Family) -> None:
    answer(client, "client", {"family": family})
    shown = 1  # the client with its version
    for step in steps(family):
        html = page(client, step.slug)
        form = html.partition('<div class="fields">')[2].partition('<div class="actions">')[0]
        first, _, folded = form.partition('<details class="more"')
        shown += first.count('class="field"')
        for name in (question.name for question in step.questions if question.name in DECIDES):
            assert f'name="{name}"' not in folded
    assert 7 <= shown <= 10


@pytest.mark.django_db
def test_answered_questions_are_not_folded(client: Client) -> None:
    assert '<details class="more">' in page(client, "producer")
    answer(client, "producer", {"producer.linger.ms": "7"})
    assert '<details class="more" open>' in page(client, "producer")


@pytest.mark.django_db
def test_nothing_is_judged_before_the_first_answer(client: Client) -> None:
    html = page(client, "producer")
    assert "Nothing is judged yet" in html
    assert "With these settings" not in html
    answer(client, "producer", {"producer.acks": "1"})
    html = page(client, "producer")
    assert "Nothing is judged yet" not in html
    assert "With these settings" in html
