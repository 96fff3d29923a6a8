"""The `deliveries` table of one consumer: the records that each poll returned."""

from __future__ import annotations

import time
from array import array
from collections.abc import Sequence
from pathlib import Path

from confluent_kafka import Message

from labs.engine.record.ledger import TableWriter

RECENT_S = 2.0
"""Longer than any pause between deliveries while a group reads without a failure."""


class Deliveries:
    """Rows in delivery order, written in parts at most once a second."""

    def __init__(self, ledger: Path, consumer: str, group: str, isolation: str) -> None:
        self._writer = TableWriter(ledger, "deliveries", consumer)
        self._identity = {"consumer": consumer, "group": group, "isolation": isolation}
        self._poll_number = 0
        self.assignment = 1
        self._flush_due = 0.0
        self.count = 0
        self._last_delivery_s = -RECENT_S
        self._clear()

    def _clear(self) -> None:
        self._topic: list[str] = []
        self._assignment: list[str] = []
        self._poll, self._partition = array("q"), array("i")
        self._offset, self._value, self._time = array("q"), array("q"), array("q")

    def add(self, messages: Sequence[Message]) -> None:
        """Records one poll: messages without an error, in their order of arrival."""
        now = time.monotonic_ns()
        for message in messages:
            self.add_record(
                message.topic() or "", message.partition() or 0, message.offset() or 0,
                int(message.value() or b""), now,
            )  # fmt: skip
        self.end_poll()

    def add_record(self, topic: str, partition: int, offset: int, value: int, time_ns: int) -> None:
        """Adds one record to the current poll."""
        self._topic.append(topic)
        self._partition.append(partition)
        self._offset.append(offset)
        self._value.append(value)
        self._assignment.append(str(self.assignment))
        self._poll.append(self._poll_number)
        self._time.append(time_ns)
        self.count += 1
        self._last_delivery_s = time.monotonic()

    @property
    def is_still_arriving(self) -> bool:
        """Whether a record was delivered within the last `RECENT_S` seconds."""
        return time.monotonic() - self._last_delivery_s < RECENT_S

    def end_poll(self) -> None:
        """Ends the current poll; the next record belongs to a new one."""
        self._poll_number += 1
        if time.monotonic() >= self._flush_due:
            self.flush()
            self._flush_due = time.monotonic() + 1.0

    def flush(self) -> None:
        """Writes the count since the last flush."""
        count = len(self._value)
        if not count:
            return
        self._writer.flush(
            {
                **{name: [value] * count for name, value in self._identity.items()},
                "assignment": self._assignment, "poll": self._poll, "topic": self._topic,
                "partition": self._partition, "offset": self._offset, "value": self._value,
                "time_ns": self._time,
            }
        )  # fmt: skip
        self._clear()

    def close(self) -> None:
        self.flush()
        self._writer.close()
