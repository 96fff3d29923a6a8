"""The group under test, as its coordinator sees it."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

from confluent_kafka import Consumer, KafkaException, TopicPartition

from labs.engine.base.wait import WaitTimeout, until
from labs.engine.protocol.admin import quiet_group_client
from labs.engine.record.ledger import TableWriter

GROUP = "app"
ASK_S = 5.0
_LIMIT_S = 20.0


def committed_positions(bootstrap: str, topic: str) -> dict[int, int]:
    """Returns partition → last committed offset of the group; empty if it is unknown."""
    with quiet_group_client(bootstrap, GROUP) as client:
        try:
            return _committed(client, _start_offsets(client, topic))
        except KafkaException:
            return {}


def begin_at_start(bootstrap: str, topic: str) -> None:
    """Commits offset 0 of every partition for the group. Raises `WaitTimeout`.

    It retries, because a coordinator may not know a new topic yet.
    """
    with quiet_group_client(bootstrap, GROUP) as client:
        start_offsets = _start_offsets(client, topic)

        def is_committed() -> bool:
            with suppress(KafkaException):
                client.commit(offsets=start_offsets, asynchronous=False)
                return len(_committed(client, start_offsets)) == len(start_offsets)
            return False

        until(is_committed, _LIMIT_S, "the group's start position could not be committed")


def _committed(client: Consumer, start_offsets: list[TopicPartition]) -> dict[int, int]:
    committed = client.committed(start_offsets, timeout=ASK_S)
    return {item.partition: item.offset for item in committed if item.offset >= 0}


def _start_offsets(client: Consumer, topic: str) -> list[TopicPartition]:
    """Returns offset 0 of each partition."""
    partitions = client.list_topics(topic, timeout=ASK_S).topics[topic].partitions
    return [TopicPartition(topic, partition, 0) for partition in partitions]


def await_commit(bootstrap: str, topic: str) -> dict[int, int]:
    """Waits for the group's last commits; returns partition → offset, empty after a timeout.

    A coordinator that is still loading the group responds with an error or without commits. If its
    own log was lost, it has no commit until a member has rejoined and committed.
    """
    with suppress(WaitTimeout):
        return until(
            lambda: committed_positions(bootstrap, topic), _LIMIT_S,
            "the group's coordinator returned no commit", every_s=0.2,
            awaits="for the group's coordinator to return the last commits",
        )  # fmt: skip
    return {}


def write_committed(bootstrap: str, topic: str, ledger: Path, consumer: str) -> None:
    """Writes the last commits that the coordinator has, for clients that do not report them.

    If it returns none in time, the table is not written and nothing is judged by commits.
    """
    committed = await_commit(bootstrap, topic)
    if not committed:
        return
    rows = [
        {
            "consumer": consumer, "group": GROUP, "topic": topic, "partition": partition,
            "offset": offset, "outcome": "ok", "time_ns": time.monotonic_ns(),
        }
        for partition, offset in committed.items()
    ]  # fmt: skip
    TableWriter(ledger, "commits", "coordinator").flush_rows(rows)
