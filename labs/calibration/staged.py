"""What each scenario showed when it was staged, from the record that ships with the release.

Each was run with settings that permit its anomaly and with settings that prevent it, under many
seeds: `python -m benchmarks.scenarios` writes the record.
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
"""Rows had no date until then."""


@dataclass(frozen=True, slots=True)
class Shown:
    """One arm that was judged: what it was run on, when and by which code, and what it showed.

    `anomaly` is the name of a count; `permitted` says that its settings permit it.
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
    """Runs of one day, one release of the brokers and one state of the code."""

    kafka: str
    date: str
    code: str
    older: bool
    runs: int


@dataclass(frozen=True, slots=True)
class Arm:
    """All runs under settings of one kind."""

    runs: tuple[Shown, ...]

    @property
    def shown(self) -> int:
        """The runs that showed the anomaly."""
        return sum(run.shown for run in self.runs)

    @property
    def bound(self) -> str:
        """The bound from runs that never showed it; empty if one did."""
        return "" if self.shown else bound_in_words(len(self.runs))


@dataclass(frozen=True, slots=True)
class Staged:
    """One anomaly that a scenario is staged for."""

    scenario: Scenario
    anomaly: str
    permitting: Arm
    preventing: Arm

    @property
    def harm(self) -> str:
        """The anomaly by its name: of an outage the record has the milliseconds."""
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
        """Whether no run was of the code as it is now."""
        return all(batch.older for batch in self.batches)


def staged(record: Path) -> list[Staged]:
    """What the record says of each scenario, in the order of the scenarios.

    Nothing where there is no such file.
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


def _runs(lines: Iterable[str]) -> Iterator[Shown]:
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
            yield run  # left out is what even the good settings cannot prevent on its brokers


def _run(row: Mapping[str, object]) -> Shown:
    permitted, anomaly = row["arm"] == "bad", str(row["anomaly"])
    # Of an outage only its length tells whether it was one, and the case says from which on.
    plain = not anomaly.endswith(_OUTAGE) and not permitted
    shown = bool(row["count"]) if plain else bool(row["right"]) is permitted
    code = row.get("code") or {}
    brokers = f"{row['kafka']} with ZooKeeper" if row.get("zookeeper") else str(row["kafka"])
    return Shown(
        str(row["scenario"]), anomaly, permitted, shown, int(str(row["seed"])), brokers,
        str(row.get("date", "")), code if isinstance(code, dict) else {},
    )  # fmt: skip


def _arm(runs: Iterable[Shown], *, permitted: bool) -> Arm:
    return Arm(tuple(run for run in runs if run.permitted is permitted))
