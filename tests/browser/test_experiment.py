"""The main path through the site in a real Chromium, up to the downloaded ledger."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import accessibility_violations, overflowing
from tests.browser.whole import VERDICT_LIMIT_MS, lab

__all__ = ["lab"]

pytestmark = [pytest.mark.whole, pytest.mark.stack, pytest.mark.timeout(1500)]


STATED = {"topic.replication.factor": "3", "producer.acks": "1"}
"""Three copies, so that there are followers; everything else is the client's default."""


def describe(page: Page) -> None:
    """Goes through the questionnaire to its end."""
    while "/describe/" in page.url:
        for name, value in STATED.items():
            state(page, name, value)
        step = page.url
        page.locator('button[name="to"][value="next"]').click()
        expect(page).not_to_have_url(step)


def state(page: Page, name: str, value: str) -> None:
    """Fills in a field of any kind, if this step has it."""
    field = page.locator(f'[name="{name}"]')
    if not field.count():
        return
    if field.first.get_attribute("type") == "radio":
        page.locator(f'[name="{name}"][value="{value}"]').check()
    elif field.evaluate("each => each.tagName") == "SELECT":
        field.select_option(value)
    else:
        field.fill(value)


def test_from_the_questionnaire_to_the_ledger(page: Page, lab: str, tmp_path: Path) -> None:
    page.goto(f"{lab}/")
    page.get_by_role("link", name="Describe a pipeline").click()
    describe(page)
    page.get_by_role("button", name="Prove it on real brokers").click()

    expect(page.locator(".lede")).to_contain_text(re.compile("Waiting|Running"))
    expect(page.locator(".live-log")).to_have_count(6, timeout=VERDICT_LIMIT_MS)
    assert accessibility_violations(page) == []
    expect(page.locator(".live-lane.is-dead .live-sign").first).to_be_visible(
        timeout=VERDICT_LIMIT_MS
    )

    described, recommended = page.locator(".arm").nth(0), page.locator(".arm").nth(1)
    expect(described.locator(".verdict-broken")).to_be_visible(timeout=VERDICT_LIMIT_MS)
    expect(recommended.locator(".verdict-holds")).to_be_visible(timeout=VERDICT_LIMIT_MS)
    expect(page.get_by_role("button", name="Run again")).to_be_visible(timeout=VERDICT_LIMIT_MS)
    expect(page.get_by_role("status")).to_contain_text("acknowledged messages are gone")
    page.reload()
    expect(page.locator(".lede")).to_have_text(
        re.compile(r"As described: [1-9][\d,]* of [\d,]+ .*As recommended: 0 of [1-9][\d,]* ")
    )
    assert accessibility_violations(page) == []
    for width in (360, 1600):
        page.set_viewport_size({"width": width, "height": 900})
        assert overflowing(page) == []
    expect(page.locator("svg.plot[role=img]")).to_have_count(2)

    with page.expect_download() as download:
        page.get_by_role("link", name="Download the ledger of As described").click()
    lost = int(described.locator(".kind-lost dd").first.inner_text().split()[0].replace(",", ""))
    assert lost_in(download.value.path(), tmp_path) == lost

    page.goto(f"{lab}/")
    expect(page.get_by_role("heading", level=2, name="messages are gone")).to_be_visible()


def lost_in(archive: Path, folder: Path) -> int:
    """Counts the acknowledged values that the log lacks, from the downloaded files alone."""
    with zipfile.ZipFile(io.BytesIO(archive.read_bytes())) as zipped:
        zipped.extractall(folder)
    (ledger,) = folder.glob("ledger-*")
    sends = pq.read_table(ledger / "sends.parquet").to_pylist()
    log = pq.read_table(ledger / "log.parquet").to_pylist()
    stored = {row["value"] for row in log}
    return len({row["value"] for row in sends if row["outcome"] == "ok"} - stored)
