"""Thirty browsers in one class room, from joining to the exported table, with one real run."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from labs.lessons import Question, find
from tests.browser.predictions import predict
from tests.browser.test_class import join
from tests.browser.whole import VERDICT_LIMIT_MS, lab
from tests.labs.pages.test_lesson_views import NAME

__all__ = ["lab"]

pytestmark = [
    pytest.mark.whole, pytest.mark.stack, pytest.mark.thorough, pytest.mark.timeout(1800),
]  # fmt: skip
CLASS = 30
FOLLOWS_MS = 60_000
"""Browsers poll every 2 seconds; thirty of them and the brokers share two cores."""


@pytest.fixture
def browsers(browser: Browser, lab: str) -> Iterator[list[Page]]:
    """Pages in separate contexts, which are different browsers to the site."""
    contexts = [browser.new_context(base_url=lab) for _ in range(CLASS)]
    yield [context.new_page() for context in contexts]
    for context in contexts:
        context.close()


def expect_heading(pages: list[Page], heading: str) -> None:
    for page in pages:
        expect(page.get_by_role("heading", name=heading)).to_be_visible(timeout=FOLLOWS_MS)


def test_thirty_browsers_replay_one_run(page: Page, browsers: list[Page], lab: str) -> None:
    page.goto(f"{lab}/class/?lab={NAME}")
    page.get_by_role("button", name="Open a room").click()
    code = page.locator(".room-code").inner_text()
    for number, browser in enumerate(browsers):
        join(browser, code, f"=browser {number}")
        predict(browser)
    here = page.get_by_role("heading", name=f"{CLASS} joined, {CLASS} here")
    expect(here).to_be_visible(timeout=FOLLOWS_MS)
    predicted = page.get_by_text(f"{CLASS} of {CLASS} predicted").first
    expect(predicted).to_be_visible(timeout=FOLLOWS_MS)
    run_and_replay(page, browsers)
    for question in find(NAME).questions:
        ask_question(page, browsers, question)
    page.locator("#forward").click()
    expect_heading(browsers, "To take home")

    with page.expect_download() as download:
        page.get_by_role("link", name="Export as CSV").click()
    rows = list(csv.DictReader(io.StringIO(download.value.path().read_text("utf-8-sig"))))
    assert len(rows) == CLASS
    assert {row["came true: acks=1"] for row in rows} == {"yes"}
    assert {row["nickname"][0] for row in rows} == {"'"}, "no nickname begins a formula"
    page.get_by_role("button", name="Close the room").click()
    for browser in browsers:
        expect(browser.locator("#closed")).to_be_visible(timeout=FOLLOWS_MS)


def run_and_replay(teacher: Page, browsers: list[Page]) -> None:
    """Starts a run and waits for its replay in every browser."""
    teacher.get_by_role("button", name="Close the predictions").click()
    expect_heading(browsers, "How the class predicted")
    teacher.get_by_role("button", name="Run it on real brokers").click()
    expect_heading(browsers, "One run, on real brokers")
    onward = teacher.get_by_role("button", name="On to the questions")
    expect(onward).to_be_visible(timeout=VERDICT_LIMIT_MS)
    for browser in browsers:
        outcome = browser.get_by_text("3 of 3 of your predictions came true")
        expect(outcome).to_be_visible(timeout=FOLLOWS_MS)
    replays = [browser.locator("#replay") for browser in browsers]
    assert len({replay.get_attribute("data-replay") for replay in replays}) == 1
    for browser in browsers:
        play = browser.locator("#replay [data-play]")
        play.click(timeout=FOLLOWS_MS)
        expect(play).to_have_text("Pause")


def ask_question(teacher: Page, browsers: list[Page], question: Question) -> None:
    """Asks one question, which all answer correctly, and checks that they see it."""
    right = next(answer.text for answer in question.answers if answer.right)
    teacher.locator("#forward").click()
    expect_heading(browsers, question.ask)
    for browser in browsers:
        browser.get_by_label(right).check()
        browser.get_by_role("button", name="Answer").click()
    answered = teacher.get_by_role("heading", name=f"Answers so far: {CLASS} of {CLASS}")
    expect(answered).to_be_visible(timeout=FOLLOWS_MS)
    teacher.get_by_role("button", name="Show what is right").click()
    for browser in browsers:
        expect(browser.get_by_text("Right.", exact=True)).to_be_visible(timeout=FOLLOWS_MS)
