"""An impossible wish is reported once, however many failures prevent it."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from advisor.reasoning.answer import answer
from advisor.reports.text import report
from advisor.reports.unmet import merged
from advisor.services import save
from tests.advisor.pipelines import SAFE, described

EMPTY = {**SAFE, "kafka": "3.9", "application.disk.lost": "returns-empty"}
WISH = "at-least-once, with 1 broker lost for good"
STEPS = ("operator's steps", "put the logs on a persistent volume", "Have that one elected")


@pytest.fixture
def two_failures() -> dict[str, str]:
    """Settings with two failures that no change closes, with one common reason."""
    assert len(answer(described(EMPTY)).wanted.impossible) == 2
    return EMPTY


def test_failures_with_one_reason_are_one_entry(two_failures: dict[str, str]) -> None:
    [entry] = merged(answer(described(two_failures)).wanted).impossible
    assert entry.nearest.count("at-least-once, with 0 brokers lost for good.") == 1
    assert [entry.nearest.count(step) for step in STEPS] == [1, 1, 1]
    assert "Eligible leader replicas" in entry.nearest  # only for the second failure
    assert entry.why.count("without eligible leader replicas") == 1


@pytest.mark.parametrize("verbose", [False, True])
def test_the_text_has_the_wish_once_and_the_nearest_one(
    two_failures: dict[str, str], verbose: bool
) -> None:
    text = " ".join(report(answer(described(two_failures)), verbose=verbose).split())
    assert text.count(f"Not possible: {WISH}") == 1
    assert "Nearest: at-least-once, with 0 brokers lost for good." in text
    assert ("Eligible leader replicas" in text) is verbose


@pytest.mark.django_db
def test_the_page_has_the_wish_once_on_top_and_once_among_the_changes(
    two_failures: dict[str, str], client: Client
) -> None:
    slug = save(described(two_failures)).slug
    page = client.get(reverse("advisor:advice", args=[slug])).content.decode()
    assert page.count(f"What is nearest to {WISH}") == 1
    changes = page[page.index('id="changes"') : page.index('id="take-home"')]
    assert (
        changes.count(f"<strong>Not possible: {WISH}</strong>") == 2
    )  # in the changes and in the column of the wish
