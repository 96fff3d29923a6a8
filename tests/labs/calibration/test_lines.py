"""The table of scenarios by line of brokers, from their record."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.core.management import call_command

from labs.calibration.lines import Cell, table
from labs.engine.scenarios import all_scenarios


def test_what_was_judged_is_counted_by_line(tmp_path: Path) -> None:
    row = {"scenario": "leader-killed", "kafka": "3.6.2", "verdict": "holds", "right": True}
    rows = [row, row | {"right": False}, row | {"verdict": "unknown"}, row | {"kafka": "4.3.1"}]
    file = tmp_path / "lines.jsonl"
    file.write_text("".join(json.dumps(each) + "\n" for each in rows))
    found = table(file)
    assert found["leader-killed"]["3.6"] == Cell(2, 1)
    assert found["leader-killed"]["4.3"] == Cell(1, 1)
    assert found["leader-killed"]["3.3"] == Cell()
    assert str(found["leader-killed"]["3.3"]) == "untried"


def test_the_command_prints_a_line_a_scenario(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("scenarios", "--lines")
    head, *rows = capsys.readouterr().out.splitlines()
    assert head.split() == list(all_scenarios()[0].lines)
    assert [row.split()[0] for row in rows] == [each.name for each in all_scenarios()]
    call_command("scenarios", "--lines", "--json")
    data = json.loads(capsys.readouterr().out)
    assert data["leader-killed"]["4.3"]["runs"] >= 10
