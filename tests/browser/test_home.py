"""The home page plays a recorded run by itself, and stops when it is asked to."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, Route, expect

pytestmark = pytest.mark.django_db(transaction=True)


def seconds(page: Page) -> float:
    return float(page.locator("[data-clock]").inner_text().removesuffix(" s"))


def test_the_recorded_run_plays_and_its_arms_end_as_the_page_says(page: Page) -> None:
    page.goto("/")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    expect(page.locator("[data-clock]")).to_have_text(re.compile(r"^([2-9]|\d\d)\.\d s$"))
    page.get_by_role("button", name="Pause").click()
    stood = seconds(page)
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    slider = page.get_by_label("Time in the run, in seconds")
    slider.press("End")
    assert seconds(page) > stood
    described = page.get_by_role("article", name="As described")
    expect(described.locator("[data-end]").first).not_to_be_empty()


def test_who_wants_less_motion_starts_it(page: Page) -> None:
    page.emulate_media(reduced_motion="reduce")
    page.goto("/")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Pause")).to_have_count(0)


def test_a_second_click_on_a_form_sends_nothing(page: Page) -> None:
    sent: list[Route] = []

    def stay(route: Route) -> None:
        sent.append(route)
        route.fulfill(status=204)

    page.route("**/experiments/start/", stay)
    page.goto("/")
    start = page.get_by_role("button", name="Run it now")
    with page.expect_response("**/experiments/start/"):
        start.click()
    start.click()
    page.get_by_role("button", name="Pause").click()
    assert len(sent) == 1
