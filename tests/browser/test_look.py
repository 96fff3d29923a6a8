"""Every page of the advisor at both ends of width, light and dark: nothing serious, nothing wide.

Set LAB_SCREENSHOTS to a folder to keep the pictures and look at them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from advisor.catalog import Family
from advisor.models import Description
from advisor.questions.questionnaire import steps
from advisor.reasoning.answer import answer
from labs.models import State
from tests.advisor.answers import RISKY, older, saved
from tests.advisor.pipelines import described
from tests.advisor.test_views_advice import STALE
from tests.browser.conftest import serious, too_wide
from tests.browser.pages import opened, wait_until_drawn
from tests.browser.test_describe import describe_risky, go_on
from tests.engine import histories
from tests.labs import make, watched

# By day each width once and each scheme once: their styles have nothing to do with each other.
# What is done on a page is done at the width at which most is in the way.
LOOKS = ((360, "light"), pytest.param((360, "dark"), marks=pytest.mark.thorough))
OTHER: dict[Any, Any] = {360: 1600, 1600: 360, "light": "dark", "dark": "light"}


@pytest.fixture(params=LOOKS, ids=str)
def looked_at(
    request: pytest.FixtureRequest, browser: Browser, browser_context_args: dict[str, Any]
) -> Iterator[Page]:
    """A page of one width and colour scheme; `look` sees it in the other ones, too."""
    width, scheme = request.param
    context = browser.new_context(
        **browser_context_args, viewport={"width": width, "height": 900}, color_scheme=scheme
    )
    yield context.new_page()
    context.close()


def look(page: Page, name: str) -> None:
    """Checks a page as it is, and at the other end of width in the other colours."""
    dark = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    width, scheme = page.evaluate("innerWidth"), "dark" if dark else "light"
    _check(page, f"{name}-{width}{'-dark' * dark}")
    if width in OTHER:
        _turn(page, OTHER[width], OTHER[scheme])
        _check(page, f"{name}-{OTHER[width]}{'-dark' * (not dark)}")
        _turn(page, width, scheme)


def _turn(page: Page, width: int, scheme: Any) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)


def _check(page: Page, name: str) -> None:
    """Nothing is wide and nothing serious; keeps its picture if one is wanted."""
    if folder := os.environ.get("LAB_SCREENSHOTS"):
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)
    assert too_wide(page) == [], name
    assert serious(page) == [], name


OTHERWISE = {
    "dark": "@media (prefers-color-scheme: dark) { label { color: #333 !important } }",
    "wide": "@media (min-width: 1500px) { main { min-width: 3000px !important } }",
}


@pytest.mark.parametrize("rule", OTHERWISE.values(), ids=OTHERWISE)
def test_what_is_wrong_in_the_other_look_alone_is_noticed(
    page: Page, live_server: LiveServer, rule: str
) -> None:
    page.set_viewport_size({"width": 360, "height": 900})
    page.goto("/describe/topic/")
    look(page, "right")
    page.evaluate("rule => document.styleSheets[0].insertRule(rule)", rule)
    with pytest.raises(AssertionError, match="wrong-1600-dark"):
        look(page, "wrong")


def test_the_questionnaire(looked_at: Page) -> None:
    looked_at.goto("/describe/client/")
    for name in ("client", "topic", "producer", "consumer", "needs"):
        expect(looked_at.locator(".steps [aria-current=step]")).to_be_visible()
        look(looked_at, name)
        if name != "needs":
            go_on(looked_at)


def test_the_questionnaire_with_errors(looked_at: Page) -> None:
    looked_at.goto("/describe/producer/")
    looked_at.get_by_text("More settings").click()
    looked_at.get_by_label("retries").fill("as often as it takes, and then once more")
    go_on(looked_at)
    expect(looked_at.locator(".field-error")).to_be_visible()
    look(looked_at, "errors")


def test_the_advice(looked_at: Page) -> None:
    describe_risky(looked_at)
    assert too_wide(looked_at) == []  # what is seen now is seen unfolded, too
    looked_at.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    look(looked_at, "advice")


def test_the_advice_on_what_was_assumed(looked_at: Page) -> None:
    looked_at.goto("/describe/client/")
    for _ in steps(Family.JAVA):
        go_on(looked_at)
    expect(looked_at.get_by_text("answers were assumed")).to_be_visible()
    look(looked_at, "assumed")


def test_a_pipeline_that_can_no_longer_be_judged(looked_at: Page) -> None:
    slug = Description.objects.create(data=STALE, rules_version="0").slug
    looked_at.goto(f"/pipelines/{slug}/")
    looked_at.locator("summary").click()
    look(looked_at, "stale")
    looked_at.get_by_role("button", name="Continue with these answers").click()
    expect(looked_at.get_by_label("acks")).to_have_attribute("aria-invalid", "true")


def test_a_link_with_newer_advice(looked_at: Page) -> None:
    slug = saved(RISKY, older(answer(described(RISKY))))
    looked_at.goto(f"/pipelines/{slug}/")
    expect(looked_at.get_by_text("Newer advice exists")).to_be_visible()
    look(looked_at, "old")
    looked_at.get_by_role("link", name="See the difference").click()
    expect(looked_at.get_by_role("heading", name="Changes for at least once")).to_be_visible()
    look(looked_at, "newer")
    looked_at.get_by_role("button", name="Use the advice").click()
    expect(looked_at.get_by_role("heading", name="You need at least once")).to_be_visible()
    assert slug not in looked_at.url
    expect(looked_at.get_by_text("Newer advice exists")).not_to_be_attached()


@pytest.mark.parametrize("state", [State.RUNNING, State.DONE])
def test_an_experiment(looked_at: Page, state: State) -> None:
    made = make.experiment(state, *(["broken", "holds"] if state == State.DONE else []))
    made.runs.filter(name="recommended").update(
        settings={"producer": {"acks": "all", "linger.ms": 5}}
    )
    looked_at.goto(made.get_absolute_url())
    for details in looked_at.locator("details").all():
        details.locator("summary").click()
    look(looked_at, f"experiment-{state}")


@pytest.mark.parametrize("second", [2.0, 4.0, 11.0])
def test_an_experiment_that_runs(looked_at: Page, second: float) -> None:
    looked_at.goto(watched.experiment(second).get_absolute_url())
    expect(looked_at.locator(".live-log")).to_have_count(6)
    look(looked_at, f"running-{second:.0f}")


def test_two_experiments_side_by_side(looked_at: Page) -> None:
    first, second = (make.experiment(State.DONE, "broken", "holds") for _ in range(2))
    timeline = second.runs.get(name="described").result["timeline"]
    for bucket in timeline["buckets"]:
        bucket["ok"] = bucket["ok"] // 2
    second.runs.filter(name="described").update(
        result={**second.runs.get(name="described").result, "timeline": timeline}
    )
    looked_at.goto(f"{first.get_absolute_url()}compare/?with={second.slug}")
    expect(looked_at.locator(".overlay polyline")).to_have_count(4)
    look(looked_at, "compare")


@pytest.mark.parametrize("value", [histories.LOST, histories.KEPT])
def test_the_story_of_a_message(looked_at: Page, value: int) -> None:
    looked_at.goto(f"{make.recorded().get_absolute_url()}described/message/?value={value}")
    expect(looked_at.locator(".track-log")).to_have_count(3)
    look(looked_at, f"message-{value}")


def test_reading_files(looked_at: Page) -> None:
    looked_at.goto("/describe/from-files/")
    look(looked_at, "files")
    looked_at.get_by_label("Paste").fill("acks=1\nenable.idempotance=true\n")
    looked_at.get_by_role("button", name="Read").click()
    expect(looked_at.get_by_role("alert")).to_be_focused()
    expect(looked_at.get_by_role("alert")).to_contain_text("Did you mean enable.idempotence?")
    look(looked_at, "files-wrong")
    looked_at.get_by_label("Paste").fill("acks=1\nsasl.password=hunter2\n")
    looked_at.get_by_role("button", name="Read").click()
    expect(looked_at.get_by_role("heading", name="1 answer read. Is this right?")).to_be_focused()
    looked_at.locator("summary").click()
    look(looked_at, "files-read")
    looked_at.get_by_role("button", name="Yes, show what can happen").click()
    expect(looked_at.get_by_role("heading", level=1)).to_contain_text("You need at least once")


def test_the_report(looked_at: Page) -> None:
    looked_at.goto(f"/pipelines/{saved(RISKY)}/")
    looked_at.get_by_role("link", name="The report, for printing").click()
    expect(looked_at.get_by_role("button", name="Print")).to_be_visible()
    look(looked_at, "report")


def test_the_reference(looked_at: Page) -> None:
    looked_at.goto("/reference/")
    looked_at.get_by_role("searchbox").press_sequentially("leader")
    expect(looked_at.get_by_role("status")).to_contain_text("leader")
    expect(looked_at.get_by_role("searchbox")).to_be_focused()
    expect(looked_at).to_have_url(re.compile(r"/reference/\?q=leader"))
    look(looked_at, "reference")
    for address in (
        "failures/leader-killed-followers-behind", "rules/P001", "settings/producer/acks",
    ):  # fmt: skip
        looked_at.goto(f"/reference/{address}/")
        look(looked_at, f"reference-{address.partition('/')[0]}")


def test_the_conditions_of_an_experiment_and_its_replay(looked_at: Page) -> None:
    slug = saved(RISKY)
    looked_at.goto(f"/experiments/conditions/?pipeline={slug}&scenario=leader-killed")
    looked_at.get_by_label("Partitions").fill("99")
    looked_at.get_by_role("button", name="Run it").click()
    expect(looked_at.locator(".field-error")).to_be_visible()
    look(looked_at, "conditions")
    looked_at.goto(make.recorded_in_two_partitions().get_absolute_url() + "?partition=1")
    expect(looked_at.locator("[data-chart] canvas")).to_be_visible()
    look(looked_at, "partition")


@pytest.mark.parametrize(
    "address",
    [
        "/",
        "/evidence/",
        "/evidence/lines/",
        "/experiments/",
        "/learn/",
        "/advisories/kafka-14055/",
        "/incidents/",
        "/incidents/kafka-14055/",
        "/nothing-here/",
    ],
)
def test_the_other_pages(looked_at: Page, address: str) -> None:
    looked_at.goto(address)
    expect(looked_at.get_by_role("heading", level=1)).to_be_visible()
    look(looked_at, address.strip("/").replace("/", "-") or "home")


PAPER = {"advice": 4, "done": 5, "incident": 6}
"""Pages of A4 at most. The printed report has its own length: nothing in it is folded."""


@pytest.mark.parametrize("name", PAPER)
def test_paper_has_what_decides_and_says_what_is_left_out(
    page: Page, live_server: LiveServer, name: str
) -> None:
    page.goto(opened(page, name))
    wait_until_drawn(page, name)
    note = page.locator(".paper-only").last
    expect(note).to_be_hidden()
    printed = page.pdf(format="A4", margin=dict.fromkeys(("top", "bottom"), "1cm"))
    assert 1 < len(re.findall(rb"/Type /Page\b", printed)) <= PAPER[name]
    page.emulate_media(media="print")
    expect(note).to_contain_text(re.compile("printed"))


def test_the_advice_on_paper_has_its_reasons_and_no_buttons(
    page: Page, live_server: LiveServer
) -> None:
    page.goto(f"/pipelines/{saved(RISKY)}/")
    page.emulate_media(media="print")
    expect(page.get_by_role("button")).to_have_count(0)
    expect(page.get_by_text("answers were assumed")).to_be_visible()
    expect(page.get_by_text("acks=1: the leader acknowledges alone").first).to_be_visible()
    expect(page.get_by_text("The settings that you stated")).to_be_visible()
    expect(page.get_by_role("link", name="/report/")).to_be_visible()
    expect(page.locator(".matrix")).to_be_hidden()


def test_nothing_is_wider_than_the_smallest_phone(page: Page, live_server: LiveServer) -> None:
    page.set_viewport_size({"width": 320, "height": 640})
    slug, made, other = saved(RISKY), make.recorded(), make.experiment(State.DONE, "holds")
    make.run(made, 2, "third", "holds", make.SETTINGS)
    address = made.get_absolute_url()
    for name in (
        "/", "/evidence/", "/evidence/lines/", "/incidents/", "/incidents/kafka-14055/",
        "/describe/consumer/",
        f"/pipelines/{slug}/", f"/pipelines/{slug}/report/", address, f"{address}repetitions/",
        f"{address}compare/?with={other.slug}",
    ):  # fmt: skip
        response = page.goto(name)
        assert response
        assert response.ok, name
        page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        assert too_wide(page) == [], name


def test_what_is_marked_on_paper_shows_without_backgrounds(
    page: Page, live_server: LiveServer
) -> None:
    page.goto(f"/pipelines/{saved(RISKY)}/report/")
    page.emulate_media(media="print")
    mark = page.locator(".matrix .cell.is-forbidden").first
    background, symbol = mark.evaluate(
        "mark => [mark, mark.firstElementChild].map((each, at) =>"
        " getComputedStyle(each)[at ? 'color' : 'backgroundColor'])"
    )
    assert background == "rgba(0, 0, 0, 0)"
    assert symbol == mark.evaluate("mark => getComputedStyle(mark).borderTopColor")


def test_no_table_on_paper_leaves_its_heading_behind(page: Page, live_server: LiveServer) -> None:
    page.goto(f"/pipelines/{saved(RISKY)}/report/")
    page.emulate_media(media="print")
    # A break is avoided only where heading and table are blocks in one flow.
    loose = page.evaluate(
        """() => [...document.querySelectorAll("h2, h3, caption, .legend")]
            .filter(each => getComputedStyle(each).breakAfter !== "avoid"
                || /flex|grid/.test(getComputedStyle(each.parentElement).display))
            .map(each => each.outerHTML.slice(0, 80))"""
    )
    assert loose == []
