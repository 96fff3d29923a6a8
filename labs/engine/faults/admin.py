"""Faults by the admin client: deleted records, deleted offsets, changed and recreated topics.

The same calls as kafka-delete-records.sh, kafka-consumer-groups.sh --delete and
kafka-topics.sh --alter --partitions make. Evidence is what the brokers say afterwards.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial

from confluent_kafka import (
    ElectionType,
    KafkaError,
    KafkaException,
    TopicCollection,
    TopicPartition,
)
from confluent_kafka.admin import AdminClient
from confluent_kafka.admin._topic import TopicDescription
from confluent_kafka.cimpl import NewPartitions, NewTopic

from labs.engine.base.wait import WaitTimeout, until
from labs.engine.faults.rig import Rig, Rows
from labs.engine.protocol.admin import TOPIC, alter_config, config, quiet_admin
from labs.engine.record.fault_words import Fault

_PATIENCE_S = 10.0
_ASK_S = 10.0
_LIMIT_S = 30.0
_TROUBLE = (KafkaException, ValueError, TimeoutError, WaitTimeout)
_RETENTION, _LARGEST = ("retention.ms", "retention.bytes"), "max.message.bytes"


def delete_read_records(rig: Rig, topic: str) -> Rows:
    """Deletes from a topic what the group has read, while its member is held."""
    read = rig.clients.client("consumer").latest.get("position", {})
    return delete(rig, topic, {int(partition): int(offset) for partition, offset in read.items()})


def delete(rig: Rig, topic: str, before: Mapping[int, int]) -> Rows:
    """Deletes the records of a topic that stand before an offset, by partition."""

    def act(admin: AdminClient) -> str:
        wished = [TopicPartition(topic, *place) for place in before.items()]
        if not wished:
            raise ValueError("nobody knows of an offset to delete to")
        answers = admin.delete_records(wished, request_timeout=_ASK_S).items()
        starts = [
            (partition.partition, done.result(_ASK_S).low_watermark) for partition, done in answers
        ]
        return "; ".join(f"partition {number} starts at {start:,} now" for number, start in starts)

    return _do(rig, "delete", f"topic: {topic}", act)


def forget_group(rig: Rig, group: str) -> Rows:
    """Deletes a group with its offsets, once it has no member left."""

    def act(admin: AdminClient) -> str:
        def gone() -> bool:
            try:
                admin.delete_consumer_groups([group], request_timeout=_ASK_S)[group].result(_ASK_S)
            except KafkaException as refused:  # NON_EMPTY_GROUP, as long as a dead member counts
                return bool(refused.args[0].code() == KafkaError.GROUP_ID_NOT_FOUND)
            return True

        until(gone, _LIMIT_S, f"group {group} could not be deleted", every_s=0.2)
        return f"the coordinator deleted group {group} and its offsets"

    return _do(rig, "forget", f"group: {group}", act)


def widen(rig: Rig, topic: str) -> Rows:
    """Adds a partition to a topic."""

    def act(admin: AdminClient) -> str:
        wanted = _partitions(admin, topic) + 1
        admin.create_partitions([NewPartitions(topic, wanted)])[topic].result(_ASK_S)
        until(lambda: _partitions(admin, topic) == wanted, _LIMIT_S, "nobody sees the partition")
        return f"{topic} has {wanted} partitions"

    return _do(rig, "widen", f"topic: {topic}", act)


def recreate(rig: Rig, topic: str) -> Rows:
    """Deletes a topic and creates one of the same name, with as many partitions and copies.

    A client that asks for it in between may have it created first (auto.create.topics.enable), as
    brokers do by default. Evidence is the id of each (KIP-516).
    """

    def act(admin: AdminClient) -> str:
        old = _description(admin, topic)
        copies = len(old.partitions[0].replicas)
        admin.delete_topics([topic], request_timeout=_ASK_S)[topic].result(_ASK_S)
        rig.clients.topic_created(time.monotonic_ns())
        wish = NewTopic(topic, len(old.partitions), copies)

        def another_id() -> str:
            # With ZooKeeper the old one goes some time after the answer; or a client was first.
            with suppress(KafkaException):
                admin.create_topics([wish], request_timeout=_ASK_S)[topic].result(_ASK_S)
            with suppress(KafkaException):
                current = str(_description(admin, topic).topic_id)
                return "" if current == str(old.topic_id) else current
            return ""

        new = until(another_id, _LIMIT_S, "there is no new topic of this name", every_s=0.2)
        return f"{topic} had the id {old.topic_id}, and has the id {new} now"

    return _do(rig, "recreate", f"topic: {topic}", act)


def create(rig: Rig, topic: str) -> Rows:
    """Creates a topic of one partition, and leaves the number of its copies to the cluster.

    That is what KIP-464 does with a replication factor of -1: the active controller takes its
    default.replication.factor. Evidence is how many copies the topic has.
    """

    def act(admin: AdminClient) -> str:
        wish = NewTopic(topic, 1, -1)
        admin.create_topics([wish], request_timeout=_ASK_S)[topic].result(_ASK_S)

        def copies() -> int:
            known = admin.list_topics(topic, timeout=_ASK_S).topics.get(topic)
            return len(known.partitions[0].replicas) if known and known.partitions else 0

        made = until(copies, _LIMIT_S, f"nobody knows {topic}", every_s=0.2)
        several = "ies" if made > 1 else "y"
        return f"{topic} has {made} cop{several}, the cluster's default.replication.factor"

    return _do(rig, "create", f"topic: {topic}", act)


def _description(admin: AdminClient, topic: str) -> TopicDescription:
    answers = admin.describe_topics(TopicCollection([topic]), request_timeout=_ASK_S)
    description: TopicDescription = answers[topic].result(_ASK_S)
    return description


def disable_retention(rig: Rig, topic: str) -> Rows:
    """Heals a topic with retention: from now on it keeps everything, if it did not already."""
    with quiet_admin(rig.cluster.bootstrap) as admin:
        settings = config(admin, TOPIC, topic, _ASK_S)
        if all(settings[name].value == "-1" for name in _RETENTION):
            return ()

    def act(admin: AdminClient) -> str:
        for setting in _RETENTION:
            alter_config(admin, TOPIC, topic, setting, "-1")
        return f"{' and '.join(_RETENTION)} of {topic} are -1 now"

    return _do(rig, "mend", f"topic: {topic}", act)


def refuse(rig: Rig, topic: str) -> Rows:
    """Lets a topic refuse every record, because each is larger than it allows."""

    def act(admin: AdminClient) -> str:
        alter_config(admin, TOPIC, topic, _LARGEST, "0")
        return f"{_LARGEST} of {topic} is 0 now"

    return _do(rig, "refuse", f"topic: {topic}", act)


def accept(rig: Rig, topic: str) -> Rows:
    """Heals a topic that refuses: it allows again what the brokers allow."""

    def act(admin: AdminClient) -> str:
        alter_config(admin, TOPIC, topic, _LARGEST, None)
        return f"{_LARGEST} of {topic} is the brokers' again"

    return _do(rig, "mend", f"topic: {topic}", act)


def elect(rig: Rig, topic: str, limit_s: float = _LIMIT_S) -> Rows:
    """Heals a topic with leaderless partitions by an unclean election, as an operator would.

    The controller has ten seconds before. A broker that is back on an empty disk may be passed over
    by it (docs/decisions/0010). Evidence is who found a leader.
    """

    def act(admin: AdminClient) -> str:
        by_hand: list[TopicPartition] = []

        def led() -> bool:
            orphans = _leaderless(rig, admin, topic)
            if orphans:  # without a time limit: with one the binding (2.16) raises SystemError
                admin.elect_leaders(ElectionType.UNCLEAN, orphans).result(_ASK_S)
                by_hand.extend(orphans)
            return not orphans

        with suppress(WaitTimeout):
            patience_s = min(_PATIENCE_S, limit_s)
            until(
                lambda: not _leaderless(rig, admin, topic), patience_s, "nobody leads", every_s=0.5
            )
        until(led, limit_s, f"a partition of {topic} has no leader", every_s=0.5)
        who = "an operator's" if by_hand else "the controller's"
        return f"each partition of {topic} has a leader, by {who} choice"

    return _do(rig, "mend", f"topic: {topic}", act)


def _leaderless(rig: Rig, admin: AdminClient, topic: str) -> list[TopicPartition]:
    """Partitions that no living broker leads: brokers go on to name a dead one until it is fenced,
    or when they have come back and know no better."""
    partitions = admin.list_topics(topic, timeout=_ASK_S).topics[topic].partitions.values()
    living = {broker for broker, state in rig.cluster.states().items() if state != "dead"}
    return [
        TopicPartition(topic, partition.id)
        for partition in partitions
        if partition.leader not in living
    ]


def _partitions(admin: AdminClient, topic: str) -> int:
    return len(admin.list_topics(topic, timeout=_ASK_S).topics[topic].partitions)


def _do(rig: Rig, fault: Fault, target: str, act: Callable[[AdminClient], str]) -> Rows:
    with quiet_admin(rig.cluster.bootstrap) as admin:
        return (rig.log.attempt(fault, target, partial(act, admin), _TROUBLE),)
