"""Challenges in each state at both ends of width, light and dark: nothing serious, nothing wide.

Set LAB_SCREENSHOTS to a folder to keep the pictures and look at them.
"""

from __future__ import annotations

from playwright.sync_api import Page, expect

from labs.challenges import find
from labs.models import Attempt, Experiment, Run, State
from tests.browser.test_look import look, looked_at
from tests.engine import histories
from tests.labs import make

__all__ = ["looked_at"]

FIRST, CASE = find("one-acknowledgement"), find("case-of-the-quick-answer")
MOST_WORDS = 1200


def tried(page: Page, name: str) -> tuple[Attempt, Run]:
    """Plays the first answer that the page holds."""
    page.goto(f"/challenges/{name}/")
    page.get_by_role("button", name="Run it").or_(page.get_by_role("button", name="Record")).click()
    expect(page.locator("#live .arm")).to_be_visible()
    attempt = Attempt.objects.get()
    assert attempt.experiment is not None
    return attempt, attempt.experiment.runs.get()


def ended(run: Run, state: State, verdict: str = "") -> None:
    if verdict:
        run.verdict, run.phase, run.result = verdict, "done", make.result(verdict)
        run.save()
    queued = run.experiment.queued_at
    Experiment.objects.update(state=state, started_at=queued, ended_at=queued)


def seen(page: Page, name: str) -> None:
    look(page, name)
    words = page.locator("main").inner_text().split()
    assert len(words) <= MOST_WORDS, f"{name}: {len(words)} words"


def test_a_challenge_from_empty_to_solved(looked_at: Page) -> None:
    looked_at.goto("/challenges/")
    seen(looked_at, "challenges")
    looked_at.get_by_role("link", name=FIRST.title, exact=True).last.click()
    expect(looked_at.get_by_text("You have not tried this yet.")).to_be_visible()
    seen(looked_at, "challenge-empty")
    attempt, run = tried(looked_at, FIRST.name)
    seen(looked_at, "challenge-running")
    ended(run, State.FAILED)
    looked_at.reload()
    expect(looked_at.locator("#graded")).to_contain_text("neither passed nor failed")
    seen(looked_at, "challenge-without-result")
    ended(run, State.DONE, "broken")
    looked_at.reload()
    expect(looked_at.locator("#graded")).to_contain_text("985 acknowledged and gone of 10,000")
    seen(looked_at, "challenge-failed")
    attempt.levers = FIRST.with_levers(FIRST.optimum)
    attempt.save()
    ended(run, State.DONE, "holds")
    looked_at.reload()
    expect(looked_at.locator("#optimum")).to_contain_text("Your best has 1.")
    seen(looked_at, "challenge-solved")
    looked_at.get_by_role("link", name="This result as a page to share").click()
    expect(looked_at.locator("#graded")).to_contain_text("Passed, with 1 change.")
    seen(looked_at, "challenge-shared")


def test_a_wrong_setting_is_said_beside_its_field(looked_at: Page) -> None:
    looked_at.goto(f"/challenges/{FIRST.name}/")
    looked_at.get_by_label("producer.retries").fill("many")
    looked_at.get_by_role("button", name="Run it on real brokers").click()
    expect(looked_at.locator(".field-error")).to_be_visible()
    seen(looked_at, "challenge-wrong")


def test_a_case_from_its_recording_to_its_answer(looked_at: Page) -> None:
    _, run = tried(looked_at, CASE.name)
    ended(run, State.DONE, "broken")
    run.refresh_from_db()
    histories.lost_at_the_end_of_a_log(run.ledger)
    run.result["timeline"]["start_ns"] = run.result["axis_began_ns"] = histories.BEGAN
    run.result["counts"]["lost_write"] = 4
    run.save()
    looked_at.reload()
    expect(looked_at.get_by_role("heading", name="Name the cause and one message")).to_be_visible()
    expect(looked_at.locator("#replay")).to_be_visible()
    for locator in (looked_at.locator(".because"), looked_at.locator("#schedule")):
        expect(locator).not_to_be_attached()
    seen(looked_at, "case-recorded")
    looked_at.get_by_label("The producer did not wait").check()
    looked_at.get_by_label("The number of one message").fill(str(histories.LOST))
    looked_at.get_by_role("button", name="Answer").click()
    expect(looked_at.locator("#graded")).to_contain_text("The cause is right")
    expect(looked_at.locator(".because")).to_be_visible()
    seen(looked_at, "case-solved")
