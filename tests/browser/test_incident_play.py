"""A play of an incident in a browser, from its start to its result."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from labs.incidents import find
from labs.models import Experiment, State
from labs.runs import lifecycle
from labs.runs.recording import Recorder
from tests.browser.conftest import accessibility_violations, overflowing

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("no_redis")]
INCIDENT = find("KAFKA-13598")
HARMED: dict[str, int] = {"affected": 5, "fixed": 0}


def enter_phase(recorder: Recorder, side: str, phase: str, **more: Any) -> None:
    recorder.take({"event": "phase", "arm": side, "phase": phase, "at_s": 1.0, **more})


def finish_side(recorder: Recorder, side: str) -> None:
    result = {
        "name": side, "verdict": "", "release": INCIDENT.releases[side], "harmed": HARMED[side],
        "of": 5, "exhibits": [{"title": "The batches in the log", "text": "baseOffset: 0 " * 30}],
    }  # fmt: skip
    recorder.take({"event": "arm", "arm": side, "result": result})


@pytest.mark.parametrize("width", [360, 1280])
def test_a_play_is_started_followed_and_read(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(f"/incidents/{INCIDENT.slug}/")
    page.get_by_label("the newest release").uncheck()
    page.get_by_role("button", name="Play it").click()
    expect(page.get_by_text("next in the queue")).to_be_visible()
    play = Experiment.objects.get()
    claimed = lifecycle.claim(play.slug, play.attempt, "us")
    assert claimed
    recorder = Recorder(claimed, "us")
    enter_phase(
        recorder, "affected", "fetching", detail="downloading kafka-clients-3.1.0.jar (3 of 5)"
    )
    expect(page.get_by_text("kafka-clients-3.1.0.jar (3 of 5)")).to_be_visible()
    expect(page.get_by_role("listitem").filter(has_text="Fetching the release").first
           ).to_have_attribute("aria-current", "step")  # fmt: skip
    assert (overflowing(page), accessibility_violations(page)) == ([], [])
    finish_side(recorder, "affected")
    expect(page.get_by_text("5 of 5")).to_be_visible()
    finish_side(recorder, "fixed")
    lifecycle.finish(play.slug, "us", State.DONE)
    expect(page.get_by_text("Done.", exact=True).first).to_be_visible()
    page.get_by_text("The batches in the log").first.click()
    expect(page.get_by_role("region", name="3.1.0: The batches in the log")).to_be_visible()
    assert (overflowing(page), accessibility_violations(page)) == ([], [])
    page.get_by_role("link", name="Play it again").click()
    expect(page.get_by_role("heading", name="Plays on this machine")).to_be_visible()
    expect(page.get_by_text("3.1.0: 5 of 5. 3.1.1: 0 of 5.")).to_be_visible()
    assert (overflowing(page), accessibility_violations(page)) == ([], [])


def test_an_empty_choice_is_reported_and_a_play_can_be_cancelled(page: Page) -> None:
    page.goto(f"/incidents/{INCIDENT.slug}/")
    for label in ("with the bug", "with the fix", "the newest release"):
        page.get_by_role("checkbox", name=label).uncheck()
    page.get_by_role("button", name="Play it").click()
    expect(page.get_by_role("alert")).to_contain_text("Choose at least one release to play")
    page.get_by_role("checkbox", name="with the fix").check()
    page.get_by_role("button", name="Play it").click()
    page.get_by_role("button", name="Cancel this play").click()
    expect(page.get_by_text("Cancelled by a visitor.")).to_be_visible()
    expect(page.get_by_text("Nothing was counted on this release.")).to_be_visible()
