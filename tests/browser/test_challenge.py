"""A challenge from the list to its solution, in a real Chromium and on real brokers."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from labs.challenges import find
from tests.browser.conftest import assert_usable_when_narrow
from tests.browser.whole import expect_grade, lab

__all__ = ["lab"]

pytestmark = [
    pytest.mark.whole, pytest.mark.stack, pytest.mark.thorough, pytest.mark.timeout(1500),
]  # fmt: skip

CHALLENGE = find("one-acknowledgement")


def play(page: Page, lever: str, value: str, expected: str) -> None:
    """Sets one lever, runs it, and waits for the grade."""
    page.get_by_label(lever, exact=True).select_option(value)
    page.get_by_role("button", name="Run it on real brokers").click()
    expect_grade(page, expected)


def test_a_challenge_from_the_list_to_the_optimum(page: Page, lab: str) -> None:
    page.goto(f"{lab}/challenges/")
    page.get_by_role("link", name=CHALLENGE.title, exact=True).last.click()
    expect(page.locator("#goal")).to_contain_text(CHALLENGE.goal)
    play(page, "producer.acks", "1", "Not passed, with 0 changes.")
    expect(page.locator("#graded")).to_contain_text("acknowledged and gone of")
    expect(page.locator("main")).not_to_contain_text(CHALLENGE.optimum.why)
    page.get_by_role("link", name="Go on").click()

    play(page, "producer.acks", "all", "Passed, with 1 change.")
    page.get_by_role("link", name="Go on").click()
    expect(page.locator("#optimum")).to_contain_text(CHALLENGE.optimum.why)
    assert_usable_when_narrow(page)

    page.get_by_role("link", name="This result as a page to share").click()
    expect(page.locator("#graded")).to_contain_text("0 acknowledged and gone of")
    page.goto(f"{lab}/challenges/")
    expect(page.locator(f"#{CHALLENGE.name}")).to_contain_text("solved with 1 change")
