"""Progress in an account: it follows the visitor to another browser, wide and narrow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.browser.predictions import begin_and_predict
from tests.browser.test_look import look, styled_page

__all__ = ["styled_page"]
PASSWORD = "correct horse battery"


@pytest.fixture
def phone(
    browser: Browser, browser_context_args: dict[str, Any], live_server: LiveServer
) -> Iterator[Page]:
    """A page in another browser, as wide as a phone."""
    context = browser.new_context(**browser_context_args, viewport={"width": 360, "height": 900})
    yield context.new_page()
    context.close()


def fill(page: Page, name: str, password: str, button: str) -> None:
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name=button).click()


def test_progress_is_the_same_in_another_browser(styled_page: Page, phone: Page) -> None:
    page = styled_page
    begin_and_predict(page)
    page.goto("/learn/")
    page.get_by_role("link", name="An account").click()
    look(page, "account-sign-in")
    page.get_by_role("link", name="Create one").click()
    fill(page, "ann", "short", "Create my account")
    expect(page.locator(".field-error")).to_contain_text("at least 12 characters")
    look(page, "account-refused")
    fill(page, "ann", PASSWORD, "Create my account")
    expect(page.get_by_role("link", name="ann", exact=True)).to_be_visible()
    expect(page.locator("#lab-1")).to_contain_text("you are at “Run”")
    look(page, "account-map")
    page.get_by_role("link", name="ann", exact=True).click()
    look(page, "account")

    phone.goto("/account/sign-in/")
    fill(phone, "ann", "wrong horse battery", "Sign in")
    expect(phone.get_by_role("alert")).to_contain_text("There is no account")
    look(phone, "account-wrong")
    fill(phone, "Ann", PASSWORD, "Sign in")
    expect(phone.locator("#lab-1")).to_contain_text("you are at “Run”")
    phone.goto("/account/")
    phone.get_by_role("button", name="Sign out").click()
    expect(phone.locator("#lab-1")).not_to_contain_text("you are at")
