"""Pages as they are laid out, compared with how they were: narrow and wide, light and dark.

After a change that is meant, LAB_RECORD_LAYOUT=1 writes layout.json anew; look at the pages (with
LAB_SCREENSHOTS, tests/browser/test_budgets.py) and at its diff before you commit it.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.conftest import serious, too_wide
from tests.browser.layout import collisions, moved, parts
from tests.browser.pages import PAGES, wait_until_drawn

pytestmark = pytest.mark.django_db(transaction=True)

KEPT = Path(__file__).with_name("layout.json")
WIDTHS = (360, 1280)


LAID_OUT = (
    "home", "describe", "advice", "running", "done", "replay", "cancelled", "scenarios", "toy",
    "concept", "setting", "lesson", "missing",
)  # fmt: skip


def _kept() -> dict[str, Any]:
    kept: dict[str, Any] = json.loads(KEPT.read_text()) if KEPT.is_file() else {}
    return kept


def _record(key: str, now: list[Any]) -> None:
    lines = (f"{json.dumps(name)}: {json.dumps(each)}" for name, each in
             sorted({**_kept(), key: now}.items()))  # fmt: skip
    KEPT.write_text("{\n" + ",\n".join(lines) + "\n}\n")


# By day those that most visitors see; by night all of them.
LOOKED_AT = [
    pytest.param(name, marks=() if name in {"home", "advice", "done"} else pytest.mark.thorough)
    for name in LAID_OUT
]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", LOOKED_AT)
def test_a_page_is_laid_out_as_it_was(
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
    assert moved(_kept().get(key, []), now) == []
    assert too_wide(page) == []
    assert collisions(page) == []
    assert serious(page) == [], "light"
    page.emulate_media(color_scheme="dark")
    assert parts(page) == now, "a colour scheme moves nothing"
    assert serious(page) == [], "dark"
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
def test_a_broken_layout_is_noticed(page: Page, name: str) -> None:
    rule, expected = BREAKS[name]
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto(PAGES["done"]())
    before = parts(page)
    assert collisions(page) == []
    # A rule that the page's policy lets through, as it lets through those of its own sheets.
    page.evaluate("rule => document.styleSheets[0].insertRule(rule)", rule)
    problems = moved(before, parts(page)) + collisions(page)
    assert any(expected in each for each in problems), problems
