"""The `commits` table of one consumer: the committed offsets, and the outcome of each commit."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from confluent_kafka import KafkaError, TopicPartition

from labs.engine.clients import errors
from labs.engine.clients.errors import Outcome
from labs.engine.record.ledger import TableWriter


class Commits:
    """One row per committed offset; `flush` writes a part."""

    def __init__(self, ledger: Path, consumer: str, group: str) -> None:
        self._writer = TableWriter(ledger, "commits", consumer)
        self._identity = {"consumer": consumer, "group": group}
        self._rows: list[dict[str, Any]] = []

    def add(self, error: KafkaError | None, partitions: Sequence[TopicPartition]) -> None:
        """Records the outcome of one commit, as librdkafka's `on_commit` reports it."""
        if error is not None and error.code() == KafkaError._NO_OFFSET:
            return  # there was nothing to commit
        for committed in partitions:
            if committed.offset >= 0:
                failure = error or committed.error
                outcome = "ok" if failure is None else errors.outcome(failure.code())
                partition = (committed.topic, committed.partition)
                self.add_row(partition, committed.offset, outcome, time.monotonic_ns())

    def add_row(
        self, partition: tuple[str, int], offset: int, outcome: Outcome, time_ns: int
    ) -> None:  # fmt: skip
        """Records the outcome of committing one offset of a (topic, partition)."""
        self._rows.append(
            {
                **self._identity, "topic": partition[0], "partition": partition[1],
                "offset": offset, "outcome": outcome, "time_ns": time_ns,
            }
        )  # fmt: skip

    def flush(self) -> None:
        """Writes the rows since the last flush."""
        if self._rows:
            self._writer.flush_rows(self._rows)
            self._rows = []

    def close(self) -> None:
        self.flush()
        self._writer.close()
