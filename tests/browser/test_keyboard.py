"""The main path by keyboard alone: from the home page to the story of one message.

After each Tab the focused element and its focus ring must be visible.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from labs.models import Experiment, State
from tests.engine import histories
from tests.labs import make

pytestmark = pytest.mark.django_db(transaction=True)

FOCUS = """() => {
    const at = document.activeElement
    if (at === document.body || at.tagName === "CANVAS") return "nothing"
    const probe = document.body.appendChild(document.createElement("i"))
    probe.style.boxShadow = "var(--focus)"
    const focus = getComputedStyle(probe).boxShadow
    probe.remove()
    const ringed = each => getComputedStyle(each).boxShadow === focus
    // A radio button shows its focus on the card around it.
    const card = at.closest(".choice") ?? at
    const box = at.getBoundingClientRect(), name = at.outerHTML.slice(0, 120)
    if (!ringed(at) && !ringed(card)) return `no ring: ${name}`
    if (box.width < 1 || box.height < 1) return `no size: ${name}`
    if (box.bottom < 0 || box.top > innerHeight) return `out of sight: ${name}`
    if (at.closest("[aria-hidden=true]")) return `hidden from readers: ${name}`
    return ""
}"""
HAS_FOCUS = "element => element === document.activeElement"


def tab_to(page: Page, target: Locator, limit: int = 90) -> None:
    """Presses Tab until the target has the focus; each stop on the way must be visible."""
    for _ in range(limit):
        page.keyboard.press("Tab")
        assert page.evaluate(FOCUS) == "", page.url
        if target.evaluate(HAS_FOCUS):
            return
    raise AssertionError(f"{limit} times Tab did not reach {target} on {page.url}")


def press(page: Page, target: Locator) -> None:
    """Tabs to a link or button and presses Enter, which opens another page."""
    before = page.url
    tab_to(page, target)
    page.keyboard.press("Enter")
    expect(page).not_to_have_url(before)  # otherwise the old page would receive the next keys


def skip_to_the_content(page: Page) -> None:
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to the content")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()


def finish(experiment: Experiment) -> None:
    """Does what the worker would do: sets the verdicts and writes a ledger to replay."""
    described, recommended = experiment.runs.order_by("position")
    for run, verdict in ((described, "broken"), (recommended, "holds")):
        run.verdict, run.phase, run.result = verdict, "done", make.result(verdict)
        if verdict == "broken":
            histories.lost_at_the_end_of_a_log(run.ledger)
            run.result["timeline"]["start_ns"] = run.result["axis_began_ns"] = histories.BEGAN
            run.result["examples"] = {"lost_write": [{"value": histories.LOST, "copies": 0}]}
        run.save()
    Experiment.objects.filter(pk=experiment.pk).update(
        state=State.DONE, started_at=experiment.queued_at, ended_at=experiment.queued_at
    )


def describe_by_keyboard(page: Page) -> None:
    """Goes from the home page through the questionnaire, with `acks=1`, to the advice."""
    page.goto("/")
    skip_to_the_content(page)
    press(page, page.get_by_role("link", name="Describe a pipeline"))
    for title in ("Topic and brokers", "Producer"):
        press(page, page.locator("button[value=next]"))
        expect(page.get_by_role("heading", level=1)).to_have_text(title)
    tab_to(page, page.get_by_label("acks"))
    page.keyboard.type("1")
    for _ in range(3):
        press(page, page.locator("button[value=next]"))
    expect(page.get_by_role("heading", level=1)).to_contain_text("You need at least once")


@pytest.mark.parametrize(
    "size",
    [
        pytest.param((1280, 900), id="wide"),
        pytest.param((360, 740), id="phone", marks=pytest.mark.thorough),
    ],
)
def test_from_home_to_the_story_of_a_message(page: Page, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    describe_by_keyboard(page)
    skip_to_the_content(page)
    why = page.locator("summary", has_text="Why this can happen")
    tab_to(page, why)
    page.keyboard.press("Enter")
    expect(why.locator("xpath=..")).to_have_attribute("open", "")
    press(page, page.get_by_role("button", name="Prove it on real brokers"))
    expect(page.locator(".lede")).to_contain_text("Waiting")
    finish(Experiment.objects.get())
    expect(page.locator("#news")).to_contain_text("985 of 10,000")
    replay_by_keyboard(page)


def replay_by_keyboard(page: Page) -> None:
    """Uses the keys of the replay, and then opens a message by its number."""
    play = page.locator("[data-play]")
    tab_to(page, play)
    clock = page.locator("[data-clock]")
    before = clock.inner_text()
    page.keyboard.press(".")
    expect(clock).not_to_have_text(before)
    expect(page).to_have_url(re.compile(r"#t=\d"))
    expect(play).to_be_focused()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect(play).to_have_text("Pause")
    page.keyboard.press("Enter")
    expect(play).to_have_text("Play")
    number = page.locator("#value-described")
    tab_to(page, number)
    page.keyboard.type(str(histories.LOST))
    page.keyboard.press("Enter")
    expect(page.locator("#story li")).to_contain_text(
        [f"for partition 0, offset {histories.LOST}.", "Not in the log at the end.",
         histories.IN_ITS_PLACE, "Never delivered"]
    )  # fmt: skip
    expect(number).to_be_focused()


@pytest.mark.parametrize(
    "address",
    ["/scenarios/?harm=lost_write&layer=brokers", "/toy/", "/learn/", "/reference/?q=acks"],
)
def test_each_tab_stop_is_visible(page: Page, address: str) -> None:
    page.goto(address)
    last: Any = page.locator("footer a").last
    tab_to(page, last, limit=400)
