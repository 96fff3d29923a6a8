"""The `deliveries` table of one consumer: what each poll handed to the application."""

from __future__ import annotations

import time
from array import array
from collections.abc import Sequence
from pathlib import Path

from confluent_kafka import Message

from labs.engine.record.ledger import TableWriter

RECENT_S = 2.0
"""Longer than any pause of a group that reads on without a failure."""


class Deliveries:
    """Rows in the order of delivery; written part by part, every second at the earliest."""

    def __init__(self, ledger: Path, consumer: str, group: str, isolation: str) -> None:
        self._writer = TableWriter(ledger, "deliveries", consumer)
        self._who = {"consumer": consumer, "group": group, "isolation": isolation}
        self._polls = 0
        self.assignment = 1
        self._due = 0.0
        self.count = 0
        self._last = -RECENT_S
        self._clear()

    def _clear(self) -> None:
        self._topic: list[str] = []
        self._assignment: list[str] = []
        self._poll, self._partition = array("q"), array("i")
        self._offset, self._value, self._time = array("q"), array("q"), array("q")

    def add(self, messages: Sequence[Message]) -> None:
        """Records one poll: messages without an error, in the order in which they came."""
        now = time.monotonic_ns()
        for message in messages:
            self.add_record(
                message.topic() or "", message.partition() or 0, message.offset() or 0,
                int(message.value() or b""), now,
            )  # fmt: skip
        self.end_poll()

    def add_record(self, topic: str, partition: int, offset: int, value: int, time_ns: int) -> None:
        """Adds one record to the poll that is open."""
        self._topic.append(topic)
        self._partition.append(partition)
        self._offset.append(offset)
        self._value.append(value)
        self._assignment.append(str(self.assignment))
        self._poll.append(self._polls)
        self._time.append(time_ns)
        self.count += 1
        self._last = time.monotonic()

    @property
    def is_still_arriving(self) -> bool:
        """Whether a record was handed out within the last `RECENT_S`."""
        return time.monotonic() - self._last < RECENT_S

    def end_poll(self) -> None:
        """Ends the poll: the next record belongs to another one."""
        self._polls += 1
        if time.monotonic() >= self._due:
            self.flush()
            self._due = time.monotonic() + 1.0

    def flush(self) -> None:
        """Writes the rows since the last flush."""
        rows = len(self._value)
        if not rows:
            return
        self._writer.flush(
            {
                **{name: [text] * rows for name, text in self._who.items()},
                "assignment": self._assignment, "poll": self._poll, "topic": self._topic,
                "partition": self._partition, "offset": self._offset, "value": self._value,
                "time_ns": self._time,
            }
        )  # fmt: skip
        self._clear()

    def close(self) -> None:
        self.flush()
        self._writer.close()
