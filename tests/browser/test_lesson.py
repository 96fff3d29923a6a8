"""A lab from its story to the settings, in a real Chromium and on real brokers."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import assert_usable_when_narrow
from tests.browser.predictions import begin_and_predict
from tests.browser.whole import VERDICT_LIMIT_MS, expect_grade, lab

__all__ = ["lab"]

pytestmark = [
    pytest.mark.whole, pytest.mark.stack, pytest.mark.thorough, pytest.mark.timeout(1500),
]  # fmt: skip


def try_change(page: Page, change: str, expected: str) -> None:
    """Chooses a change, runs it, and waits for its grade."""
    page.get_by_label(change, exact=True).check()
    page.get_by_label("None is lost").check()
    page.get_by_label("I am sure").check()
    page.get_by_role("button", name="Run it on real brokers").click()
    expect_grade(page, expected)


def test_a_lab_from_the_story_to_the_settings(page: Page, lab: str) -> None:
    begin_and_predict(page, lab)
    page.get_by_role("button", name="Run it").click()
    expect(page.locator(".arm")).to_have_count(3)
    page.get_by_role("button", name="Compare it with your prediction").click(
        timeout=VERDICT_LIMIT_MS
    )

    table = page.get_by_role("region", name="Prediction and result")
    expect(table.get_by_role("row", name=re.compile("acks=1"))).to_contain_text("Some are lost")
    expect(table.get_by_role("row", name=re.compile("acks=all"))).to_contain_text("None is lost")
    expect(page.locator("#replay")).to_be_visible()
    assert_usable_when_narrow(page)

    page.get_by_role("button", name="Go on").click()
    expect(page.locator("main")).to_contain_text(
        re.compile(r"[1-9][\d,]* of [\d,]+ acknowledged messages are gone\. They were in the")
    )
    page.get_by_role("button", name="Go on").click()
    try_change(page, "acks=all", "With your change this run did not show it.")

    page.get_by_role("button", name="Go on").click()
    page.get_by_label("Each send was answered before the leader died").check()
    page.get_by_role("button", name="Answer").first.click()
    expect(page.locator("main")).to_contain_text("Right.")
    page.get_by_role("button", name="Go on").click()
    expect(page.get_by_role("region", name="Settings", exact=True)).to_contain_text(
        "min.insync.replicas"
    )
    page.get_by_role("link", name="Export them for your client").click()
    expect(page).to_have_url(re.compile(r"/pipelines/\w+/"))

    page.goto(f"{lab}/learn/")
    expect(page.locator("#lab-1")).to_contain_text("you are at “Take home” · your turn is solved")
    expect(page.get_by_role("region", name="Confidence and results")).to_contain_text("I am sure")
