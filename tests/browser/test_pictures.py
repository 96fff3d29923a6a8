"""Pictures of pages in each state are compared with recorded ones: all widths and colour schemes.

After an intended change LAB_RECORD_PICTURES=1 writes pictures/ again. Look at the pages before you
commit them: if LAB_SCREENSHOTS names a folder, full pictures are saved there.
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
from tests.browser.conftest import CHROMIUM_ARGUMENTS
from tests.browser.pages import ALL_PAGES, opened, wait_until_drawn
from tests.browser.pictures import Picture, differences, reduce_png, take_picture
from tests.labs import make

pytestmark = pytest.mark.django_db(transaction=True)

RECORDED = Path(__file__).with_name("pictures")
LOOKS = [(width, scheme) for width in (360, 1280) for scheme in ("light", "dark")]


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """Turns off font hinting, so that letters have the same width on every machine."""
    return {
        **browser_type_launch_args,
        "executable_path": chromium_program(),
        "args": [*CHROMIUM_ARGUMENTS, "--font-render-hinting=none", "--force-color-profile=srgb"],
    }


@pytest.fixture
def still(browser: Browser, browser_context_args: dict[str, Any]) -> Iterator[Page]:
    """A page without animations."""
    context = browser.new_context(**browser_context_args, reduced_motion="reduce")
    yield context.new_page()
    context.close()


def compare(page: Page, file: Path, slug: str) -> list[str]:
    """The differences from the recorded picture; LAB_RECORD_PICTURES records it first."""
    now = take_picture(page, slug)
    if os.environ.get("LAB_RECORD_PICTURES"):
        file.write_bytes(now.png)
    if not file.is_file():
        return [f"{file.name}: not kept, LAB_RECORD_PICTURES=1 keeps it"]
    recorded = reduce_png(page, file.read_bytes(), 1)
    return [f"{file.name}: {difference}" for difference in differences(recorded, now)]


@pytest.mark.thorough
@pytest.mark.parametrize("name", ALL_PAGES)
def test_a_page_looks_as_recorded(still: Page, name: str) -> None:
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
            path = Path(folder) / f"{name}-{width}-{scheme}.png"
            still.screenshot(path=path, full_page=True)
        differences += compare(still, RECORDED / f"{name}-{width}-{scheme}.png", slug)
    assert differences == []


SUBTLE = "a verdict of another colour"
"""The only break that moves nothing; `make test` checks it, and `make nightly` checks all."""

BREAKS = {
    "arms one under the other": ".arms { display: block !important }",
    "counts that are gone": ".count { visibility: hidden !important }",
    SUBTLE: ".verdict-broken { background: #0a6a4c !important }",
    "a plot that is empty": "svg.plot > * { display: none !important }",
    "no styles for buttons": ".button { all: unset !important }",
}


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name == SUBTLE else pytest.mark.thorough) for name in BREAKS],
)
def test_a_page_that_looks_broken_is_found(page: Page, live_server: LiveServer, name: str) -> None:
    experiment = make.experiment(State.DONE, "broken", "holds")
    page.goto(experiment.get_absolute_url())
    wait_until_drawn(page, "done")
    before = take_picture(page, experiment.slug)
    assert differences(before, take_picture(page, experiment.slug)) == []
    page.evaluate("rule => document.styleSheets[0].insertRule(rule)", BREAKS[name])
    assert differences(before, take_picture(page, experiment.slug)) != []


def test_an_additional_line_of_text_is_no_difference() -> None:
    rows = tuple(tuple((at * 3 % 250, row * 5 % 250, 90) for at in range(40)) for row in range(60))
    moved = rows[:20] + ((rows[0],) * 2) + rows[20:]
    assert len(differences(Picture(rows, b""), Picture(moved, b""))) <= 1
    assert differences(Picture(rows, b""), Picture(rows[:20] + rows[40:], b""))
