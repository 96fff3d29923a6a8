"""The team's consumer group: a process that reads, processes and commits as the team does.

`python -m labs.engine.clients.consumer CONFIG.json`, where the file holds a `ConsumerConfig`.
It reports `ready` once every partition is assigned and its fetch position is resolved (statistics
`fetch_state`, librdkafka STATISTICS.md), so that `auto.offset.reset=latest` skips no message
because of a race in the lab. `clients.processing` does the processing. After a stop command the
process first reads to the end of the log.

It can be held at `polling`, between two polls, and at the points of the processing. Before it stops
there it writes all deliveries to the ledger, so that it can be killed.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from confluent_kafka import (
    Consumer,
    KafkaError,
    KafkaException,
    Message,
    TopicPartition,
)

from labs.engine.clients.commits import Commits
from labs.engine.clients.control import Control, FailureRequested, listen, read_config, report
from labs.engine.clients.deliveries import Deliveries
from labs.engine.clients.errors import error_text
from labs.engine.clients.processing import ON_ERROR_TEXTS, OnError, Polled, PollProcessor, Sink
from labs.engine.clients.sink import Database, Style

Commit = Literal[
    "client-stores", "next-poll-stores", "application-stores", "before-processing",
    "after-processing",
]  # fmt: skip
"""When an offset becomes committable.

Three values are automatic commits. `client-stores` is librdkafka's: it stores an offset when it
delivers the message. `next-poll-stores` stores the offsets of the previous poll, as the Java client
does (KafkaConsumer javadoc, "Automatic Offset Committing"). With `application-stores` the
application stores the offsets that it has processed (enable.auto.offset.store=false). With the
other two the application commits synchronously."""

_POLL_S = 0.1
_RETRY_S = 0.1
_REPORT_EVERY_S = 0.25


@dataclass(frozen=True, slots=True)
class ConsumerConfig:
    """Configuration of a consumer process.

    `client` is librdkafka's configuration without the settings for commits. If `auto_commit` is
    false and `commit` is automatic, the group never commits. `sink` is the path of the database
    for the effects of processing; None means no effects. `as_done` commits each poll as soon as a
    thread has processed it, even if earlier polls are unfinished. `drain_limit_s` limits, in
    seconds, how long the process reads to the end of the log after a stop command.
    """

    ledger: str
    name: str
    group: str
    topic: str
    client: dict[str, str | int | bool]
    commit: Commit
    auto_commit: bool = True
    max_poll: int = 500
    sink: str | None = None
    sink_style: Style = "plain"
    asynchronous: bool = False
    as_done: bool = False
    on_error: OnError = "retry"
    drain_limit_s: float = 15.0


class Run:
    """One member of the group, from the time it joins until it leaves."""

    def __init__(self, config: ConsumerConfig, control: Control) -> None:
        self._config = config
        self._control = control
        isolation = str(config.client["isolation.level"])
        ledger = Path(config.ledger)
        self._deliveries = Deliveries(ledger, config.name, config.group, isolation)
        self._commits = Commits(ledger, config.name, config.group)
        self._processor = PollProcessor(
            control, self._write_ledger, self._open_sink, config.asynchronous, config.as_done
        )
        self._position: dict[int, int] = {}  # by partition: the offset after the last one read
        self._fetching: set[int] = set()
        self._failed: str | None = None
        self._stopped: str | None = None
        self._reported_ready = False
        self._report_due = 0.0
        self._is_behind = False
        self._consumer = Consumer(self._client())

    def _client(self) -> dict[str, Any]:
        stores = self._config.commit.endswith("-stores")
        return {
            **self._config.client,
            "group.id": self._config.group,
            "client.id": self._config.name,
            "enable.auto.commit": stores and self._config.auto_commit,
            "enable.auto.offset.store": self._config.commit == "client-stores",
            "enable.partition.eof": True,
            "statistics.interval.ms": 200,
            "stats_cb": self._on_stats,
            "on_commit": self._commits.add,
        }

    def _open_sink(self) -> Sink | None:
        config = self._config
        return Database(Path(config.sink), config.sink_style) if config.sink else None

    def run(self) -> None:
        """Reads until the stop command, then to the end of the log, and leaves the group.

        An application that cannot continue leaves immediately.
        """
        self._consumer.subscribe([self._config.topic], on_assign=self._on_assign)
        while not (self._control.stop.is_set() or self._stopped):
            self._step()
        self._drain()
        self._processor.finish()
        self._settle()
        # The Java client's close() also commits the position. After a failure it is called only if
        # the application closes its consumer; otherwise the client retries until the process ends.
        closes = not self._stopped or self._config.on_error == "close"
        if self._config.commit == "next-poll-stores" and closes:
            self._store(self._positions())
        self._consumer.close()  # commits the stored offsets if automatic commits are on
        self._deliveries.close()
        self._commits.close()
        self._report(ended=True)

    def _step(self) -> None:
        self._control.reach("polling", self._write_ledger)
        if self._config.commit == "next-poll-stores":
            self._store(self._positions())
        polled = self._consumer.consume(self._config.max_poll, _POLL_S)
        messages = [message for message in polled if not message.error()]
        for message in polled:
            self._note_position(message)
        if messages:
            self._deliver(messages)
        self._settle()
        if time.monotonic() >= self._report_due:
            self._report(ended=False)
            self._commits.flush()
            self._report_due = time.monotonic() + _REPORT_EVERY_S

    def _deliver(self, messages: Sequence[Message]) -> None:
        polled = {message.partition() for message in messages}
        positions = [item for item in self._positions() if item.partition in polled]
        if self._config.commit == "before-processing":
            self._commit(positions)
        self._deliveries.add(messages)
        self._process(
            Polled([int(message.value() or b"") for message in messages], positions), messages
        )

    def _process(self, polled: Polled, messages: Sequence[Message]) -> None:
        """Processes one poll; `messages` are its records in their order of arrival."""
        remaining: Polled | None = polled
        while remaining is not None:
            try:
                self._processor.process(remaining)
                return
            except FailureRequested as failed:
                remaining = self._on_failure(failed, remaining, messages)

    def _on_failure(
        self, failed: FailureRequested, polled: Polled, messages: Sequence[Message]
    ) -> Polled | None:
        """Applies the application's error policy to records that it cannot process.

        Returns the records to process next, or None. An application that skips all of them saves
        the position after them at the next poll.
        """
        policy = self._config.on_error
        if policy == "close":
            self._stopped = str(failed)
        action = ON_ERROR_TEXTS[policy].format("them" if failed.value is None else "it")
        text = f"{failed}, {len(messages):,} records in hand: {action}"
        report(mishap=text, stopped=self._stopped)
        if policy == "retry":
            return None if self._control.stop.wait(_RETRY_S) else polled
        if policy == "close" or failed.value is None:
            return None
        return Polled([value for value in polled.values if value != failed.value], polled.positions)

    def _settle(self) -> None:
        """Commits or stores the processed positions, if the commit mode requires it."""
        for positions in self._processor.processed():
            if self._config.commit == "after-processing":
                self._commit(positions)
            elif self._config.commit == "application-stores":
                self._store(positions)

    def _write_ledger(self) -> dict[str, Any]:
        """Writes all known deliveries and commits, so that a kill afterwards loses no evidence."""
        self._deliveries.flush()
        self._commits.flush()
        return {"written": True, "delivered": self._deliveries.count, "position": self._position}

    def _note_position(self, message: Message) -> None:
        error, partition, offset = message.error(), message.partition(), message.offset()
        if error is None or error.code() == KafkaError._PARTITION_EOF:
            if partition is not None and offset is not None:
                self._position[partition] = offset + (1 if error is None else 0)
        elif error.code() == KafkaError._AUTO_OFFSET_RESET:
            self._failed = error_text(error)
        else:
            print(error_text(error), file=sys.stderr, flush=True)

    def _positions(self) -> list[TopicPartition]:
        return [
            TopicPartition(self._config.topic, partition, offset)
            for partition, offset in self._position.items()
        ]

    def _store(self, positions: list[TopicPartition]) -> None:
        try:
            if positions:
                self._consumer.store_offsets(offsets=positions)
        except KafkaException as error:  # a partition that was revoked meanwhile cannot be stored
            print(error, file=sys.stderr, flush=True)

    def _commit(self, positions: list[TopicPartition]) -> None:
        try:
            self._consumer.commit(offsets=positions, asynchronous=False)
        except KafkaException as failed:
            self._commits.add(failed.args[0], positions)
        else:
            self._commits.add(None, positions)

    def _drain(self) -> None:
        """Reads every assigned partition to its current end offset, within `drain_limit_s`."""
        deadline = time.monotonic() + self._config.drain_limit_s
        ends: dict[int, int] = {}
        while time.monotonic() < deadline and not (self._failed or self._stopped):
            self._step()
            assigned = self._consumer.assignment()
            for item in assigned:
                if item.partition not in ends:
                    end = self._end_offset(item)
                    if end is not None:
                        ends[item.partition] = end
            if assigned and all(self._is_at_end(item.partition, ends) for item in assigned):
                return
        self._is_behind = self._deliveries.is_still_arriving and not (self._failed or self._stopped)

    def _is_at_end(self, partition: int, ends: Mapping[int, int]) -> bool:
        return partition in ends and self._position.get(partition, -1) >= ends[partition]

    def _end_offset(self, partition: TopicPartition) -> int | None:
        try:
            watermarks = self._consumer.get_watermark_offsets(partition, timeout=2.0)
        except KafkaException:
            return None
        if watermarks is None:  # on timeout; the type hints do not include None
            return None
        return watermarks[1]

    def _on_assign(self, _consumer: Consumer, _partitions: list[TopicPartition]) -> None:
        self._deliveries.assignment += 1
        self._position.clear()  # another member may have moved the position meanwhile

    def _on_stats(self, text: str) -> None:
        topic = json.loads(text)["topics"].get(self._config.topic, {})
        for partition, state in topic.get("partitions", {}).items():
            if int(partition) >= 0 and state["fetch_state"] == "active":
                self._fetching.add(int(partition))

    @property
    def _ready(self) -> bool:
        assigned = {partition.partition for partition in self._consumer.assignment()}
        return bool(assigned) and assigned <= self._fetching

    def _report(self, ended: bool) -> None:
        # A closed consumer cannot be asked for its assignment.
        self._reported_ready = self._reported_ready or (not ended and self._ready)
        report(
            ready=self._reported_ready or self._failed is not None, failed=self._failed,
            stopped=self._stopped, delivered=self._deliveries.count, ended=ended,
            behind=self._is_behind,
        )  # fmt: skip


if __name__ == "__main__":
    Run(read_config(ConsumerConfig, sys.argv[1]), listen()).run()
