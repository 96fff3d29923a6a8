"""A lesson from its story to the settings, in a real Chromium, on real brokers."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import serious, too_wide
from tests.browser.whole import VERDICT_LIMIT_MS, lab

__all__ = ["lab"]

pytestmark = [pytest.mark.whole, pytest.mark.stack, pytest.mark.timeout(1500)]


def test_from_the_story_to_the_settings(page: Page, lab: str) -> None:
    page.goto(f"{lab}/learn/")
    page.get_by_role("link", name="Begin").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("What an acknowledgement means")
    page.get_by_role("button", name="Go on").click()

    for arm, answer in (("acks=0", "Some"), ("acks=1", "Some"), ("acks=all", "None")):
        page.get_by_role("group", name=arm).get_by_label(answer).check()
    page.get_by_role("button", name="Keep my prediction").click()

    page.get_by_role("button", name="Run it").click()
    expect(page.locator(".arm")).to_have_count(3)
    page.get_by_role("button", name="Compare it with your prediction").click(
        timeout=VERDICT_LIMIT_MS
    )

    table = page.get_by_role("region", name="Prediction and result")
    expect(table.get_by_role("row", name=re.compile("acks=1"))).to_contain_text("some are lost")
    expect(table.get_by_role("row", name=re.compile("acks=all"))).to_contain_text("none is lost")
    assert serious(page) == []
    page.set_viewport_size({"width": 360, "height": 900})
    assert too_wide(page) == []

    page.get_by_role("button", name="Go on").click()
    expect(page.locator("main")).to_contain_text(
        re.compile(r"[1-9][\d,]* of [\d,]+ acknowledged messages are gone\. They were in the")
    )
    page.get_by_role("button", name="Go on").click()
    expect(page.get_by_role("region", name="Settings", exact=True)).to_contain_text(
        "min.insync.replicas"
    )
    page.get_by_role("link", name="Export them for your client").click()
    expect(page).to_have_url(re.compile(r"/pipelines/\w+/"))

    page.goto(f"{lab}/learn/")
    expect(page.locator("main")).to_contain_text("you are at “Take home”")
