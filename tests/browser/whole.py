"""A complete lab (web, worker, Redis) for the browser tests that run real experiments."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, TimeoutError, expect

from tests.stack.house import house

VERDICT_LIMIT_MS = 420_000
"""A run takes under a minute. But all clusters of a machine share its slots
(`labs.engine.base.slots`), so next to other tests it may take many times as long."""


def expect_grade(page: Page, expected: str) -> None:
    """Waits for the end of the run on the page, and expects this text in its grade.

    The failure message has the text of the page: the place in the queue, the phase, or the reason
    for a missing verdict.
    """
    page.locator("#live[hx-get]").wait_for()  # the result of an earlier run has been replaced
    ended = page.locator("#graded .notice, #graded.notice, #live form:has-text('no result')").first
    try:
        ended.wait_for(timeout=VERDICT_LIMIT_MS)
    except TimeoutError:
        pytest.fail(f"the run has not ended: {page.locator('#live').inner_text()}")
    expect(page.locator("#graded"), page.locator("#live").inner_text()).to_contain_text(expected)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a lab that `manage.py up` runs for the tests of one file."""
    with house(tmp_path_factory.mktemp("whole") / "data") as up:
        up.wait_until_ready()
        yield f"http://127.0.0.1:{up.port}"
