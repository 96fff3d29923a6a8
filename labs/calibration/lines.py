"""Runs of each scenario on each line of brokers, from the record of scenarios."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from advisor.catalog import kafka_line
from labs.engine.base.processes import ROOT
from labs.engine.scenarios import all_scenarios

RECORD = ROOT / "benchmarks" / "scenarios.jsonl"
"""Written by `python -m benchmarks.scenarios`."""


@dataclass(frozen=True, slots=True)
class Cell:
    """The arms of a scenario that were judged on a line, and how many were as expected."""

    runs: int = 0
    right: int = 0

    def __str__(self) -> str:
        return f"{self.right}/{self.runs}" if self.runs else "untried"


def table(file: Path = RECORD, *, zookeeper: bool = False) -> Mapping[str, Mapping[str, Cell]]:
    """Cells by scenario and line, newest line first, for the lines on which a scenario can run.

    The brokers are in KRaft mode or, with `zookeeper`, use ZooKeeper. Raises `FileNotFoundError` if
    the record does not exist.
    """
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    judged = [
        row for row in rows
        if row["verdict"] != "unknown" and row.get("zookeeper", False) is zookeeper
    ]  # fmt: skip
    return {
        scenario.name: dict(
            _cells(
                [row for row in judged if row["scenario"] == scenario.name],
                scenario.zookeeper_lines if zookeeper else scenario.lines,
            )
        )
        for scenario in all_scenarios()
    }


def _cells(rows: list[dict[str, object]], lines: Sequence[str]) -> Iterator[tuple[str, Cell]]:
    for line in lines:
        results = [bool(row["right"]) for row in rows if kafka_line(str(row["kafka"])) == line]
        yield line, Cell(len(results), sum(results))
