"""The toy in a real browser: it agrees with the advisor in every state, and can be played."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from playwright.sync_api import Browser, Page, expect

from advisor.reasoning import leader_loss
from advisor.reasoning.leader_loss import Follower, State
from labs.models import Experiment
from tests.browser.conftest import accessibility_violations, overflowing

pytestmark = pytest.mark.django_db(transaction=True)

LAGS = (0, 1, 12, 30, 31, 38, 45)

PLAY_ALL = """async ([lags, lagMax]) => {
    const { play, key } = await import("/static/toy-model.js")
    const found = []
    for (const acks of ["0", "1", "all"]) for (const minIsr of [1, 2, 3])
    for (const unclean of [false, true]) for (const eligible of [false, true])
    for (const two of lags) for (const three of lags) {
        const state = { acks, minIsr, unclean, eligible, lags: { 2: two, 3: three } }
        const { lost, refused, hidden, leader } = play(state, lagMax)
        found.push({ key: key(state, lagMax), lost, refused, hidden, leader })
    }
    return found
}"""


@pytest.fixture
def played(page: Page) -> dict[str, list[dict[str, Any]]]:
    """The results of the browser's model for every state and every pair of lags, by state."""
    page.goto("/toy/")
    result = defaultdict(list)
    for item in page.evaluate(PLAY_ALL, [LAGS, leader_loss.lag_max_ms() / 1000]):
        result[item["key"]].append(item)
    return result


def test_the_model_and_the_advisor_agree_on_every_state(
    played: dict[str, list[dict[str, Any]]],
) -> None:
    """The model loses messages at some lags of a state exactly if the advisor says that it may."""
    assert set(played) == {state.key for state in leader_loss.states()}
    for state in leader_loss.states():
        outcome, results = leader_loss.outcome(state), played[state.key]
        assert any(row["lost"] for row in results) == bool(outcome.lost), state.key
        assert {row["refused"] for row in results} == {outcome.refused}, state.key
        assert {row["hidden"] for row in results} == {outcome.hidden}, state.key


def test_a_leader_needs_an_in_sync_or_eligible_replica_or_an_unclean_election(
    played: dict[str, list[dict[str, Any]]],
) -> None:
    alone = (Follower.OUT, Follower.OUT)
    has_leader = {
        key: {row["leader"] is not None for row in results} for key, results in played.items()
    }
    assert has_leader[State("1", 2, False, False, alone).key] == {False}
    assert has_leader[State("1", 1, False, True, alone).key] == {False}
    assert has_leader[State("1", 2, False, True, alone).key] == {True}
    assert has_leader[State("1", 2, True, False, alone).key] == {True}
    assert has_leader[State("1", 2, False, False, (Follower.OUT, Follower.BEHIND)).key] == {True}


def test_the_toy_is_played_by_keyboard_and_explains_the_loss(page: Page) -> None:
    page.goto("/toy/?acks=1&min_isr=2&lag_2=8&lag_3=5")
    kill = page.get_by_role("button", name="Kill the leader")
    kill.focus()
    page.keyboard.press("Enter")
    result = page.locator("[data-result]")
    expect(result).to_contain_text("81 acknowledged messages are lost.")
    expect(result).to_contain_text("acks=1: the leader acknowledges alone")
    page.get_by_role("radio", name="all").press(" ")
    expect(result).to_have_text("")
    kill.press("Enter")
    expect(result).to_contain_text("Nothing is lost.")
    assert "acks=all" in page.url
    assert accessibility_violations(page) == []


def test_a_follower_that_is_dragged_too_far_leaves_the_in_sync_set(page: Page) -> None:
    page.goto("/toy/?acks=all&min_isr=3&lag_2=0&lag_3=30")
    expect(page.locator("[data-standing]")).to_have_text("Broker 1 leads. In sync: 1, 2, 3.")
    page.get_by_role("slider", name="Broker 3").press("ArrowRight")
    expect(page.locator("[data-standing]")).to_contain_text("In sync: 1, 2. Too few are in sync")


def test_the_picture_moves_except_with_reduced_motion(page: Page) -> None:
    pixels = "document.querySelector('canvas').toDataURL()"
    page.goto("/toy/")
    first = page.evaluate(pixels)
    page.wait_for_function(f"before => {pixels} !== before", arg=first)
    page.emulate_media(reduced_motion="reduce")
    page.goto("/toy/")
    page.get_by_role("button", name="Kill the leader").click()
    frames = """new Promise(done => {
        let frame = 0
        const next = () => ++frame < 20 ? requestAnimationFrame(next) : done()
        next()
    })"""
    page.evaluate(frames)
    still = page.evaluate(pixels)
    page.evaluate(frames)
    assert page.evaluate(pixels) == still


FRAMES = """frames => new Promise(done => {
    const context = CanvasRenderingContext2D.prototype, clear = context.clearRect
    let drawn = 0, frame = 0
    context.clearRect = function (...box) { drawn++; return clear.apply(this, box) }
    const next = () => {
        if (++frame < frames) return requestAnimationFrame(next)
        context.clearRect = clear
        done(drawn)
    }
    requestAnimationFrame(next)
})"""


def test_a_frame_draws_once_and_causes_no_layout(page: Page) -> None:
    """One drawing per frame and no layout keep it at 60 frames a second on any machine."""
    page.goto("/toy/?acks=1&min_isr=2&lag_2=8&lag_3=5")
    kill = page.get_by_role("button", name="Kill the leader")
    kill.wait_for()
    browser = page.context.new_cdp_session(page)
    browser.send("Performance.enable")

    def layout_counts() -> list[float]:
        metrics = browser.send("Performance.getMetrics")["metrics"]
        counts = {metric["name"]: metric["value"] for metric in metrics}
        return [counts["LayoutCount"], counts["RecalcStyleCount"]]

    before = layout_counts()
    assert 30 <= page.evaluate(FRAMES, 31) <= 32
    assert layout_counts() == before
    page.emulate_media(reduced_motion="reduce")
    kill.click()
    page.evaluate(FRAMES, 2)
    assert page.evaluate(FRAMES, 20) == 0, "what does not move is not drawn again"


def test_the_toy_fits_a_phone(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 800})
    page.goto("/toy/")
    page.get_by_role("button", name="Kill the leader").click()
    expect(page.locator("[data-result]")).to_contain_text("lost")
    assert overflowing(page) == []
    assert accessibility_violations(page) == []


def test_one_click_runs_the_same_settings_on_real_brokers(page: Page) -> None:
    page.goto("/toy/?acks=1&min_isr=2&lag_2=8&lag_3=5")
    page.get_by_role("button", name="Run it on real brokers").click()
    expect(page.locator("h1")).to_have_text("The leader dies while its followers are behind")
    experiment = Experiment.objects.get()
    described = experiment.runs.get(name="described").settings
    assert described["producer"]["acks"] == "1"
    assert described["topic"]["min.insync.replicas"] == 2
    assert experiment.runs.get(name="recommended").settings["producer"]["acks"] == "all"


def test_without_javascript_the_page_shows_the_answer_and_the_table(
    browser: Browser, browser_context_args: dict[str, Any]
) -> None:
    context = browser.new_context(**browser_context_args, java_script_enabled=False)
    page = context.new_page()
    page.goto("/toy/")
    page.get_by_role("radio", name="all").check()
    page.get_by_role("button", name="Show what happens").click()
    expect(page.locator("[data-plain]").last).to_contain_text("No acknowledged message can be lost")
    page.locator("section", has_text="All states in a table").locator("summary").click()
    expect(page.get_by_role("table")).to_contain_text("may be lost")
    expect(page.get_by_role("button", name="Kill the leader")).to_have_count(0)
    context.close()


def test_the_scripts_of_the_toy_are_small() -> None:
    scripts = (Path(settings.BASE_DIR) / "config" / "static").glob("toy*.js")
    assert sum(script.stat().st_size for script in scripts) <= 30_000
