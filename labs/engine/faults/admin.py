"""Faults by the admin client: deleted records, deleted offsets, changed and recreated topics.

They make the same calls as kafka-delete-records.sh, kafka-consumer-groups.sh --delete and
kafka-topics.sh --alter --partitions. The evidence is the brokers' state afterwards.
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

_CONTROLLER_S = 10.0
_REQUEST_S = 10.0
_LIMIT_S = 30.0
_TROUBLE = (KafkaException, ValueError, TimeoutError, WaitTimeout)
_RETENTION, _LARGEST = ("retention.ms", "retention.bytes"), "max.message.bytes"


def delete_read_records(rig: Rig, topic: str) -> Rows:
    """Deletes the records that the group has read from a topic, while its member is held."""
    read = rig.clients.client("consumer").latest.get("position", {})
    return delete(rig, topic, {int(partition): int(offset) for partition, offset in read.items()})


def delete(rig: Rig, topic: str, before: Mapping[int, int]) -> Rows:
    """Deletes the records of a topic before an offset; `before` maps partition → offset."""

    def act(admin: AdminClient) -> str:
        partitions = [TopicPartition(topic, *place) for place in before.items()]
        if not partitions:
            raise ValueError("no offset to delete to is known")
        answers = admin.delete_records(partitions, request_timeout=_REQUEST_S).items()
        starts = [
            (partition.partition, done.result(_REQUEST_S).low_watermark)
            for partition, done in answers
        ]
        return "; ".join(f"partition {number} starts at {start:,} now" for number, start in starts)

    return _do(rig, "delete", f"topic: {topic}", act)


def forget_group(rig: Rig, group: str) -> Rows:
    """Deletes a group and its offsets, once it has no members."""

    def act(admin: AdminClient) -> str:
        def is_gone() -> bool:
            try:
                admin.delete_consumer_groups([group], request_timeout=_REQUEST_S)[group].result(
                    _REQUEST_S
                )
            except (
                KafkaException
            ) as refused:  # NON_EMPTY_GROUP, until the session of a dead member ends
                return bool(refused.args[0].code() == KafkaError.GROUP_ID_NOT_FOUND)
            return True

        until(is_gone, _LIMIT_S, f"group {group} could not be deleted", every_s=0.2)
        return f"the coordinator deleted group {group} and its offsets"

    return _do(rig, "forget", f"group: {group}", act)


def widen(rig: Rig, topic: str) -> Rows:
    """Adds a partition to a topic."""

    def act(admin: AdminClient) -> str:
        wanted = _partitions(admin, topic) + 1
        admin.create_partitions([NewPartitions(topic, wanted)])[topic].result(_REQUEST_S)
        until(
            lambda: _partitions(admin, topic) == wanted,
            _LIMIT_S,
            "the partition is not in the metadata",
        )
        return f"{topic} has {wanted} partitions"

    return _do(rig, "widen", f"topic: {topic}", act)


def recreate(rig: Rig, topic: str) -> Rows:
    """Deletes a topic and recreates it with the same name, partitions and replication factor.

    A client that requests its metadata in between may trigger its creation, because brokers create
    topics automatically by default (auto.create.topics.enable). The evidence is the two topic ids
    (KIP-516).
    """

    def act(admin: AdminClient) -> str:
        old = _description(admin, topic)
        copies = len(old.partitions[0].replicas)
        admin.delete_topics([topic], request_timeout=_REQUEST_S)[topic].result(_REQUEST_S)
        rig.clients.topic_created(time.monotonic_ns())
        new_topic = NewTopic(topic, len(old.partitions), copies)

        def another_id() -> str:
            # With ZooKeeper the old topic is deleted after the response; or a client was faster.
            with suppress(KafkaException):
                admin.create_topics([new_topic], request_timeout=_REQUEST_S)[topic].result(
                    _REQUEST_S
                )
            with suppress(KafkaException):
                current = str(_description(admin, topic).topic_id)
                return "" if current == str(old.topic_id) else current
            return ""

        new = until(another_id, _LIMIT_S, "there is no new topic of this name", every_s=0.2)
        return f"{topic} had the id {old.topic_id}, and has the id {new} now"

    return _do(rig, "recreate", f"topic: {topic}", act)


def create(rig: Rig, topic: str) -> Rows:
    """Creates a topic with one partition and the cluster's default replication factor.

    With a replication factor of -1 the active controller uses its default.replication.factor
    (KIP-464). The evidence is the number of replicas of the topic.
    """

    def act(admin: AdminClient) -> str:
        new_topic = NewTopic(topic, 1, -1)
        admin.create_topics([new_topic], request_timeout=_REQUEST_S)[topic].result(_REQUEST_S)

        def replica_count() -> int:
            metadata = admin.list_topics(topic, timeout=_REQUEST_S).topics.get(topic)
            return len(metadata.partitions[0].replicas) if metadata and metadata.partitions else 0

        count = until(replica_count, _LIMIT_S, f"{topic} is not in the metadata", every_s=0.2)
        several = "ies" if count > 1 else "y"
        return f"{topic} has {count} cop{several}, the cluster's default.replication.factor"

    return _do(rig, "create", f"topic: {topic}", act)


def _description(admin: AdminClient, topic: str) -> TopicDescription:
    answers = admin.describe_topics(TopicCollection([topic]), request_timeout=_REQUEST_S)
    description: TopicDescription = answers[topic].result(_REQUEST_S)
    return description


def disable_retention(rig: Rig, topic: str) -> Rows:
    """Heals a topic with retention: from now on it keeps everything. Nothing if it already does."""
    with quiet_admin(rig.cluster.bootstrap) as admin:
        settings = config(admin, TOPIC, topic, _REQUEST_S)
        if all(settings[name].value == "-1" for name in _RETENTION):
            return ()

    def act(admin: AdminClient) -> str:
        for setting in _RETENTION:
            alter_config(admin, TOPIC, topic, setting, "-1")
        return f"{' and '.join(_RETENTION)} of {topic} are -1 now"

    return _do(rig, "mend", f"topic: {topic}", act)


def refuse(rig: Rig, topic: str) -> Rows:
    """Makes a topic refuse every record, because each is larger than its limit."""

    def act(admin: AdminClient) -> str:
        alter_config(admin, TOPIC, topic, _LARGEST, "0")
        return f"{_LARGEST} of {topic} is 0 now"

    return _do(rig, "refuse", f"topic: {topic}", act)


def accept(rig: Rig, topic: str) -> Rows:
    """Heals a topic that refuses: its limit is the brokers' again."""

    def act(admin: AdminClient) -> str:
        alter_config(admin, TOPIC, topic, _LARGEST, None)
        return f"{_LARGEST} of {topic} is the brokers' again"

    return _do(rig, "mend", f"topic: {topic}", act)


def elect(rig: Rig, topic: str, limit_s: float = _LIMIT_S) -> Rows:
    """Heals a topic with leaderless partitions by an unclean election, as an operator would.

    The controller gets ten seconds first. It may skip a broker that has restarted on an empty disk
    (docs/decisions/0010). The evidence is who elected the leaders.
    """

    def act(admin: AdminClient) -> str:
        by_hand: list[TopicPartition] = []

        def is_led() -> bool:
            orphans = _leaderless(rig, admin, topic)
            if orphans:  # no time limit: with one the binding (2.16) raises SystemError
                admin.elect_leaders(ElectionType.UNCLEAN, orphans).result(_REQUEST_S)
                by_hand.extend(orphans)
            return not orphans

        with suppress(WaitTimeout):
            patience_s = min(_CONTROLLER_S, limit_s)
            until(
                lambda: not _leaderless(rig, admin, topic),
                patience_s,
                "a partition has no leader",
                every_s=0.5,
            )
        until(is_led, limit_s, f"a partition of {topic} has no leader", every_s=0.5)
        chooser = "an operator's" if by_hand else "the controller's"
        return f"each partition of {topic} has a leader, by {chooser} choice"

    return _do(rig, "mend", f"topic: {topic}", act)


def _leaderless(rig: Rig, admin: AdminClient, topic: str) -> list[TopicPartition]:
    """Returns the partitions whose leader is not alive.

    Metadata names a dead leader until it is fenced, and also after brokers have restarted.
    """
    partitions = admin.list_topics(topic, timeout=_REQUEST_S).topics[topic].partitions.values()
    living = {broker for broker, state in rig.cluster.states().items() if state != "dead"}
    return [
        TopicPartition(topic, partition.id)
        for partition in partitions
        if partition.leader not in living
    ]


def _partitions(admin: AdminClient, topic: str) -> int:
    return len(admin.list_topics(topic, timeout=_REQUEST_S).topics[topic].partitions)


def _do(rig: Rig, fault: Fault, target: str, act: Callable[[AdminClient], str]) -> Rows:
    with quiet_admin(rig.cluster.bootstrap) as admin:
        return (rig.log.attempt(fault, target, partial(act, admin), _TROUBLE),)
