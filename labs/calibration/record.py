"""The record of exploring: a line of JSON a run, in a file that is part of the release.

Nothing of a prediction is in it: today's model is asked of every run that is read back.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from labs.engine.base import json_lines
from labs.engine.run.result import JUDGED


class RecordError(ValueError):
    """A line of a record is invalid; the message names the file and the line."""


@dataclass(frozen=True, slots=True)
class Explored:
    """One run: its number in a seed, its pipeline as it ran, and the anomalies that were seen.

    `step` is `drawn`, `line` for the same on another line of brokers, or `shrunk`. `clients` says
    who played them, `code` is the fingerprint of what the run depends on. `ledger` is kept of what
    was called impossible when it was run, else empty. `seconds` is how long it took from the
    boot of its brokers to the verdict; 0 where that is unknown.
    """

    seed: int
    number: int
    step: str
    date: str
    event: str
    scenario: str
    schedule: int
    durations: dict[str, float]
    clients: str
    pipeline: dict[str, Any]
    versions: dict[str, Any]
    verdict: str
    reason: str
    seen: list[str]
    notes: list[str] = field(default_factory=list)
    ledger: str = ""
    code: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def judged(self) -> bool:
        """Whether it says anything."""
        return self.verdict in JUDGED


class Record:
    """The runs in a file, and those that are added. A last line that was cut short is ignored."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.runs = json_lines.read(file, partial(_line, file))

    def add(self, run: Explored) -> None:
        """Keeps a run; it is in the file when this returns."""
        self.runs.append(run)
        json_lines.append(self._file, run)

    @property
    def hours(self) -> float:
        """For how long the brokers of all its runs were up, judged or not."""
        return sum(run.seconds for run in self.runs) / 3600

    def has(self, seed: int, number: int, step: str) -> bool:
        """Whether that was run."""
        return any((run.seed, run.number, run.step) == (seed, number, step) for run in self.runs)


def _line(file: Path, number: int, text: str) -> Explored:
    try:
        return Explored(**json.loads(text))
    except (ValueError, TypeError) as wrong:
        raise RecordError(f"{file}, line {number} is no run of exploring: {wrong}") from wrong
