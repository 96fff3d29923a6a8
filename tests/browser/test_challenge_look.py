"""Challenges in each state, wide and narrow, light and dark: accessible, and not too wide.

If LAB_SCREENSHOTS names a folder, the pictures are saved there.
"""

from __future__ import annotations

from playwright.sync_api import Page, expect

from labs.challenges import find
from labs.models import Attempt, Experiment, Run, State
from tests.browser.test_look import look, styled_page
from tests.engine import histories
from tests.labs import make

__all__ = ["styled_page"]

FIRST, CASE = find("one-acknowledgement"), find("case-of-the-quick-answer")
MOST_WORDS = 1200


def start_attempt(page: Page, name: str) -> tuple[Attempt, Run]:
    """Starts a run with the settings that the page proposes."""
    page.goto(f"/challenges/{name}/")
    page.get_by_role("button", name="Run it").or_(page.get_by_role("button", name="Record")).click()
    expect(page.locator("#live .arm")).to_be_visible()
    attempt = Attempt.objects.get()
    assert attempt.experiment is not None
    return attempt, attempt.experiment.runs.get()


def end(run: Run, state: State, verdict: str = "") -> None:
    if verdict:
        run.verdict, run.phase, run.result = verdict, "done", make.result(verdict)
        run.save()
    queued = run.experiment.queued_at
    Experiment.objects.update(state=state, started_at=queued, ended_at=queued)


def check(page: Page, name: str) -> None:
    look(page, name)
    words = page.locator("main").inner_text().split()
    assert len(words) <= MOST_WORDS, f"{name}: {len(words)} words"


def test_a_challenge_from_empty_to_solved(styled_page: Page) -> None:
    styled_page.goto("/challenges/")
    check(styled_page, "challenges")
    styled_page.get_by_role("link", name=FIRST.title, exact=True).last.click()
    expect(styled_page.get_by_text("You have not tried this yet.")).to_be_visible()
    check(styled_page, "challenge-empty")
    attempt, run = start_attempt(styled_page, FIRST.name)
    check(styled_page, "challenge-running")
    end(run, State.FAILED)
    styled_page.reload()
    expect(styled_page.locator("#graded")).to_contain_text("neither passed nor failed")
    check(styled_page, "challenge-without-result")
    end(run, State.DONE, "broken")
    styled_page.reload()
    expect(styled_page.locator("#graded")).to_contain_text("985 acknowledged and gone of 10,000")
    check(styled_page, "challenge-failed")
    attempt.levers = FIRST.with_levers(FIRST.optimum)
    attempt.save()
    end(run, State.DONE, "holds")
    styled_page.reload()
    expect(styled_page.locator("#optimum")).to_contain_text("Your best has 1.")
    check(styled_page, "challenge-solved")
    styled_page.get_by_role("link", name="This result as a page to share").click()
    expect(styled_page.locator("#graded")).to_contain_text("Passed, with 1 change.")
    check(styled_page, "challenge-shared")


def test_a_wrong_setting_is_reported_at_its_field(styled_page: Page) -> None:
    styled_page.goto(f"/challenges/{FIRST.name}/")
    styled_page.get_by_label("producer.retries").fill("many")
    styled_page.get_by_role("button", name="Run it on real brokers").click()
    expect(styled_page.locator(".field-error")).to_be_visible()
    check(styled_page, "challenge-wrong")


def test_a_case_from_its_recorded_run_to_its_answer(styled_page: Page) -> None:
    _, run = start_attempt(styled_page, CASE.name)
    end(run, State.DONE, "broken")
    run.refresh_from_db()
    histories.lost_at_the_end_of_a_log(run.ledger)
    run.result["timeline"]["start_ns"] = run.result["axis_began_ns"] = histories.BEGAN
    run.result["counts"]["lost_write"] = 4
    run.save()
    styled_page.reload()
    expect(
        styled_page.get_by_role("heading", name="Name the cause and one message")
    ).to_be_visible()
    expect(styled_page.locator("#replay")).to_be_visible()
    for locator in (styled_page.locator(".because"), styled_page.locator("#schedule")):
        expect(locator).not_to_be_attached()
    check(styled_page, "case-recorded")
    styled_page.get_by_label("The producer did not wait").check()
    styled_page.get_by_label("The number of one message").fill(str(histories.LOST))
    styled_page.get_by_role("button", name="Answer").click()
    expect(styled_page.locator("#graded")).to_contain_text("The cause is right")
    expect(styled_page.locator(".because")).to_be_visible()
    check(styled_page, "case-solved")
