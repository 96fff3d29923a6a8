"""Pages as they are laid out, compared with how they were: narrow and wide, light and dark.

After a change that is meant, LAB_RECORD_LAYOUT=1 writes layout.json anew; look at the pages (with
LAB_SCREENSHOTS, tests/browser/test_budgets.py) and at its diff before you commit it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from advisor import services
from labs.lessons import all_lessons
from labs.models import State
from tests.advisor.answers import RISKY
from tests.advisor.pipelines import described
from tests.browser.conftest import serious, too_wide
from tests.browser.layout import collisions, moved, parts
from tests.labs import make, watched

pytestmark = pytest.mark.django_db(transaction=True)

KEPT = Path(__file__).with_name("layout.json")
WIDTHS = (360, 1280)


def _done() -> str:
    return make.experiment(State.DONE, "broken", "holds").get_absolute_url()


PAGES: dict[str, Callable[[], str]] = {
    "home": lambda: "/",
    "describe": lambda: "/describe/producer/",
    "advice": lambda: f"/pipelines/{services.save(described(RISKY)).slug}/",
    "running": lambda: watched.experiment(4.0).get_absolute_url(),
    "done": _done,
    "replay": lambda: make.recorded().get_absolute_url(),
    "cancelled": lambda: make.experiment(State.CANCELLED).get_absolute_url(),
    "scenarios": lambda: "/scenarios/?harm=lost_write&layer=spark",
    "toy": lambda: "/toy/",
    "concept": lambda: "/concepts/high-watermark/",
    "setting": lambda: "/reference/settings/producer/acks/",
    "lesson": lambda: f"/learn/{all_lessons()[0].name}/story/",
    "missing": lambda: "/nothing-here/",
}


def _ready(page: Page, name: str) -> None:
    if name == "replay":
        page.locator("[data-chart] canvas").first.wait_for()
    if name == "home":
        page.locator("[data-stage]").wait_for()
    if name == "toy":
        page.get_by_role("button", name="Kill the leader").wait_for()


def _kept() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(KEPT.read_text()) if KEPT.is_file() else {}
    return found


def _record(key: str, now: list[Any]) -> None:
    lines = (f"{json.dumps(name)}: {json.dumps(each)}" for name, each in
             sorted({**_kept(), key: now}.items()))  # fmt: skip
    KEPT.write_text("{\n" + ",\n".join(lines) + "\n}\n")


# By day those that most visitors see; by night all of them.
LOOKED_AT = [
    pytest.param(name, marks=() if name in {"home", "advice", "done"} else pytest.mark.thorough)
    for name in PAGES
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
    _ready(page, name)
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
    rule, said = BREAKS[name]
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto(_done())
    before = parts(page)
    assert collisions(page) == []
    # A rule that the page's policy lets through, as it lets through those of its own sheets.
    page.evaluate("rule => document.styleSheets[0].insertRule(rule)", rule)
    found = moved(before, parts(page)) + collisions(page)
    assert any(said in each for each in found), found
