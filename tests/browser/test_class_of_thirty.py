"""Thirty sessions in one class room, from joining to the table, on one real run.

Two of the pupils are real browsers, 28 are sessions that ask as browsers do: thirty contexts of one
Chromium beside the brokers are more than two cores hold.
"""

from __future__ import annotations

import csv
import io
import logging
from collections import Counter
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from labs.engine.base.wait import until
from labs.lessons import Question, find
from tests.browser.class_pupil import Pupil
from tests.browser.test_class import join, predict
from tests.browser.whole import VERDICT_LIMIT_MS, lab
from tests.labs.test_lesson_views import NAME

__all__ = ["lab"]

pytestmark = [
    pytest.mark.whole, pytest.mark.stack, pytest.mark.thorough, pytest.mark.timeout(1500),
]  # fmt: skip
BROWSERS, SESSIONS = 2, 28
FOLLOWS_MS = 30_000
"""A browser asks every 2 seconds; a machine that does other things too takes longer to answer."""

logger = logging.getLogger(__name__)


@pytest.fixture
def browsers(browser: Browser, lab: str) -> Iterator[list[Page]]:
    """A page in a context of its own each: another browser to the site."""
    contexts = [browser.new_context(base_url=lab) for _ in range(BROWSERS)]
    yield [context.new_page() for context in contexts]
    for context in contexts:
        context.close()


@pytest.fixture
def sessions(page: Page, lab: str) -> Iterator[list[Pupil]]:
    """The pupils without a browser, in a room that was opened for them."""
    page.goto(f"{lab}/class/?lab={NAME}")
    page.get_by_role("button", name="Open a room").click()
    code = page.url.rstrip("/").split("/")[-1]
    pupils = [Pupil(lab, code, number, find(NAME)) for number in range(SESSIONS)]
    for pupil in pupils:
        pupil.start()
    yield pupils
    for pupil in pupils:
        pupil.stop()
    for pupil in pupils:
        pupil.join()


def all_see(pages: list[Page], heading: str) -> None:
    for page in pages:
        expect(page.get_by_role("heading", name=heading)).to_be_visible(timeout=FOLLOWS_MS)


def test_thirty_sessions_replay_one_run(
    page: Page, browsers: list[Page], sessions: list[Pupil]
) -> None:
    for number, html in enumerate(browsers):
        join(html, page.locator(".room-code").inner_text(), f"=browser {number}")
        predict(html)
    all_ = BROWSERS + SESSIONS
    here = page.get_by_role("heading", name=f"{all_} joined, {all_} here")
    expect(here).to_be_visible(timeout=FOLLOWS_MS)
    predicted = page.get_by_text(f"{all_} of {all_} predicted").first
    expect(predicted).to_be_visible(timeout=FOLLOWS_MS)
    run_and_replay(page, browsers)
    for question in find(NAME).questions:
        ask(page, browsers, question, all_)
    page.locator("#forward").click()
    all_see(browsers, "To take home")

    with page.expect_download() as download:
        page.get_by_role("link", name="Export as CSV").click()
    rows = list(csv.DictReader(io.StringIO(download.value.path().read_text("utf-8-sig"))))
    assert len(rows) == all_
    assert {row["came true: acks=1"] for row in rows if "browser" in row["nickname"]} == {"yes"}
    assert {row["nickname"][0] for row in rows} == {"'", "p"}, "no nickname begins a formula"
    page.get_by_role("button", name="Close the room").click()
    for html in browsers:
        expect(html.locator("#closed")).to_be_visible(timeout=FOLLOWS_MS)
    followed(sessions)


def run_and_replay(teacher: Page, browsers: list[Page]) -> None:
    """One run, from the click to its replay in every browser."""
    teacher.get_by_role("button", name="Close predicting").click()
    all_see(browsers, "How the class predicted")
    teacher.get_by_role("button", name="Run it on real brokers").click()
    all_see(browsers, "One run, on real brokers")
    onward = teacher.get_by_role("button", name="On to the questions")
    expect(onward).to_be_visible(timeout=VERDICT_LIMIT_MS)
    for browser in browsers:
        shown = browser.get_by_text("3 of 3 of your predictions came true")
        expect(shown).to_be_visible(timeout=FOLLOWS_MS)
        play = browser.locator("#replay [data-play]")
        play.click(timeout=FOLLOWS_MS)
        expect(play).to_have_text("Pause")


def ask(teacher: Page, browsers: list[Page], question: Question, all_: int) -> None:
    """One question: all answer rightly, and see that they did."""
    right = next(answer.text for answer in question.answers if answer.right)
    teacher.locator("#forward").click()
    all_see(browsers, question.ask)
    for browser in browsers:
        browser.get_by_label(right).check()
        browser.get_by_role("button", name="Answer").click()
    answered = teacher.get_by_role("heading", name=f"Answers so far: {all_} of {all_}")
    expect(answered).to_be_visible(timeout=FOLLOWS_MS)
    teacher.get_by_role("button", name="Show what is right").click()
    for browser in browsers:
        expect(browser.get_by_text("Right.", exact=True)).to_be_visible(timeout=FOLLOWS_MS)


def followed(sessions: list[Pupil]) -> None:
    """Every session went through all stages, saw the same replay, and often heard 204."""
    until(
        lambda: not any(session.is_alive() for session in sessions), 60, "a session goes on asking"
    )
    assert [session.problem for session in sessions if session.problem] == []
    # A stage that lasts less than two seconds may be over before it is asked for.
    stages = {tuple(stage for stage in one.stages if stage != "predicted") for one in sessions}
    assert stages == {("predict", "run", "question", "explain", "closed")}
    replays = {session.replay for session in sessions}
    assert len(replays) == 1
    assert "" not in replays
    polls = sum((session.statuses for session in sessions), Counter[int]())
    slowest = max(session.slowest_s for session in sessions)
    logger.info("polls by status: %s; the slowest took %.1f s", dict(polls), slowest)
    # While a run goes on there is something new every second; else there is not.
    assert all(session.statuses[204] for session in sessions), polls
    assert polls.keys() == {200, 204, 286}
