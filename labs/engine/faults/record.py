"""The record of what was done to brokers and clients, and whether it was seen to have happened."""

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

_STANDS, _GOES_ON = frozenset({"pause", "hold"}), frozenset({"resume", "fail", "spoil"})
"""Faults that stop a process (SIGSTOP), and those that continue it."""


@dataclass(frozen=True, slots=True)
class FaultRow:
    """A row of the ledger's table `faults`; `time_ns` is of `time.monotonic_ns`.

    `evidence` of a `complete` row says how we know; of a `failed` one, what was seen instead;
    of a `not_applicable` one, why these settings leave nothing to do.
    """

    fault: str
    target: str
    phase: Phase
    time_ns: int
    evidence: str


class FaultLog:
    """Collects fault rows of one arm, in order, from any thread; `on_row` hears of each at once."""

    def __init__(self, on_row: Callable[[FaultRow], None] | None = None) -> None:
        self.rows: list[FaultRow] = []
        self._on_row = on_row
        self._lock = Lock()
        self._written = 0

    def record(self, fault: Fault, target: str, phase: Phase, evidence: str = "") -> FaultRow:
        """Adds a row with the time of now; of long evidence it keeps a sentence."""
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
        """Calls `act` and records it: what it returns is the evidence, `trouble` a failure."""
        self.record(fault, target, "invoke")
        try:
            return self.record(fault, target, "complete", act())
        except trouble as problem:
            return self.record(fault, target, "failed", str(problem))

    def not_applicable(self, fault: Fault, target: str, why: str) -> FaultRow:
        """Records a fault that these settings leave nothing to do for."""
        self.record(fault, target, "invoke")
        return self.record(fault, target, "not_applicable", why)

    def paused(self, name: str) -> bool:
        """Whether a process (`broker 2`, `consumer-1` or its executor) was stopped by this run."""
        stops = [row for row in self.rows if row.fault in _STANDS | _GOES_ON]
        last = next((row for row in reversed(stops) if row.target.endswith(f" {name}")), None)
        return last is not None and not (last.fault in _GOES_ON and last.phase == "complete")

    @property
    def proved(self) -> bool:
        """Whether every fault (heals aside) that was invoked was seen to have happened."""
        faults = [row for row in self.rows if row.fault not in HEALS]
        completed = sum(row.phase == "complete" for row in faults)
        return completed > 0 and completed == sum(row.phase == "invoke" for row in faults)

    def write(self, ledger: Path) -> None:
        """Writes the rows that it has not written before as a part of the ledger's table."""
        done, rows = self._written, self.rows[self._written :]
        if rows or not done:
            part = f"faults-{done}" if done else "faults"
            TableWriter(ledger, "faults", part).flush_rows([asdict(row) for row in rows])
        self._written += len(rows)
