"""A run that is cancelled on the page of a lab or a challenge: the visitor stays on that page."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.browser.visited import VISITED

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize(
    ("name", "again"),
    [("lesson-running", "Run it again"), ("challenge-running", "Run it on real brokers")],
)
def test_who_cancels_a_run_stays_on_the_page_that_started_it(
    page: Page, live_server: LiveServer, no_redis: None, name: str, again: str
) -> None:
    address = VISITED[name](page)
    page.goto(address)
    page.get_by_role("button", name="Cancel this experiment").click()
    expect(page.locator("main")).to_contain_text("Cancelled")
    assert re.sub(r"^https?://[^/]+|#.*", "", page.url) == address
    expect(page.get_by_role("button", name=re.compile(again))).to_be_visible()
