"""The `sends` table of one producer, kept as columns of numbers and written while it runs.

A message costs a handful of appends to arrays; everything else is done for a second's worth of
them at once, by Arrow (`benchmarks.ledger` measures what is left of the client's speed).
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
"""The second `info`: the end of the run ended the attempt, not the client nor the application."""
_NONE = -1
NEVER_INVOKED = -1
"""The time of an attempt for which the client was never called."""
_TYPES = {"q": pa.int64(), "i": pa.int32()}


class _Answers:
    """The answers since the last part was written, in their order of arrival."""

    def __init__(self) -> None:
        self.attempt = array("q")
        self.completed = array("q")
        self.outcome = array("i")
        self.partition = array("i")
        self.offset = array("q")
        self.error = array("i")


class Sends:
    """One row for every attempt to send; an attempt is known by its number, 0 upwards.

    Where it is `keyed`, a value is its own key, or of `keys` the one with the number that is left
    of it after division by them.
    """

    def __init__(
        self, ledger: Path, part: str, producer: str, topic: str, keyed: bool, keys: int = 0
    ) -> None:  # fmt: skip
        self._writer = TableWriter(ledger, "sends", part)
        self._producer, self._topic, self._keyed, self._keys = producer, topic, keyed, keys
        self._value = array("q")
        self._invoked = array("q")
        self._answered = bytearray()
        self._answers = _Answers()
        self._in = array("i")
        self._transactions: list[str | None] = [None]
        self._errors: list[str] = []
        self.count: dict[Outcome, int] = dict.fromkeys(_OUTCOMES, 0)

    def __len__(self) -> int:
        return len(self._value)

    @property
    def totals(self) -> dict[str, int]:
        """How many attempts were made, acknowledged and given up, as a client reports it."""
        count = self.count
        return {
            "sent": len(self._value), "acknowledged": count["ok"],
            "failed": count["fail"] + count["info"],
        }  # fmt: skip

    @property
    def open(self) -> int:
        """The attempts that have no outcome yet."""
        return len(self._value) - sum(self.count.values())

    def enter(self, transaction: str) -> None:
        """Later attempts belong to this transaction."""
        self._transactions.append(transaction)

    def invoke(self, value: int, time_ns: int | None = None) -> int:
        """Opens a row, just before the client is called; returns the attempt's number.

        `time_ns` is when that was, if it is not now; a negative one is null in the ledger.
        """
        self._value.append(value)
        self._answered.append(0)
        self._invoked.append(time.monotonic_ns() if time_ns is None else time_ns)
        self._in.append(len(self._transactions) - 1)
        return len(self._value) - 1

    def complete(
        self, attempt: int, outcome: Outcome, partition: int | None = None,
        offset: int | None = None, error: str | None = None, time_ns: int | None = None,
    ) -> None:  # fmt: skip
        """Closes a row. A negative or missing partition or offset is null in the ledger."""
        code = _CODES[outcome]
        self._complete(attempt, code, partition, offset, error, time_ns)

    def cut_off(self, attempt: int) -> None:
        """Closes a row that was open when the run ended: its outcome is `info`, not given up.

        It has no completion time, unless it has no other: the client was never called for it.
        """
        time_ns = None if self._invoked[attempt] < 0 else _NONE
        self._complete(attempt, _CUT_OFF, None, None, CUT_OFF, time_ns)

    def _complete(
        self, attempt: int, code: int, partition: int | None, offset: int | None,
        error: str | None, time_ns: int | None,
    ) -> None:  # fmt: skip
        answers = self._answers
        answers.completed.append(time.monotonic_ns() if time_ns is None else time_ns)
        answers.attempt.append(attempt)
        answers.outcome.append(code)
        answers.partition.append(_NONE if partition is None else partition)
        answers.offset.append(_NONE if offset is None else offset)
        answers.error.append(_NONE if error is None else self._number_of(error))
        self._answered[attempt] = 1
        self.count[_OUTCOMES[code]] += 1

    def flush(self) -> None:
        """Writes the rows completed since the last flush as one part."""
        if self._answers.attempt:
            answers, self._answers = self._answers, _Answers()
            self._write(answers)

    def unanswered(self) -> list[int]:
        """The values of the attempts that have no outcome yet."""
        return [self._value[attempt] for attempt in self._unheard()]

    def close(self, run_over: bool = False) -> None:
        """Writes everything; attempts still open become `info`, with no completion time.

        Where the run is over, they are cut off by its end. Else the client or the application
        ended before them: a process that was killed, or one that stopped at an error.
        """
        for attempt in self._unheard():
            if run_over:
                self.cut_off(attempt)
            else:
                self.complete(attempt, "info", error=UNREPORTED, time_ns=_NONE)
        self.flush()
        self._writer.close()

    def _unheard(self) -> list[int]:
        return [attempt for attempt, answered in enumerate(self._answered) if not answered]

    def _key(self, value: pa.Array[Any]) -> pa.Array[Any]:
        # Arrow knows no remainder: what is left of a value without its whole keys' worth.
        whole = pc.multiply(pc.divide(value, self._keys), self._keys) if self._keys else 0
        key: pa.Array[Any] = pc.subtract(value, whole).cast(pa.string())
        return key

    def _number_of(self, error: str) -> int:
        # A run knows a handful of errors: a search is as good as an index.
        if error not in self._errors:
            self._errors.append(error)
        return self._errors.index(error)

    def _write(self, answers: _Answers) -> None:
        first, last = min(answers.attempt), max(answers.attempt) + 1
        rows = pc.subtract(_column(answers.attempt), pa.scalar(first))
        value = _column(self._value[first:last]).take(rows)
        count = len(answers.attempt)
        self._writer.flush(
            {
                "producer": pa.repeat(self._producer, count),
                "value": value,
                "topic": pa.repeat(self._topic, count),
                "key": self._key(value) if self._keyed else pa.nulls(count, pa.string()),
                "transaction": pa.array(self._transactions, pa.string()).take(
                    _column(self._in[first:last]).take(rows)
                ),
                "partition": _nullable(answers.partition),
                "invoked_ns": _nullable(self._invoked[first:last]).take(rows),
                "completed_ns": _nullable(answers.completed),
                "outcome": pa.array(_OUTCOMES).take(_column(answers.outcome)),
                "offset": _nullable(answers.offset),
                "error": pa.array(self._errors, pa.string()).take(_nullable(answers.error)),
                "cut_off": pc.equal(_column(answers.outcome), pa.scalar(_CUT_OFF, pa.int32())),
            }
        )


def _column(numbers: array[int]) -> pa.Array[Any]:
    """An array of numbers as an Arrow column, copied as bytes."""
    buffers = [None, pa.py_buffer(numbers.tobytes())]
    return pa.Array.from_buffers(_TYPES[numbers.typecode], len(numbers), buffers)


def _nullable(numbers: array[int]) -> pa.Array[Any]:
    """The same with null for negative numbers."""
    column = _column(numbers)
    nothing = pa.scalar(None, column.type)
    array: pa.Array[Any] = pc.if_else(pc.less(column, pa.scalar(0, column.type)), nothing, column)
    return array
