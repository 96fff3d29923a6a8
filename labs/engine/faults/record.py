"""The record of the faults of brokers and clients, with the evidence that they happened."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Lock
from typing import Literal

from labs.engine.base import failure_text
from labs.engine.record.fault_words import HEALS, Fault
from labs.engine.record.ledger import TableWriter

Phase = Literal["invoke", "complete", "failed", "not_applicable"]

_STOPPING, _CONTINUING = frozenset({"pause", "hold"}), frozenset({"resume", "fail", "spoil"})
"""Faults after which a process is stopped, and those after which it continues."""


@dataclass(frozen=True, slots=True)
class FaultRow:
    """A row of the ledger's table `faults`; `time_ns` is from `time.monotonic_ns`.

    `evidence` of a `complete` row is the proof. Of a `failed` row it is what happened instead, and
    of a `not_applicable` row the reason why there is nothing to do with these settings.
    """

    fault: str
    target: str
    phase: Phase
    time_ns: int
    evidence: str


class FaultLog:
    """Collects the fault rows of one arm, in order. Thread-safe. `on_row` receives each new row."""

    def __init__(self, on_row: Callable[[FaultRow], None] | None = None) -> None:
        self.rows: list[FaultRow] = []
        self._on_row = on_row
        self._lock = Lock()
        self._written = 0

    def record(self, fault: Fault, target: str, phase: Phase, evidence: str = "") -> FaultRow:
        """Adds a row with the current time; long evidence is shortened to a sentence."""
        text = failure_text.report(evidence)
        with self._lock:
            row = FaultRow(fault, target, phase, time.monotonic_ns(), text)
            self.rows.append(row)
        if self._on_row:
            self._on_row(row)
        return row

    def attempt(
        self, fault: Fault, target: str, act: Callable[[], str],
        trouble: tuple[type[Exception], ...],
    ) -> FaultRow:  # fmt: skip
        """Calls `act` and records it: its result is the evidence, and `trouble` is a failure."""
        self.record(fault, target, "invoke")
        try:
            return self.record(fault, target, "complete", act())
        except trouble as problem:
            return self.record(fault, target, "failed", str(problem))

    def not_applicable(self, fault: Fault, target: str, why: str) -> FaultRow:
        """Records a fault for which there is nothing to do with these settings."""
        self.record(fault, target, "invoke")
        return self.record(fault, target, "not_applicable", why)

    def paused(self, name: str) -> bool:
        """Whether this run has stopped a process (`broker 2`, `consumer-1` or its executor)."""
        stops = [row for row in self.rows if row.fault in _STOPPING | _CONTINUING]
        last = next((row for row in reversed(stops) if row.target.endswith(f" {name}")), None)
        return last is not None and not (last.fault in _CONTINUING and last.phase == "complete")

    @property
    def proved(self) -> bool:
        """Whether there are faults (heals aside), and each one that was invoked has proof."""
        faults = [row for row in self.rows if row.fault not in HEALS]
        completed = sum(row.phase == "complete" for row in faults)
        return completed > 0 and completed == sum(row.phase == "invoke" for row in faults)

    def write(self, ledger: Path) -> None:
        """Writes the new rows as a part of the ledger's table."""
        done, rows = self._written, self.rows[self._written :]
        if rows or not done:
            part = f"faults-{done}" if done else "faults"
            TableWriter(ledger, "faults", part).flush_rows([asdict(row) for row in rows])
        self._written += len(rows)
