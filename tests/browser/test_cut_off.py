"""The check for controls that are cut off at 320 px finds each kind of them."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page
from pytest_django.live_server_helper import LiveServer

from tests.browser.conftest import clipped_controls, overflowing

pytestmark = pytest.mark.django_db(transaction=True)

BREAKS = {
    "a button beside the page": "#questions button { margin-left: -3rem !important }",
    "a frame that cuts its button off": ".actions { overflow: hidden; width: 3rem }",
    "a button that cuts its words off": (
        "#questions button { overflow: hidden; width: 2rem; white-space: nowrap }"
    ),
}


@pytest.mark.parametrize("name", BREAKS)
def test_a_control_that_is_cut_off_is_found(page: Page, live_server: LiveServer, name: str) -> None:
    page.set_viewport_size({"width": 320, "height": 800})
    page.goto("/describe/topic/")
    assert clipped_controls(page) == []
    page.evaluate("rule => document.styleSheets[0].insertRule(rule)", BREAKS[name])
    assert any("<button" in control for control in clipped_controls(page)), name
    assert overflowing(page) == [], "the page itself is no wider, so only this finds it"
