"""The `sends` table of one producer, kept as columns of numbers and written while it runs."""

from __future__ import annotations

import time
from array import array
from collections.abc import Iterable
from pathlib import Path

from labs.engine.clients.errors import UNREPORTED, Outcome
from labs.engine.ledger import TableWriter

_OUTCOMES: tuple[Outcome, ...] = ("ok", "fail", "info")
_NONE = -1


class Sends:
    """One row for every attempt to send; an attempt is known by its number, 0 upwards."""

    def __init__(self, ledger: Path, part: str, producer: str, topic: str, keyed: bool) -> None:
        self._writer = TableWriter(ledger, "sends", part)
        self._producer, self._topic, self._keyed = producer, topic, keyed
        self._value = array("q")
        self._invoked = array("q")
        self._completed = array("q")
        self._partition = array("i")
        self._offset = array("q")
        self._outcome = array("b")
        self._error = array("i")
        self._in = array("i")
        self._transactions: list[str | None] = [None]
        self._errors: list[str] = []
        self._unwritten = array("q")
        self._open = 0
        self.count: dict[Outcome, int] = dict.fromkeys(_OUTCOMES, 0)

    def __len__(self) -> int:
        return len(self._value)

    @property
    def open(self) -> int:
        """Attempts of which nothing has been heard yet."""
        return self._open

    def enter(self, transaction: str) -> None:
        """What is invoked from now on belongs to this transaction."""
        self._transactions.append(transaction)

    def invoke(self, value: int) -> int:
        """Opens a row, just before the client is called; returns the attempt's number."""
        self._value.append(value)
        self._invoked.append(time.monotonic_ns())
        self._completed.append(_NONE)
        self._partition.append(_NONE)
        self._offset.append(_NONE)
        self._outcome.append(_NONE)
        self._error.append(_NONE)
        self._in.append(len(self._transactions) - 1)
        self._open += 1
        return len(self._value) - 1

    def complete(
        self, attempt: int, outcome: Outcome, partition: int | None = None,
        offset: int | None = None, error: str | None = None,
    ) -> None:  # fmt: skip
        """Closes a row. A negative or missing partition or offset is null in the ledger."""
        self._completed[attempt] = time.monotonic_ns()
        self._outcome[attempt] = _OUTCOMES.index(outcome)
        self._partition[attempt] = _NONE if partition is None else partition
        self._offset[attempt] = _NONE if offset is None else offset
        if error is not None:
            self._error[attempt] = self._number_of(error)
        self._unwritten.append(attempt)
        self._open -= 1
        self.count[outcome] += 1

    def flush(self) -> None:
        """Writes the rows completed since the last flush as one part."""
        if self._unwritten:
            self._write(self._unwritten)
            self._unwritten = array("q")

    def unanswered(self) -> list[int]:
        """The values of the attempts of which nothing has been heard yet."""
        return [self._value[attempt] for attempt in self._unheard()]

    def close(self) -> None:
        """Writes everything; attempts still open become `info`, with no completion time."""
        for attempt in self._unheard():
            self._outcome[attempt] = _OUTCOMES.index("info")
            self._error[attempt] = self._number_of(UNREPORTED.reason)
            self._unwritten.append(attempt)
            self.count["info"] += 1
        self._open = 0
        self.flush()
        self._writer.close()

    def _unheard(self) -> list[int]:
        return [n for n, outcome in enumerate(self._outcome) if outcome == _NONE]

    def _number_of(self, error: str) -> int:
        # A run knows a handful of errors: a search is as good as an index.
        if error not in self._errors:
            self._errors.append(error)
        return self._errors.index(error)

    def _write(self, attempts: Iterable[int]) -> None:
        rows = list(attempts)
        values = [self._value[n] for n in rows]
        errors = [self._error[n] for n in rows]
        self._writer.flush(
            {
                "producer": [self._producer] * len(rows),
                "value": values,
                "topic": [self._topic] * len(rows),
                "key": [str(value) if self._keyed else None for value in values],
                "transaction": [self._transactions[self._in[n]] for n in rows],
                "partition": _nullable(self._partition, rows),
                "invoked_ns": [self._invoked[n] for n in rows],
                "completed_ns": _nullable(self._completed, rows),
                "outcome": [_OUTCOMES[self._outcome[n]] for n in rows],
                "offset": _nullable(self._offset, rows),
                "error": [None if n == _NONE else self._errors[n] for n in errors],
            }
        )


def _nullable(column: array[int], rows: Iterable[int]) -> list[int | None]:
    return [None if column[n] < 0 else column[n] for n in rows]
