"""The group under test, as its coordinator knows it."""

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
    """The last committed offset of the group by partition; empty if it is unknown."""
    with quiet_group_client(bootstrap, GROUP) as visitor:
        try:
            return _saved(visitor, _places(visitor, topic))
        except KafkaException:
            return {}


def begin_at_start(bootstrap: str, topic: str) -> None:
    """Commits offset 0 of every partition for the group. Raises `WaitTimeout`.

    It retries until that is done: a coordinator may not know a new topic yet.
    """
    with quiet_group_client(bootstrap, GROUP) as visitor:
        places = _places(visitor, topic)

        def saved() -> bool:
            with suppress(KafkaException):
                visitor.commit(offsets=places, asynchronous=False)
                return len(_saved(visitor, places)) == len(places)
            return False

        until(saved, _LIMIT_S, "the group's position at the start could not be saved")


def _saved(visitor: Consumer, places: list[TopicPartition]) -> dict[int, int]:
    partitions = visitor.committed(places, timeout=ASK_S)
    return {place.partition: place.offset for place in partitions if place.offset >= 0}


def _places(visitor: Consumer, topic: str) -> list[TopicPartition]:
    """Offset 0 of each partition."""
    entry = visitor.list_topics(topic, timeout=ASK_S).topics[topic].partitions
    return [TopicPartition(topic, item, 0) for item in entry]


def await_commit(bootstrap: str, topic: str) -> dict[int, int]:
    """The group's last commits, once its coordinator names one; empty if none comes in time.

    A coordinator that is still loading the group answers with an error or knows no commit. One
    whose own log was lost knows none until a member has joined anew and committed.
    """
    with suppress(WaitTimeout):
        return until(
            lambda: committed_positions(bootstrap, topic), _LIMIT_S,
            "the group's coordinator named no commit", every_s=0.2,
            awaits="for the group's coordinator to name the last commits",
        )  # fmt: skip
    return {}


def write_committed(bootstrap: str, topic: str, ledger: Path, consumer: str) -> None:
    """Writes the group's last commits as its coordinator knows them, for silent clients.

    If it names none in time, the table is not written and nothing is judged by commits.
    """
    saved = await_commit(bootstrap, topic)
    if not saved:
        return
    rows = [
        {
            "consumer": consumer, "group": GROUP, "topic": topic, "partition": partition,
            "offset": offset, "outcome": "ok", "time_ns": time.monotonic_ns(),
        }
        for partition, offset in saved.items()
    ]  # fmt: skip
    TableWriter(ledger, "commits", "coordinator").flush_rows(rows)
