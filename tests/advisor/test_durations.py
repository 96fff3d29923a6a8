"""Durations as people say them, beside the milliseconds of the setting."""

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
def test_what_people_say_is_read(message: str, ms: str) -> None:
    assert milliseconds(message) == ms


@pytest.mark.parametrize(
    "text",
    ["", "30", "-1", "soon", "2 fortnights", "1.0005 ms", "s 30", "30 s x", "٣ s", "1e3 s"],
)
def test_what_is_no_duration_in_words_is_left_to_the_catalog(text: str) -> None:
    assert milliseconds(text) is None


@pytest.mark.parametrize("piece", [" ", "1 s", ", ", "s"])
def test_a_text_of_any_length_is_read_in_no_time(piece: str) -> None:
    began = time.process_time()
    assert milliseconds(f"1 s{piece * 100_000}!") is None
    assert time.process_time() - began < 2, "it is some 0.1 s, and was minutes for blanks"


@given(st.integers(min_value=1, max_value=2**40))
def test_what_is_said_of_a_number_is_read_as_that_number(number: int) -> None:
    assert milliseconds(spoken(str(number))) == str(number)


def test_nothing_is_said_of_what_is_no_length_of_time() -> None:
    assert [spoken(text) for text in ("", "0", "-1", "many", "²", "9" * 16)] == [""] * 6
    assert lasting(172_800_000, "retention.ms") == " (2 days)"
    assert lasting(172_800_000, "retention.bytes") == ""
    assert lasting(5, "linger.ms") == ""


@pytest.mark.django_db
def test_a_duration_is_typed_in_words_and_saved_in_milliseconds(client: Client) -> None:
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
def test_a_bad_duration_is_told_with_how_to_write_one(client: Client, typed: str) -> None:
    response = answer(client, "producer", {"producer.delivery.timeout.ms": typed})
    assert response.status_code == 400
    html = response.content.decode()
    text = "delivery.timeout.ms is a duration: write 30 s, 1 h 30 min, 2 days"
    assert html.count(text) == 3, "in the summary, beside the field and on the card"
    assert "<b>" not in html.partition('id="questions"')[2].partition("</form>")[0]


@pytest.mark.django_db
def test_a_duration_that_is_out_of_bounds_keeps_the_clients_own_words(client: Client) -> None:
    response = answer(client, "producer", {"producer.delivery.timeout.ms": "-7"})
    assert response.status_code == 400
    assert "is a duration" not in response.content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize("family", list(Family))
def test_few_questions_stand_open_and_the_others_are_folded(client: Client, family: Family) -> None:
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
def test_what_was_answered_among_the_others_is_not_folded(client: Client) -> None:
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
