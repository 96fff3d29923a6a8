"""The layout of pages is compared with a recorded one: narrow and wide, light and dark.

After an intended change LAB_RECORD_LAYOUT=1 writes layout.json again. Look at the pages (with
LAB_SCREENSHOTS and tests/browser/test_budgets.py) and at the diff before you commit it.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.conftest import accessibility_violations, overflowing
from tests.browser.layout import collisions, moved, parts
from tests.browser.pages import PAGES, wait_until_drawn

pytestmark = pytest.mark.django_db(transaction=True)

RECORD_FILE = Path(__file__).with_name("layout.json")
WIDTHS = (360, 1280)


PAGE_NAMES = (
    "home", "describe", "advice", "running", "done", "replay", "cancelled", "scenarios", "toy",
    "concept", "setting", "lesson", "missing",
)  # fmt: skip


def _recorded() -> dict[str, Any]:
    recorded: dict[str, Any] = json.loads(RECORD_FILE.read_text()) if RECORD_FILE.is_file() else {}
    return recorded


def _record(key: str, now: list[Any]) -> None:
    lines = (f"{json.dumps(name)}: {json.dumps(layout)}" for name, layout in
             sorted({**_recorded(), key: now}.items()))  # fmt: skip
    RECORD_FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")


# `make test` checks the pages that most visitors see, `make nightly` all of them.
CASES = [
    pytest.param(name, marks=() if name in {"home", "advice", "done"} else pytest.mark.thorough)
    for name in PAGE_NAMES
]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", CASES)
def test_a_page_has_its_recorded_layout(
    browser: Browser, browser_context_args: dict[str, Any], name: str, width: int
) -> None:
    context = browser.new_context(
        **browser_context_args, viewport={"width": width, "height": 900}, reduced_motion="reduce"
    )
    page = context.new_page()
    page.goto(PAGES[name]())
    wait_until_drawn(page, name)
    now, key = parts(page), f"{name}-{width}"
    if os.environ.get("LAB_RECORD_LAYOUT"):
        _record(key, now)
    assert moved(_recorded().get(key, []), now) == []
    assert overflowing(page) == []
    assert collisions(page) == []
    assert accessibility_violations(page) == [], "light"
    page.emulate_media(color_scheme="dark")
    assert parts(page) == now, "a colour scheme moves nothing"
    assert accessibility_violations(page) == [], "dark"
    context.close()


BREAKS = {
    "arms one under the other": (".arms { display: block !important }", "was from"),
    "a card that is gone": (".count { display: none !important }", "part"),
    "numbers on numbers": (".count { position: absolute !important; top: 0 }", " on "),
    "a cut heading": (
        "h2 { overflow: hidden; text-wrap: nowrap !important; width: 2rem }",
        "cut off",
    ),
}


@pytest.mark.parametrize("name", BREAKS)
def test_a_broken_layout_is_found(page: Page, name: str) -> None:
    rule, expected = BREAKS[name]
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto(PAGES["done"]())
    before = parts(page)
    assert collisions(page) == []
    # The page's content security policy allows a rule in one of its own style sheets.
    page.evaluate("rule => document.styleSheets[0].insertRule(rule)", rule)
    problems = moved(before, parts(page)) + collisions(page)
    assert any(expected in problem for problem in problems), problems
