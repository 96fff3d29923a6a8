"""The record of explorations: one line of JSON per run, in a file that is part of the release.

It has no predictions: each run that is read is compared with the current model.
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
    """One run: its number in a seed, the pipeline that ran, and the anomalies that were seen.

    `step` is `drawn`, `line` for the same pipeline on another line of brokers, or `shrunk`.
    `clients` is the client library that ran, `code` the fingerprint of the code. `ledger` is the
    path of the ledger if the run showed an anomaly that was predicted to be impossible, else empty.
    `seconds` is the time from the boot of the brokers to the verdict; 0 if it is unknown.
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
        """Whether the run has a verdict other than `unknown`."""
        return self.verdict in JUDGED


class Record:
    """The runs in a file, and those that are added. An incomplete last line is ignored."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.runs = json_lines.read(file, partial(_line, file))

    def add(self, run: Explored) -> None:
        """Appends a run, which is in the file when this returns."""
        self.runs.append(run)
        json_lines.append(self._file, run)

    @property
    def hours(self) -> float:
        """The total hours that the brokers of all runs were up, whether judged or not."""
        return sum(run.seconds for run in self.runs) / 3600

    def has(self, seed: int, number: int, step: str) -> bool:
        """Whether this run is in the record."""
        return any((run.seed, run.number, run.step) == (seed, number, step) for run in self.runs)


def _line(file: Path, number: int, text: str) -> Explored:
    try:
        return Explored(**json.loads(text))
    except (ValueError, TypeError) as error:
        raise RecordError(
            f"{file}, line {number} is not a run of an exploration: {error}"
        ) from error
