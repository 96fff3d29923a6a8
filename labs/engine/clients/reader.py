"""The final reader: a new client that reads every partition from its start to its end.

`python -m labs.engine.clients.reader CONFIG.json`, where the file holds a `ReaderConfig`.
It runs after all faults are healed, with the isolation level of the team's consumer and the group
name `final`. This group commits nothing and is never judged for skipped messages. With a `sink` the
topic is the output of the processing, and its records are the effects.
"""

from __future__ import annotations

import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition

from labs.engine.clients.control import listen, read_config, report
from labs.engine.clients.deliveries import Deliveries
from labs.engine.clients.errors import error_text
from labs.engine.clients.sink import Style, TopicEffects
from labs.engine.clients.translate import PINNED
from labs.engine.clients.watermarks import watermarks
from labs.engine.record.ledger import TableWriter

GROUP = "final"


@dataclass(frozen=True, slots=True)
class ReaderConfig:
    """Configuration of the final reader; `limit_s` limits the whole read, in seconds.

    `created_ns` is when the topic was recreated during the run, in nanoseconds of the monotonic
    clock; None if it was not.
    """

    ledger: str
    bootstrap: str
    topic: str
    isolation: str
    cleanup_policy: str
    limit_s: float = 60.0
    sink: Style | None = None
    created_ns: int | None = None


class Reading:
    """One pass over a topic; `completed` is whether every partition was read to its end."""

    def __init__(self, config: ReaderConfig, stop: threading.Event) -> None:
        self._config = config
        self._stop = stop
        self._deadline = time.monotonic() + config.limit_s
        ledger = Path(config.ledger)
        self.sink = (
            TopicEffects(ledger, config.topic, config.sink)
            if config.sink
            else Deliveries(ledger, "final-1", GROUP, config.isolation)
        )
        self._ledger = ledger
        self.watermarks: dict[int, tuple[int, int]] = {}
        self._position: dict[int, int] = {}
        self._consumer = self._new_consumer(config.isolation)

    def _new_consumer(self, isolation: str) -> Consumer:
        return Consumer(
            {
                **{name: pinned.lab for name, pinned in PINNED.items()},
                "bootstrap.servers": self._config.bootstrap,
                "group.id": GROUP,
                "enable.auto.commit": False,
                "auto.offset.reset": "earliest",
                "isolation.level": isolation,
                "enable.partition.eof": True,
            }
        )

    @property
    def completed(self) -> bool:
        """Whether each partition was read up to its end offset at the start of the read."""
        return bool(self.watermarks) and all(
            self._position.get(partition, -1) >= high
            for partition, (_, high) in self.watermarks.items()
        )

    def run(self) -> None:
        """Reads the topic and writes the tables. If the limit is reached, `completed` is false."""
        try:
            self._assign()
            while not self.completed and time.monotonic() < self._deadline:
                if self._stop.is_set():
                    break
                self._step()
        except KafkaException as failed:
            print(failed, file=sys.stderr, flush=True)
        self._consumer.close()
        self.sink.close()
        if not self._config.sink:
            self._write_partitions()
        report(ended=True, completed=self.completed, delivered=self.sink.count)

    def _assign(self) -> None:
        """Determines the end offsets with read_uncommitted, and assigns the partitions.

        With read_committed the end would be the start of the first open transaction. The records
        after that are late, not lost; the read waits for them until the transaction is aborted.
        """
        topic = self._config.topic
        limit_s = self._deadline - time.monotonic()
        client = self._new_consumer("read_uncommitted")
        try:
            self.watermarks = watermarks(client, topic, limit_s)
        finally:
            client.close()
        self._consumer.assign(
            [TopicPartition(topic, item, low) for item, (low, _) in self.watermarks.items()]
        )

    def _step(self) -> None:
        polled = self._consumer.consume(1000, 0.1)
        messages = [message for message in polled if not message.error()]
        for message in polled:
            error, partition, offset = message.error(), message.partition(), message.offset()
            if partition is None or offset is None:
                continue
            if error is None:
                self._position[partition] = offset + 1
            elif error.code() == KafkaError._PARTITION_EOF:
                self._position[partition] = offset
            else:
                print(error_text(error), file=sys.stderr, flush=True)
        if messages:
            self.sink.add(messages)

    def _write_partitions(self) -> None:
        TableWriter(self._ledger, "partitions", "final-1").flush_rows(
            [
                {
                    "topic": self._config.topic, "partition": partition, "log_start_offset": low,
                    "log_end_offset": high, "cleanup_policy": self._config.cleanup_policy,
                    "created_ns": self._config.created_ns,
                }
                for partition, (low, high) in self.watermarks.items()
            ]
        )  # fmt: skip


if __name__ == "__main__":
    Reading(read_config(ReaderConfig, sys.argv[1]), listen().stop).run()
