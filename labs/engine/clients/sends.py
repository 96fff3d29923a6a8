"""The `sends` table of one producer, held as columns of numbers and written while it runs.

Each message costs a few appends to arrays. Arrow does everything else, once a second for all new
messages (`benchmarks.ledger` measures the remaining speed of the client).
"""

from __future__ import annotations

import time
from array import array
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from labs.engine.clients.errors import CUT_OFF, UNREPORTED, Outcome
from labs.engine.record.ledger import TableWriter

_OUTCOMES: tuple[Outcome, ...] = ("ok", "fail", "info", "info")
_CODES: Mapping[Outcome, int] = {"ok": 0, "fail": 1, "info": 2}
_CUT_OFF = 3
"""The second `info`: the end of the run ended the attempt, not the client or the application."""
_NONE = -1
NEVER_INVOKED = -1
"""The invocation time of an attempt for which the client was never called."""
_TYPES = {"q": pa.int64(), "i": pa.int32()}


class _Results:
    """The results since the last part was written, in their order of arrival."""

    def __init__(self) -> None:
        self.attempt = array("q")
        self.completed = array("q")
        self.outcome = array("i")
        self.partition = array("i")
        self.offset = array("q")
        self.error = array("i")


class Sends:
    """One row per send attempt; attempts are numbered from 0.

    If it is `keyed`, the key of a value is the value itself, or the value modulo `keys` if `keys`
    is not 0.
    """

    def __init__(
        self, ledger: Path, part: str, producer: str, topic: str, keyed: bool, keys: int = 0
    ) -> None:  # fmt: skip
        self._writer = TableWriter(ledger, "sends", part)
        self._producer, self._topic, self._keyed, self._keys = producer, topic, keyed, keys
        self._value = array("q")
        self._invoked = array("q")
        self._completed = bytearray()
        self._results = _Results()
        self._transaction_number = array("i")
        self._transactions: list[str | None] = [None]
        self._errors: list[str] = []
        self.count: dict[Outcome, int] = dict.fromkeys(_OUTCOMES, 0)

    def __len__(self) -> int:
        return len(self._value)

    @property
    def totals(self) -> dict[str, int]:
        """The numbers of attempts, acknowledgements and failures, as a client reports them."""
        count = self.count
        return {
            "sent": len(self._value), "acknowledged": count["ok"],
            "failed": count["fail"] + count["info"],
        }  # fmt: skip

    @property
    def open(self) -> int:
        """The number of attempts without an outcome."""
        return len(self._value) - sum(self.count.values())

    def enter_transaction(self, transaction: str) -> None:
        """Makes later attempts part of this transaction."""
        self._transactions.append(transaction)

    def invoke(self, value: int, time_ns: int | None = None) -> int:
        """Opens a row, just before the client is called; returns the attempt's number.

        `time_ns` is the time of the call, by default now; a negative time is null in the ledger.
        """
        self._value.append(value)
        self._completed.append(0)
        self._invoked.append(time.monotonic_ns() if time_ns is None else time_ns)
        self._transaction_number.append(len(self._transactions) - 1)
        return len(self._value) - 1

    def complete(
        self, attempt: int, outcome: Outcome, partition: int | None = None,
        offset: int | None = None, error: str | None = None, time_ns: int | None = None,
    ) -> None:  # fmt: skip
        """Closes a row. A negative or missing partition or offset is null in the ledger.

        `time_ns` is the time of the result, by default now.
        """
        code = _CODES[outcome]
        self._complete(attempt, code, partition, offset, error, time_ns)

    def cut_off(self, attempt: int) -> None:
        """Closes a row that was open when the run ended: its outcome is `info`, not given up.

        It has a completion time only if the client was never called for it.
        """
        time_ns = None if self._invoked[attempt] < 0 else _NONE
        self._complete(attempt, _CUT_OFF, None, None, CUT_OFF, time_ns)

    def _complete(
        self, attempt: int, code: int, partition: int | None, offset: int | None,
        error: str | None, time_ns: int | None,
    ) -> None:  # fmt: skip
        results = self._results
        results.completed.append(time.monotonic_ns() if time_ns is None else time_ns)
        results.attempt.append(attempt)
        results.outcome.append(code)
        results.partition.append(_NONE if partition is None else partition)
        results.offset.append(_NONE if offset is None else offset)
        results.error.append(_NONE if error is None else self._error_number(error))
        self._completed[attempt] = 1
        self.count[_OUTCOMES[code]] += 1

    def flush(self) -> None:
        """Writes the rows that were completed since the last flush as one part."""
        if self._results.attempt:
            results, self._results = self._results, _Results()
            self._write(results)

    def unanswered(self) -> list[int]:
        """Returns the values of the attempts without an outcome."""
        return [self._value[attempt] for attempt in self._open_attempts()]

    def close(self, run_over: bool = False) -> None:
        """Writes everything; open attempts become `info`, without a completion time.

        If the run is over, its end cut them off. Otherwise the client or the application ended
        earlier: the process was killed or stopped at an error.
        """
        for attempt in self._open_attempts():
            if run_over:
                self.cut_off(attempt)
            else:
                self.complete(attempt, "info", error=UNREPORTED, time_ns=_NONE)
        self.flush()
        self._writer.close()

    def _open_attempts(self) -> list[int]:
        return [attempt for attempt, completed in enumerate(self._completed) if not completed]

    def _key(self, value: pa.Array[Any]) -> pa.Array[Any]:
        # Arrow has no modulo: value - value // keys * keys.
        multiple = pc.multiply(pc.divide(value, self._keys), self._keys) if self._keys else 0
        key: pa.Array[Any] = pc.subtract(value, multiple).cast(pa.string())
        return key

    def _error_number(self, error: str) -> int:
        # A run has few distinct errors: a linear search is as good as an index.
        if error not in self._errors:
            self._errors.append(error)
        return self._errors.index(error)

    def _write(self, results: _Results) -> None:
        first, last = min(results.attempt), max(results.attempt) + 1
        rows = pc.subtract(_column(results.attempt), pa.scalar(first))
        value = _column(self._value[first:last]).take(rows)
        count = len(results.attempt)
        self._writer.flush(
            {
                "producer": pa.repeat(self._producer, count),
                "value": value,
                "topic": pa.repeat(self._topic, count),
                "key": self._key(value) if self._keyed else pa.nulls(count, pa.string()),
                "transaction": pa.array(self._transactions, pa.string()).take(
                    _column(self._transaction_number[first:last]).take(rows)
                ),
                "partition": _nullable(results.partition),
                "invoked_ns": _nullable(self._invoked[first:last]).take(rows),
                "completed_ns": _nullable(results.completed),
                "outcome": pa.array(_OUTCOMES).take(_column(results.outcome)),
                "offset": _nullable(results.offset),
                "error": pa.array(self._errors, pa.string()).take(_nullable(results.error)),
                "cut_off": pc.equal(_column(results.outcome), pa.scalar(_CUT_OFF, pa.int32())),
            }
        )


def _column(numbers: array[int]) -> pa.Array[Any]:
    """Returns an array of numbers as an Arrow column, copied as bytes."""
    buffers = [None, pa.py_buffer(numbers.tobytes())]
    return pa.Array.from_buffers(_TYPES[numbers.typecode], len(numbers), buffers)


def _nullable(numbers: array[int]) -> pa.Array[Any]:
    """Returns the same column with null for negative numbers."""
    column = _column(numbers)
    null = pa.scalar(None, column.type)
    array: pa.Array[Any] = pc.if_else(pc.less(column, pa.scalar(0, column.type)), null, column)
    return array
