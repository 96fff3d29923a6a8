"""Thirty browsers in one class room, from joining to the table, on one real run."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from labs.lessons import Question, find
from tests.browser.test_class import join, predict
from tests.browser.whole import VERDICT_LIMIT_MS, lab
from tests.labs.test_lesson_views import NAME

__all__ = ["lab"]

pytestmark = [
    pytest.mark.whole, pytest.mark.stack, pytest.mark.thorough, pytest.mark.timeout(1500),
]  # fmt: skip
PUPILS = 30
FOLLOWS_MS = 30_000
"""A browser asks every 2 seconds; thirty of them share the two cores of a small machine."""


@pytest.fixture
def pupils(browser: Browser, lab: str) -> Iterator[list[Page]]:
    """A page in a context of its own each: another browser to the site."""
    contexts = [browser.new_context(base_url=lab) for _ in range(PUPILS)]
    yield [context.new_page() for context in contexts]
    for context in contexts:
        context.close()


def all_see(pages: list[Page], heading: str) -> None:
    for each in pages:
        expect(each.get_by_role("heading", name=heading)).to_be_visible(timeout=FOLLOWS_MS)


def test_thirty_browsers_replay_one_run(page: Page, lab: str, pupils: list[Page]) -> None:
    page.goto(f"{lab}/class/?lab={NAME}")
    page.get_by_role("button", name="Open a room").click()
    code = page.locator(".room-code").inner_text()
    for number, each in enumerate(pupils):
        join(each, code, f"=pupil {number}")
        predict(each)
    joined = f"{PUPILS} joined, {PUPILS} here"
    expect(page.get_by_role("heading", name=joined)).to_be_visible(timeout=FOLLOWS_MS)
    expect(page.get_by_text(f"{PUPILS} of {PUPILS} predicted").first).to_be_visible()
    run_and_replay(page, pupils)
    for question in find(NAME).questions:
        ask(page, pupils, question)
    page.locator("#forward").click()
    all_see(pupils, "To take home")

    with page.expect_download() as download:
        page.get_by_role("link", name="Export as CSV").click()
    rows = list(csv.DictReader(io.StringIO(download.value.path().read_text("utf-8-sig"))))
    assert [row["nickname"] for row in rows] == [f"'=pupil {n}" for n in range(PUPILS)]
    assert {row[f"came true: {arm}"] for row in rows for arm in ("acks=0", "acks=1")} == {"yes"}
    page.get_by_role("button", name="Close the room").click()
    for each in pupils:
        expect(each.locator("#closed")).to_be_visible(timeout=FOLLOWS_MS)


def run_and_replay(teacher: Page, pupils: list[Page]) -> None:
    """One run, from the click to its replay in every browser."""
    teacher.get_by_role("button", name="Close predicting").click()
    all_see(pupils, "How the class predicted")
    teacher.get_by_role("button", name="Run it on real brokers").click()
    all_see(pupils, "One run, on real brokers")
    onward = teacher.get_by_role("button", name="On to the questions")
    expect(onward).to_be_visible(timeout=VERDICT_LIMIT_MS)
    for each in pupils:
        shown = each.get_by_text("3 of 3 of your predictions came true")
        expect(shown).to_be_visible(timeout=FOLLOWS_MS)
        play = each.locator("#replay [data-play]")
        play.click(timeout=FOLLOWS_MS)
        expect(play).to_have_text("Pause")


def ask(teacher: Page, pupils: list[Page], question: Question) -> None:
    """One question: all answer rightly, and see that they did."""
    right = next(each.text for each in question.answers if each.right)
    teacher.locator("#forward").click()
    all_see(pupils, question.ask)
    for each in pupils:
        each.get_by_label(right).check()
        each.get_by_role("button", name="Answer").click()
    answered = f"Answers so far: {PUPILS} of {PUPILS}"
    expect(teacher.get_by_role("heading", name=answered)).to_be_visible(timeout=FOLLOWS_MS)
    teacher.get_by_role("button", name="Show what is right").click()
    for each in pupils:
        expect(each.get_by_text("Right.", exact=True)).to_be_visible(timeout=FOLLOWS_MS)
