"""The limits of each page: bytes of script, unfolded words, and width on the narrowest phones.

`python -m pytest tests/browser/test_budgets.py -s` prints the measurements, one line per page. If
LAB_SCREENSHOTS names a folder, pictures of each page are saved there, narrow and wide, light and
dark.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from playwright.sync_api import Browser, Page

from labs.lessons import all_lessons
from tests.addresses import addresses
from tests.browser.conftest import clipped_controls, overflowing
from tests.labs import watched

pytestmark = pytest.mark.django_db(transaction=True)

MOST_SCRIPT_BYTES = 200_000
MOST_WORDS = 1_200
NARROW = (320, 360)
FOR_PRINT = {"advisor:report"}
"""Pages for print, whose words have no limit."""

WORDS = """() => {
  const folded = "details:not([open]) > :not(summary), [hidden], .visually-hidden, .paper-only"
  const copy = (document.querySelector("main") ?? document.body).cloneNode(true)
  copy.querySelectorAll(`${folded}, script, style, svg`).forEach(each => each.remove())
  return copy.textContent.split(/\\s+/).filter(Boolean).length
}"""

UNFOLDED = "document.querySelectorAll('details').forEach(each => each.open = true)"

SCRIPT = """() => performance.getEntriesByType("resource")
  .filter(each => each.name.split("?")[0].endsWith(".js"))
  .reduce((sum, each) => sum + each.decodedBodySize, 0)"""


def pages(client: Client) -> Iterator[tuple[str, str]]:
    """The name and address of every page that answers; of the lessons only the first."""
    first = all_lessons()[0].name
    yield "labs:running", watched.experiment(4.0).get_absolute_url()
    for name, address in addresses():
        if "/learn/" in address and first not in address and name != "labs:lessons":
            continue
        answer = client.get(address)
        if answer.status_code >= 500:
            yield name, address  # it is measured, and its error fails the test
        kind = answer.get("Content-Type", "")
        answer.close()
        if answer.status_code == 200 and kind.startswith("text/html") and "attachment" not in (
            answer.get("Content-Disposition", "")
        ):  # fmt: skip
            yield name, address


def measure(page: Page, address: str) -> tuple[int, int, list[str]]:
    """Returns the bytes of script, the unfolded words, and the elements that are too wide."""
    answer = page.goto(address)
    assert answer is not None
    page.wait_for_load_state("load")
    wide = [] if answer.ok else [f"answered {answer.status}"]
    for width in NARROW:
        page.set_viewport_size({"width": width, "height": 800})
        wide += [f"{width} px: {name}" for name in overflowing(page)]
        wide += [f"{width} px, cut off: {name}" for name in clipped_controls(page)]
    words = page.evaluate(WORDS)
    page.evaluate(UNFOLDED)
    page.set_viewport_size({"width": min(NARROW), "height": 800})
    wide += [
        f"{min(NARROW)} px, unfolded: {name}"
        for name in (*overflowing(page), *clipped_controls(page))
    ]
    return page.evaluate(SCRIPT), words, wide


def save_pictures(page: Page, name: str) -> None:
    """Saves four pictures of a page if LAB_SCREENSHOTS names a folder."""
    folder = os.environ.get("LAB_SCREENSHOTS")
    if not folder:
        return
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        for width in (360, 1280):
            page.set_viewport_size({"width": width, "height": 900})
            page.screenshot(path=Path(folder) / f"{name}-{width}-{scheme}.png", full_page=True)


@pytest.mark.timeout(900)
@pytest.mark.thorough
def test_every_page_stays_within_the_limits(
    browser: Browser, browser_context_args: dict[str, Any], client: Client
) -> None:
    client.raise_request_exception = False
    violations: list[str] = []
    for number, (name, address) in enumerate(list(pages(client))):
        # A new context, so that no script comes from the cache of another page.
        context = browser.new_context(**browser_context_args)
        page = context.new_page()
        script, words, wide = measure(page, address)
        print(f"{script:8,} bytes of script {words:6,} words  {name} {address}")  # noqa: T201
        violations += [f"{address}: {name}" for name in wide]
        if script > MOST_SCRIPT_BYTES:
            violations.append(f"{address}: {script:,} bytes of script")
        if words > MOST_WORDS and name not in FOR_PRINT:
            violations.append(f"{address}: {words:,} words above its folds")
        save_pictures(page, f"{number:03}-{re.sub(r'[^a-z-]+', '-', name)}")
        context.close()
    assert not violations, "\n".join(violations)
