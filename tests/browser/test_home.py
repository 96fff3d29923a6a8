"""The home page plays a recorded run, which the visitor can pause."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, Route, expect

pytestmark = pytest.mark.django_db(transaction=True)


def seconds(page: Page) -> float:
    return float(page.locator("[data-clock]").inner_text().removesuffix(" s"))


def test_the_recorded_run_plays_and_can_be_paused_and_scrubbed(page: Page) -> None:
    page.goto("/")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    expect(page.locator("[data-clock]")).to_have_text(re.compile(r"^([2-9]|\d\d)\.\d s$"))
    page.get_by_role("button", name="Pause").click()
    paused_at = seconds(page)
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    slider = page.get_by_label("Time in the run, in seconds")
    slider.press("End")
    assert seconds(page) > paused_at
    described = page.get_by_role("article", name="As described")
    expect(described.locator("[data-end]").first).not_to_be_empty()


def test_with_reduced_motion_the_run_does_not_start_by_itself(page: Page) -> None:
    page.emulate_media(reduced_motion="reduce")
    page.goto("/")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Pause")).to_have_count(0)


def test_a_second_click_on_a_form_sends_nothing(page: Page) -> None:
    sent: list[Route] = []

    def record_request(route: Route) -> None:
        sent.append(route)
        route.fulfill(status=204)

    page.route("**/experiments/start/", record_request)
    page.goto("/")
    start = page.get_by_role("button", name="Run it now")
    with page.expect_response("**/experiments/start/"):
        start.click()
    start.click()
    page.get_by_role("button", name="Pause").click()
    assert len(sent) == 1
