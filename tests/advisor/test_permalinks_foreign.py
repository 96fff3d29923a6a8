"""Saved answers that are missing, modified, or of other releases never cause a traceback."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from django.db import DataError, connection, transaction
from django.test import Client
from django.urls import reverse
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from advisor import services
from advisor.models import Description
from advisor.reasoning.answer import Answer, answer
from advisor.reasoning.difference import difference
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.plain_data import from_plain, to_plain
from advisor.reasoning.serial import to_data
from advisor.reports.text import report
from tests.advisor.answers import RISKY, get, page_text, saved
from tests.advisor.pipelines import SAFE, described, pipelines

SAVED_ANSWERS = Path(__file__).parent / "kept"
"""Shortened answers as older releases saved them; the name is the first day of the format."""


@pytest.mark.wide
@example(described({  # nothing works with these settings, whatever the wish is
    "family": "librdkafka", "need.guarantee": "none", "need.ordering": "on",
    "producer.max.in.flight.requests.per.connection": "1", "topic.max.message.bytes": "0",
}))  # fmt: skip
@given(pipelines())
@settings(max_examples=30)
def test_a_saved_answer_is_read_back_unchanged(pipeline: Pipeline) -> None:
    original = answer(pipeline)
    # PostgreSQL's jsonb does not keep the order of keys.
    restored = from_plain(Answer, json.loads(json.dumps(to_plain(original), sort_keys=True)))
    assert restored == original
    assert report(restored) == report(original)
    assert restored.recommended == services.recommended(pipeline)
    assert difference(restored, original) == ()


@pytest.mark.django_db
@pytest.mark.parametrize(("saved_answer", "words"), [
    (None, "was not kept"), ({}, "cannot be read"), ([1], "cannot be read"), (7, "cannot be read"),
])  # fmt: skip
def test_a_missing_or_unreadable_answer_is_reported(
    client: Client, saved_answer: object, words: str
) -> None:
    slug = saved(RISKY, answer=saved_answer)
    page = page_text(client, "advice", slug)
    assert f"The answer of that day {words}" in page
    assert f"what rules {services.RULES_VERSION} say now" in page
    assert get(client, "newer", slug).status_code == 404
    exported = client.get(reverse("advisor:export", args=[slug, "java-producer"]))
    assert f"rules {services.RULES_VERSION}," in exported.content.decode()


@pytest.mark.django_db
def test_an_answer_to_another_pipeline_is_not_used(client: Client) -> None:
    slug = saved(RISKY, answer(described(SAFE)))
    assert "The answer of that day cannot be read" in page_text(client, "advice", slug)


@pytest.mark.django_db
@pytest.mark.parametrize("day", [path.stem for path in SAVED_ANSWERS.glob("*.json")])
def test_an_answer_in_an_older_format_can_be_read(client: Client, day: str) -> None:
    data = json.loads((SAVED_ANSWERS / f"{day}.json").read_text("utf-8"))
    pipeline = to_data(from_plain(Answer, data).judgement.pipeline)
    slug = Description.objects.create(data=pipeline, answer=data, rules_version="1").slug
    assert services.find(slug).is_kept
    for name in ("advice", "compared", "newer", "report", "archive"):
        assert get(client, name, slug).status_code == 200, name


def paths_in(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items = data.items() if isinstance(data, dict) else ()
    for key, value in enumerate(data) if isinstance(data, list) else items:
        yield (*path, key)
        yield from paths_in(value, (*path, key))


WHOLE = to_plain(answer(described(RISKY)))
FOREIGN_VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.text(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.lists(st.integers(), max_size=2),
    st.sampled_from([10**4000, "\ud800", "<script>", "no/such page", {}, "none", "lost_write"]),
)  # fmt: skip


def replaced(place: tuple[Any, ...], value: object) -> Any:
    data = inner = deepcopy(WHOLE)
    *parents, last = place
    for key in parents:
        inner = inner[key]
    inner[last] = value
    return data


def save_modified(place: tuple[Any, ...], value: object) -> str | None:
    """The slug; None if PostgreSQL refuses the text: a lone surrogate or a NUL character."""
    try:
        with transaction.atomic():
            return saved(RISKY, answer=replaced(place, value))
    except DataError:
        assert connection.vendor == "postgresql"
        assert any(text in json.dumps(value) for text in ("\\ud", "\\u0000"))
        return None


@pytest.mark.wide
@pytest.mark.django_db
@pytest.mark.parametrize(("place", "value", "readable"), [
    (("judgement", "failures", 0, "title"), "<script>alert(1)</script>", True),
    (("judgement", "failures", 0, "name"), "no/such page", True),
    (("judgement", "findings", 0, "code"), "", True),
    (("columns", 1, "changes", 0, "setting"), "/", True),
    (("judgement", "failures", 0, "title"), "\ud800", False),
    (("numbers", 0, "value"), 10**100, False),
    (("numbers", 0, "value"), True, False),
    (("judgement", "guarantees"), {}, False),
    (("columns",), [], False),
])  # fmt: skip
def test_a_modified_answer_is_escaped_or_refused(
    client: Client, place: tuple[Any, ...], value: object, readable: bool
) -> None:
    if (slug := save_modified(place, value)) is None:
        return
    page = get(client, "advice", slug)
    assert page.status_code == 200
    html = page.content.decode()
    assert "<script>alert" not in html
    assert ("The answer of that day" not in html) == readable


@pytest.mark.wide
@pytest.mark.django_db
@given(place=st.sampled_from(list(paths_in(WHOLE))), value=FOREIGN_VALUES)
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_modified_answer_gives_a_page(
    client: Client, place: tuple[Any, ...], value: object
) -> None:
    if (slug := save_modified(place, value)) is None:
        return
    assert get(client, "advice", slug).status_code == 200
    for name in ("compared", "newer", "report", "archive"):
        assert get(client, name, slug).status_code in (200, 404, 410)
