"""The page of one scenario over release lines: its sources, and that it adds nothing to them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from labs.calibration.record import Record
from labs.evidence import over_lines
from labs.evidence.over_lines import RowError, rows
from tests.house.files import ROOT

SHIPPED = ROOT / "labs" / "calibration" / "record" / "explore.jsonl"
REQUEST = {"scenario": "leader-disk-lost", "settings": ["producer.acks=1"], "conditions": [],
         "client": "java", "client_version": "brokers", "want": "at-least-once",
         "arms": ["described"], "seed": 7}  # fmt: skip
NOT_RUN = {"permitted": [], "refuted": [], "seen": {}, "release": "", "date": "", "code": {},
           "why_not": "", "verdicts": {}, "zookeeper": False}  # fmt: skip
RUN = {**NOT_RUN, "release": "3.9.2", "date": "2026-11-24", "code": {"scenario": "0123456789ab"}}
ROWS = [
    {**RUN, "kafka": "3.9", "verdicts": {"described": "broken"}, "zookeeper": True,
     "seen": {"lost_write": 7}},
    {**NOT_RUN, "kafka": "4.0", "why_not": "it cannot be staged"},
    {**RUN, "kafka": "4.3", "verdicts": {"described": "holds"}, "release": "4.3.1"},
]  # fmt: skip
CHANGE = {
    "before": "3.9",
    "after": "4.3",
    "rules": ["lost_write only on 3.9 (KIP-966, KIP-101)"],
    "defaults": ["producer.acks from 1 to all"],
    "bugs": ["KAFKA-18991: <x>"],
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder of kept rows. Rows that an earlier test has cached are cleared."""
    monkeypatch.setattr(over_lines, "FOLDER", tmp_path)
    rows.cache_clear()
    yield tmp_path
    rows.cache_clear()


def printed(**changed: Any) -> str:
    return json.dumps({**REQUEST, "rows": ROWS, "changes": [CHANGE], **changed})


def test_the_output_of_the_command_becomes_one_row_of_all_its_lines(folder: Path) -> None:
    (folder / "disk.json").write_text(printed())
    row, *pairs = rows(SHIPPED)
    assert [(cell.line, cell.verdict) for cell in row.cells] == [
        ("3.9", "broken"), ("4.0", ""), ("4.3", "holds"),
    ]  # fmt: skip
    assert row.is_changed
    assert all(len(pair.cells) == 2 for pair in pairs)


def test_runs_of_exploring_are_paired_with_the_same_settings_on_another_line(folder: Path) -> None:
    line_runs = [run for run in Record(SHIPPED).runs if run.step == "line"]
    pairs = rows(SHIPPED)
    assert 0 < len(pairs) <= len(line_runs)
    for row in pairs:
        first, second = row.cells
        assert first.line != second.line
        assert row.is_changed == (first.verdict != second.verdict)


@pytest.mark.parametrize("text", ["{", "[]", printed(scenario="kettle"), printed(rows=[{}])])
def test_an_invalid_file_is_refused_by_name(folder: Path, text: str) -> None:
    (folder / "odd.json").write_text(text)
    with pytest.raises(RowError, match=r"odd\.json: not what"):
        rows(SHIPPED)


@pytest.mark.django_db
def test_the_page_shows_each_verdict_and_why_a_line_was_not_run(
    folder: Path, client: Client
) -> None:
    (folder / "disk.json").write_text(printed())
    page = client.get(reverse("labs:lines")).content.decode()
    assert "not run: it cannot be staged" in page
    assert "3.9.2 with ZooKeeper" in page
    assert "4.3.1 with ZooKeeper" not in page
    assert "Between 3.9 and 4.3 the verdict changes." in page
    assert "producer.acks=1" in page
    assert "client of the same line" in page
    summary = page.partition("<summary>")[2].partition("</summary>")[0]
    assert "<code>producer.acks=1</code>" in summary, "two rows of one scenario differ in it"
    assert "client of the same line" not in summary
    assert "3.9: Kafka 3.9.2, 2026-11-24, code 012345" in page
    assert reverse("labs:lines") in client.get(reverse("labs:evidence")).content.decode()


@pytest.mark.django_db
def test_the_page_says_why_a_verdict_changed_and_links_the_proposal_and_the_bug(
    folder: Path, client: Client
) -> None:
    (folder / "disk.json").write_text(printed())
    page = client.get(reverse("labs:lines")).content.decode()
    known = reverse("advisories:page", args=["kip-966"])
    assert f'(<a href="{known}">KIP-966</a>, ' in page
    assert 'queryString=KIP-101">KIP-101</a>)' in page
    assert "Another default: producer.acks from 1 to all" in page
    bug = reverse("advisories:page", args=["kafka-18991"])
    assert f'Fixed in between: <a href="{bug}">KAFKA-18991</a>: &lt;x&gt;' in page


@pytest.mark.django_db
def test_the_page_states_that_there_is_no_run(
    folder: Path, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(over_lines, "rows", lambda _: ())
    assert (
        "No run has been repeated on another release line"
        in client.get(reverse("labs:lines")).content.decode()
    )


@pytest.mark.django_db
def test_kept_rows_precede_pairs_from_exploring(client: Client, settings: Any) -> None:
    settings.LAB_RECORD = SHIPPED
    page = client.get(reverse("labs:lines")).content.decode()
    kept_rows, folded = page.split('id="pairs"')
    drawn = [row for row in rows(SHIPPED) if row.is_drawn]
    assert drawn
    assert kept_rows.count('<h3 id="row-') == len(rows(SHIPPED)) - len(drawn)
    assert folded.count('<h3 id="row-') == len(drawn)
    assert f"<summary>{len(drawn)} such pairs</summary>" in folded
