"""Results of each scenario when it was staged, from the record that ships with the release.

Each scenario was run with settings that permit its anomaly and with settings that prevent it, under
many seeds: `python -m benchmarks.scenarios` writes the record.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from labs.calibration.bound import bound_in_words
from labs.calibration.fingerprint import fingerprint, short_form
from labs.engine.scenarios import all_scenarios
from labs.engine.scenarios.model import Scenario

_OUTAGE = "_ms"
_UNDATED = "before 2026-11-23"
"""Older rows have no date."""


@dataclass(frozen=True, slots=True)
class StagedRun:
    """One arm that was judged: its release, date and code, and whether it showed the anomaly.

    `anomaly` is the name of a count; `permitted` is whether the settings of the arm permit it.
    """

    scenario: str
    anomaly: str
    permitted: bool
    shown: bool
    seed: int
    kafka: str
    date: str
    code: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Batch:
    """The runs of one day, on one release of the brokers, with one version of the code."""

    kafka: str
    date: str
    code: str
    older: bool
    runs: int


@dataclass(frozen=True, slots=True)
class Arm:
    """All runs with settings that permit the anomaly, or with settings that prevent it."""

    runs: tuple[StagedRun, ...]

    @property
    def shown(self) -> int:
        """The number of runs that showed the anomaly."""
        return sum(run.shown for run in self.runs)

    @property
    def bound(self) -> str:
        """The upper bound of its frequency, if no run showed it; else empty."""
        return "" if self.shown else bound_in_words(len(self.runs))


@dataclass(frozen=True, slots=True)
class Staged:
    """The results for one anomaly of a scenario."""

    scenario: Scenario
    anomaly: str
    permitting: Arm
    preventing: Arm

    @property
    def harm(self) -> str:
        """The name of the anomaly; the count of an outage has the suffix `_ms`."""
        return self.anomaly.removesuffix(_OUTAGE)

    @property
    def runs(self) -> int:
        return len(self.permitting.runs) + len(self.preventing.runs)

    @property
    def batches(self) -> Sequence[Batch]:
        """The runs by day, brokers and code, newest first."""
        counted: dict[tuple[str, str, str, bool], int] = defaultdict(int)
        now = fingerprint(self.scenario.name)
        for run in (*self.permitting.runs, *self.preventing.runs):
            counted[run.date, run.kafka, short_form(run.code), run.code != now] += 1
        return [
            Batch(kafka, date or _UNDATED, code, older, runs)
            for (date, kafka, code, older), runs in sorted(counted.items(), reverse=True)
        ]

    @property
    def older(self) -> bool:
        """Whether no run was of the current code."""
        return all(batch.older for batch in self.batches)


def staged(record: Path) -> list[Staged]:
    """The results of each scenario in the record, in the order of the scenarios.

    Empty if the file does not exist.
    """
    if not record.exists():
        return []
    result = defaultdict(list)
    for run in _runs(record.read_text("utf-8").splitlines()):
        result[run.scenario, run.anomaly].append(run)
    names = {scenario.name: scenario for scenario in all_scenarios()}
    return [
        Staged(names[name], anomaly, _arm(runs, permitted=True), _arm(runs, permitted=False))
        for (name, anomaly), runs in sorted(
            result.items(), key=lambda row: [*names].index(row[0][0])
        )
    ]


def _runs(lines: Iterable[str]) -> Iterator[StagedRun]:
    names = {scenario.name for scenario in all_scenarios()}
    for line in lines:
        try:
            row = json.loads(line)
        except ValueError:  # a run is being added
            continue
        if row["verdict"] == "unknown" or row["scenario"] not in names:
            continue
        run = _run(row)
        if run.permitted or run.shown != row["right"]:
            yield run  # not those whose good settings cannot prevent the anomaly on their brokers


def _run(row: Mapping[str, object]) -> StagedRun:
    permitted, anomaly = row["arm"] == "bad", str(row["anomaly"])
    # The case decides from which length on an outage counts as shown.
    is_counted = not anomaly.endswith(_OUTAGE) and not permitted
    shown = bool(row["count"]) if is_counted else bool(row["right"]) is permitted
    code = row.get("code") or {}
    brokers = f"{row['kafka']} with ZooKeeper" if row.get("zookeeper") else str(row["kafka"])
    return StagedRun(
        str(row["scenario"]), anomaly, permitted, shown, int(str(row["seed"])), brokers,
        str(row.get("date", "")), code if isinstance(code, dict) else {},
    )  # fmt: skip


def _arm(runs: Iterable[StagedRun], *, permitted: bool) -> Arm:
    return Arm(tuple(run for run in runs if run.permitted is permitted))
