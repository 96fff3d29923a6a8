"""The table of scenarios by line of brokers, from their record."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from labs.calibration.lines import Cell, table
from labs.engine.scenarios import all_scenarios, find


def test_judged_runs_are_counted_by_line(tmp_path: Path) -> None:
    row = {"scenario": "leader-killed", "kafka": "3.6.2", "verdict": "holds", "right": True}
    rows = [row, row | {"right": False}, row | {"verdict": "unknown"}, row | {"kafka": "4.3.1"}]
    file = tmp_path / "lines.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    results = table(file)
    assert results["leader-killed"]["3.6"] == Cell(2, 1)
    assert results["leader-killed"]["4.3"] == Cell(1, 1)
    assert results["leader-killed"]["3.3"] == Cell()
    assert str(results["leader-killed"]["3.3"]) == "untried"


def test_runs_with_zookeeper_are_counted_separately(tmp_path: Path) -> None:
    row = {"scenario": "leader-killed", "kafka": "3.9.2", "verdict": "holds", "right": True}
    rows = [row, row | {"zookeeper": True, "right": False}, row | {"zookeeper": True}]
    file = tmp_path / "lines.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert table(file)["leader-killed"]["3.9"] == Cell(1, 1)
    with_zookeeper = table(file, zookeeper=True)
    assert with_zookeeper["leader-killed"]["3.9"] == Cell(2, 1)
    assert with_zookeeper["leader-killed"]["2.8"] == Cell()
    assert [*with_zookeeper["clocks-differ"]] == ["3.9", "3.8", "3.7", "3.6"]


def test_the_command_prints_the_table_of_brokers_with_zookeeper(
    capsys: pytest.CaptureFixture[str],
) -> None:
    call_command("scenarios", "--lines", "--zookeeper")
    head, *rows = capsys.readouterr().out.splitlines()
    assert head.split() == list(find("leader-killed").zookeeper_lines)
    assert any(row.startswith("producer-state-expired: from Kafka 3.4 on: before") for row in rows)
    with pytest.raises(CommandError, match="add --lines"):
        call_command("scenarios", "--zookeeper")


def test_the_command_prints_one_line_per_scenario(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("scenarios", "--lines")
    head, *rows = capsys.readouterr().out.splitlines()
    count = len(all_scenarios())
    assert head.split() == list(all_scenarios()[0].lines)
    assert [row.split()[0] for row in rows[:count]] == [
        scenario.name for scenario in all_scenarios()
    ]
    (refused,) = (row for row in rows if row.startswith("producer-state-expired "))
    assert refused.split()[-1] == "-"
    assert any("producer-state-expired: from Kafka 3.4 on: before" in row for row in rows[count:])
    call_command("scenarios", "--lines", "--json")
    data = json.loads(capsys.readouterr().out)
    assert data["leader-killed"]["4.3"]["runs"] >= 10
