"""One whole house (web, worker, Redis) for the browser tests that run real experiments."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, TimeoutError, expect

from tests.stack.house import house

VERDICT_LIMIT_MS = 420_000
"""A run takes under a minute. Clusters of all houses of a machine stand in one line for its places
(`labs.engine.base.slots`), so beside other tests it may take many times as long."""


def expect_grade(page: Page, expected: str) -> None:
    """Waits for the end of the run that is on the page, and expects these words in its grade.

    Fails with what the page says: the place in line, the phase, or why there is no verdict.
    """
    page.locator("#live[hx-get]").wait_for()  # what an earlier run said is gone
    ended = page.locator("#graded .notice, #graded.notice, #live form:has-text('no result')").first
    try:
        ended.wait_for(timeout=VERDICT_LIMIT_MS)
    except TimeoutError:
        pytest.fail(f"the run has not ended: {page.locator('#live').inner_text()}")
    expect(page.locator("#graded"), page.locator("#live").inner_text()).to_contain_text(expected)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a house that was started by `manage.py up` for the tests of a file."""
    with house(tmp_path_factory.mktemp("whole") / "data") as up:
        up.wait_until_ready()
        yield f"http://127.0.0.1:{up.port}"
