"""Pages, wide and narrow, light and dark: accessible, and not too wide.

If LAB_SCREENSHOTS names a folder, the pictures are saved there.
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
from tests.browser.conftest import accessibility_violations, overflowing
from tests.browser.pages import opened, wait_until_drawn
from tests.browser.test_describe import describe_risky, go_on
from tests.engine import histories
from tests.labs import make, watched

# `make test` checks each width and each colour scheme once: their styles are independent.
# Pages are used at the small width, where most elements are in the way.
LOOKS = ((360, "light"), pytest.param((360, "dark"), marks=pytest.mark.thorough))
OTHER: dict[Any, Any] = {360: 1600, 1600: 360, "light": "dark", "dark": "light"}


@pytest.fixture(params=LOOKS, ids=str)
def styled_page(
    request: pytest.FixtureRequest, browser: Browser, browser_context_args: dict[str, Any]
) -> Iterator[Page]:
    """A page with one width and colour scheme; `look` checks it in the other ones as well."""
    width, scheme = request.param
    context = browser.new_context(
        **browser_context_args, viewport={"width": width, "height": 900}, color_scheme=scheme
    )
    yield context.new_page()
    context.close()


def look(page: Page, name: str) -> None:
    """Checks a page as it is, and with the other width and colour scheme."""
    dark = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    width, scheme = page.evaluate("innerWidth"), "dark" if dark else "light"
    _check(page, f"{name}-{width}{'-dark' * dark}")
    if width in OTHER:
        _switch(page, OTHER[width], OTHER[scheme])
        _check(page, f"{name}-{OTHER[width]}{'-dark' * (not dark)}")
        _switch(page, width, scheme)


def _switch(page: Page, width: int, scheme: Any) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)


def _check(page: Page, name: str) -> None:
    """Asserts that the page is accessible and not too wide; saves its picture if wanted."""
    if folder := os.environ.get("LAB_SCREENSHOTS"):
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)
    assert overflowing(page) == [], name
    assert accessibility_violations(page) == [], name


WRONG_RULES = {
    "dark": "@media (prefers-color-scheme: dark) { label { color: #333 !important } }",
    "wide": "@media (min-width: 1500px) { main { min-width: 3000px !important } }",
}


@pytest.mark.parametrize("rule", WRONG_RULES.values(), ids=WRONG_RULES)
def test_an_error_in_the_other_look_alone_is_found(
    page: Page, live_server: LiveServer, rule: str
) -> None:
    page.set_viewport_size({"width": 360, "height": 900})
    page.goto("/describe/topic/")
    look(page, "right")
    page.evaluate("rule => document.styleSheets[0].insertRule(rule)", rule)
    with pytest.raises(AssertionError, match="wrong-1600-dark"):
        look(page, "wrong")


def test_every_step_of_the_questionnaire(styled_page: Page) -> None:
    styled_page.goto("/describe/client/")
    for name in ("client", "topic", "producer", "consumer", "needs"):
        expect(styled_page.locator(".steps [aria-current=step]")).to_be_visible()
        look(styled_page, name)
        if name != "needs":
            go_on(styled_page)


def test_the_questionnaire_with_errors(styled_page: Page) -> None:
    styled_page.goto("/describe/producer/")
    styled_page.get_by_text("More settings").click()
    styled_page.get_by_label("retries").fill("as often as it takes, and then once more")
    go_on(styled_page)
    expect(styled_page.locator(".field-error")).to_be_visible()
    look(styled_page, "errors")


def test_the_advice(styled_page: Page) -> None:
    describe_risky(styled_page)
    assert overflowing(styled_page) == []  # unfolded, it is checked again
    styled_page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    look(styled_page, "advice")


def test_the_advice_on_assumed_answers(styled_page: Page) -> None:
    styled_page.goto("/describe/client/")
    for _ in steps(Family.JAVA):
        go_on(styled_page)
    expect(styled_page.get_by_text("answers were assumed")).to_be_visible()
    look(styled_page, "assumed")


def test_a_pipeline_that_can_no_longer_be_judged(styled_page: Page) -> None:
    slug = Description.objects.create(data=STALE, rules_version="0").slug
    styled_page.goto(f"/pipelines/{slug}/")
    styled_page.locator("summary").click()
    look(styled_page, "stale")
    styled_page.get_by_role("button", name="Continue with these answers").click()
    expect(styled_page.get_by_label("acks")).to_have_attribute("aria-invalid", "true")


def test_a_link_with_newer_advice(styled_page: Page) -> None:
    slug = saved(RISKY, older(answer(described(RISKY))))
    styled_page.goto(f"/pipelines/{slug}/")
    expect(styled_page.get_by_text("Newer advice exists")).to_be_visible()
    look(styled_page, "old")
    styled_page.get_by_role("link", name="See the difference").click()
    expect(styled_page.get_by_role("heading", name="Changes for at least once")).to_be_visible()
    look(styled_page, "newer")
    styled_page.get_by_role("button", name="Use the advice").click()
    expect(styled_page.get_by_role("heading", name="You need at least once")).to_be_visible()
    assert slug not in styled_page.url
    expect(styled_page.get_by_text("Newer advice exists")).not_to_be_attached()


@pytest.mark.parametrize("state", [State.RUNNING, State.DONE])
def test_an_experiment(styled_page: Page, state: State) -> None:
    experiment = make.experiment(state, *(["broken", "holds"] if state == State.DONE else []))
    experiment.runs.filter(name="recommended").update(
        settings={"producer": {"acks": "all", "linger.ms": 5}}
    )
    styled_page.goto(experiment.get_absolute_url())
    for details in styled_page.locator("details").all():
        details.locator("summary").click()
    look(styled_page, f"experiment-{state}")


@pytest.mark.parametrize("second", [2.0, 4.0, 11.0])
def test_a_running_experiment(styled_page: Page, second: float) -> None:
    styled_page.goto(watched.experiment(second).get_absolute_url())
    expect(styled_page.locator(".live-log")).to_have_count(6)
    look(styled_page, f"running-{second:.0f}")


def test_two_experiments_side_by_side(styled_page: Page) -> None:
    first, second = (make.experiment(State.DONE, "broken", "holds") for _ in range(2))
    timeline = second.runs.get(name="described").result["timeline"]
    for bucket in timeline["buckets"]:
        bucket["ok"] = bucket["ok"] // 2
    second.runs.filter(name="described").update(
        result={**second.runs.get(name="described").result, "timeline": timeline}
    )
    styled_page.goto(f"{first.get_absolute_url()}compare/?with={second.slug}")
    expect(styled_page.locator(".overlay polyline")).to_have_count(4)
    look(styled_page, "compare")


@pytest.mark.parametrize("value", [histories.LOST, histories.KEPT])
def test_the_story_of_a_message(styled_page: Page, value: int) -> None:
    styled_page.goto(f"{make.recorded().get_absolute_url()}described/message/?value={value}")
    expect(styled_page.locator(".track-log")).to_have_count(3)
    look(styled_page, f"message-{value}")


def test_reading_files(styled_page: Page) -> None:
    styled_page.goto("/describe/from-files/")
    look(styled_page, "files")
    styled_page.get_by_label("Paste").fill("acks=1\nenable.idempotance=true\n")
    styled_page.get_by_role("button", name="Read").click()
    expect(styled_page.get_by_role("alert")).to_be_focused()
    expect(styled_page.get_by_role("alert")).to_contain_text("Did you mean enable.idempotence?")
    look(styled_page, "files-wrong")
    styled_page.get_by_label("Paste").fill("acks=1\nsasl.password=hunter2\n")
    styled_page.get_by_role("button", name="Read").click()
    expect(styled_page.get_by_role("heading", name="1 answer read. Is this right?")).to_be_focused()
    styled_page.locator("summary").click()
    look(styled_page, "files-read")
    styled_page.get_by_role("button", name="Yes, show what can happen").click()
    expect(styled_page.get_by_role("heading", level=1)).to_contain_text("You need at least once")


def test_the_report(styled_page: Page) -> None:
    styled_page.goto(f"/pipelines/{saved(RISKY)}/")
    styled_page.get_by_role("link", name="Open the report for printing").click()
    expect(styled_page.get_by_role("button", name="Print")).to_be_visible()
    look(styled_page, "report")


def test_the_reference(styled_page: Page) -> None:
    styled_page.goto("/reference/")
    styled_page.get_by_role("searchbox").press_sequentially("leader")
    expect(styled_page.get_by_role("status")).to_contain_text("leader")
    expect(styled_page.get_by_role("searchbox")).to_be_focused()
    expect(styled_page).to_have_url(re.compile(r"/reference/\?q=leader"))
    look(styled_page, "reference")
    for address in (
        "failures/leader-killed-followers-behind", "rules/P001", "settings/producer/acks",
    ):  # fmt: skip
        styled_page.goto(f"/reference/{address}/")
        look(styled_page, f"reference-{address.partition('/')[0]}")


def test_the_conditions_of_an_experiment_and_its_replay(styled_page: Page) -> None:
    slug = saved(RISKY)
    styled_page.goto(f"/experiments/conditions/?pipeline={slug}&scenario=leader-killed")
    styled_page.get_by_label("Partitions").fill("99")
    styled_page.get_by_role("button", name="Run it").click()
    expect(styled_page.locator(".field-error")).to_be_visible()
    look(styled_page, "conditions")
    styled_page.goto(make.recorded_in_two_partitions().get_absolute_url() + "?partition=1")
    expect(styled_page.locator("[data-chart] canvas")).to_be_visible()
    look(styled_page, "partition")


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
def test_the_other_pages(styled_page: Page, address: str) -> None:
    styled_page.goto(address)
    expect(styled_page.get_by_role("heading", level=1)).to_be_visible()
    look(styled_page, address.strip("/").replace("/", "-") or "home")


MAX_PRINTED_PAGES = {"advice": 4, "done": 5, "incident": 6}
"""The largest number of A4 pages. The report has no limit, since nothing in it is folded."""


@pytest.mark.parametrize("name", MAX_PRINTED_PAGES)
def test_a_printed_page_is_short_and_names_what_it_omits(
    page: Page, live_server: LiveServer, name: str
) -> None:
    page.goto(opened(page, name))
    wait_until_drawn(page, name)
    note = page.locator(".paper-only").last
    expect(note).to_be_hidden()
    printed = page.pdf(format="A4", margin=dict.fromkeys(("top", "bottom"), "1cm"))
    assert 1 < len(re.findall(rb"/Type /Page\b", printed)) <= MAX_PRINTED_PAGES[name]
    page.emulate_media(media="print")
    expect(note).to_contain_text(re.compile("printed"))


def test_printed_advice_has_its_reasons_and_no_buttons(page: Page, live_server: LiveServer) -> None:
    page.goto(f"/pipelines/{saved(RISKY)}/")
    page.emulate_media(media="print")
    expect(page.get_by_role("button")).to_have_count(0)
    expect(page.get_by_text("answers were assumed")).to_be_visible()
    expect(page.get_by_text("acks=1: the leader acknowledges alone").first).to_be_visible()
    expect(page.get_by_text("The settings that you stated")).to_be_visible()
    expect(page.get_by_role("link", name="/report/")).to_be_visible()
    expect(page.locator(".matrix")).to_be_hidden()


def test_no_page_is_wider_than_the_smallest_phone(page: Page, live_server: LiveServer) -> None:
    page.set_viewport_size({"width": 320, "height": 640})
    slug, experiment, other = saved(RISKY), make.recorded(), make.experiment(State.DONE, "holds")
    make.run(experiment, 2, "third", "holds", make.SETTINGS)
    address = experiment.get_absolute_url()
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
        assert overflowing(page) == [], name


def test_printed_marks_show_without_backgrounds(page: Page, live_server: LiveServer) -> None:
    page.goto(f"/pipelines/{saved(RISKY)}/report/")
    page.emulate_media(media="print")
    mark = page.locator(".matrix .cell.is-forbidden").first
    background, symbol = mark.evaluate(
        "mark => [mark, mark.firstElementChild].map((each, at) =>"
        " getComputedStyle(each)[at ? 'color' : 'backgroundColor'])"
    )
    assert background == "rgba(0, 0, 0, 0)"
    assert symbol == mark.evaluate("mark => getComputedStyle(mark).borderTopColor")


def test_printed_tables_stay_with_their_headings(page: Page, live_server: LiveServer) -> None:
    page.goto(f"/pipelines/{saved(RISKY)}/report/")
    page.emulate_media(media="print")
    # A page break is avoided only between blocks in normal flow.
    separable = page.evaluate(
        """() => [...document.querySelectorAll("h2, h3, caption, .legend")]
            .filter(each => getComputedStyle(each).breakAfter !== "avoid"
                || /flex|grid/.test(getComputedStyle(each.parentElement).display))
            .map(each => each.outerHTML.slice(0, 80))"""
    )
    assert separable == []
