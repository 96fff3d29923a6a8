"""Pictures of pages in each of their states, narrow and wide, light and dark, beside kept ones.

After a change that is meant, LAB_RECORD_PICTURES=1 writes pictures/ anew; look at the pages before
you commit them: with LAB_SCREENSHOTS set to a folder each is kept there in full.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page
from pytest_django.live_server_helper import LiveServer

from config.doctor import chromium_program
from labs.models import State
from tests.browser.conftest import QUIET
from tests.browser.pages import LOOKED_AT, opened, wait_until_drawn
from tests.browser.pictures import Picture, differences, reduced, taken
from tests.labs import make

pytestmark = pytest.mark.django_db(transaction=True)

KEPT = Path(__file__).with_name("pictures")
LOOKS = [(width, scheme) for width in (360, 1280) for scheme in ("light", "dark")]


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """Letters as wide as their font says, and not as a machine's hinting rounds them."""
    return {
        **browser_type_launch_args,
        "executable_path": chromium_program(),
        "args": [*QUIET, "--font-render-hinting=none", "--force-color-profile=srgb"],
    }


@pytest.fixture
def still(browser: Browser, browser_context_args: dict[str, Any]) -> Iterator[Page]:
    """A page on which nothing moves."""
    context = browser.new_context(**browser_context_args, reduced_motion="reduce")
    yield context.new_page()
    context.close()


def compared(page: Page, file: Path, slug: str) -> list[str]:
    """What differs from the kept picture; the page is kept instead if that is asked for."""
    now = taken(page, slug)
    if os.environ.get("LAB_RECORD_PICTURES"):
        file.write_bytes(now.png)
    if not file.is_file():
        return [f"{file.name}: not kept, LAB_RECORD_PICTURES=1 keeps it"]
    kept = reduced(page, file.read_bytes(), 1)
    return [f"{file.name}: {each}" for each in differences(kept, now)]


@pytest.mark.thorough
@pytest.mark.parametrize("name", LOOKED_AT)
def test_a_page_looks_as_it_did(still: Page, name: str) -> None:
    address, differences = opened(still, name), list[str]()
    parts = address.split("/")
    slug = parts[2] if parts[1] in {"experiments", "pipelines", "class"} else ""
    slug = parts[3] if parts[1:3] == ["evidence", "lines"] else slug
    for width, scheme in LOOKS:
        still.set_viewport_size({"width": width, "height": 900})
        still.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        still.goto(address)
        wait_until_drawn(still, name)
        if folder := os.environ.get("LAB_SCREENSHOTS"):
            whole = Path(folder) / f"{name}-{width}-{scheme}.png"
            still.screenshot(path=whole, full_page=True)
        differences += compared(still, KEPT / f"{name}-{width}-{scheme}.png", slug)
    assert differences == []


SUBTLE = "a verdict of another colour"
"""The one that moves nothing: `make test` has it noticed, and `make nightly` all."""

BREAKS = {
    "arms one under the other": ".arms { display: block !important }",
    "counts that are gone": ".count { visibility: hidden !important }",
    SUBTLE: ".verdict-broken { background: #0a6a4c !important }",
    "a plot that is empty": "svg.plot > * { display: none !important }",
    "no styles for buttons": ".button { all: unset !important }",
}


@pytest.mark.parametrize(
    "name", [pytest.param(x, marks=() if x == SUBTLE else pytest.mark.thorough) for x in BREAKS]
)
def test_a_page_that_looks_broken_is_noticed(
    page: Page, live_server: LiveServer, name: str
) -> None:
    made = make.experiment(State.DONE, "broken", "holds")
    page.goto(made.get_absolute_url())
    wait_until_drawn(page, "done")
    before = taken(page, made.slug)
    assert differences(before, taken(page, made.slug)) == []
    page.evaluate("rule => document.styleSheets[0].insertRule(rule)", BREAKS[name])
    assert differences(before, taken(page, made.slug)) != []


def test_a_line_of_text_more_is_no_difference() -> None:
    rows = tuple(tuple((at * 3 % 250, row * 5 % 250, 90) for at in range(40)) for row in range(60))
    moved = rows[:20] + ((rows[0],) * 2) + rows[20:]
    assert len(differences(Picture(rows, b""), Picture(moved, b""))) <= 1
    assert differences(Picture(rows, b""), Picture(rows[:20] + rows[40:], b""))
