"""Kafka's admin client, set up for brokers that may be down."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from confluent_kafka import Consumer, KafkaError, KafkaException
from confluent_kafka.admin import AdminClient
from confluent_kafka.admin._config import AlterConfigOpType, ConfigEntry, ConfigResource
from confluent_kafka.admin._resource import ResourceType
from confluent_kafka.cimpl import NewTopic

from labs.engine.base.wait import WaitTimeout, until

silent_log = logging.getLogger(f"{__name__}.librdkafka")
"""For clients whose failures their callers handle: "connection refused" is not logged."""
silent_log.addHandler(logging.NullHandler())
silent_log.propagate = False

_ASK_S = 10.0
_PERSISTENT = {
    "reconnect.backoff.ms": 20,
    "reconnect.backoff.max.ms": 200,
    "socket.connection.setup.timeout.ms": 2000,
}
# INVALID_REPLICATION_FACTOR is "more replicas than there are unfenced brokers right now".
# _DESTROY_BROKER is a request on librdkafka's connection to a bootstrap address, which it drops
# when it has learned that address's broker by its id (seen with 2.16 on slow machines).
_PASSING = {
    KafkaError.INVALID_REPLICATION_FACTOR, KafkaError._TIMED_OUT, KafkaError._TRANSPORT,
    KafkaError._DESTROY_BROKER,
}  # fmt: skip


def quiet_admin(bootstrap: str) -> AdminClient:
    """An admin client that asks again soon and leaves "connection refused" to us.

    For a `with` block, which destroys it. Left to the garbage collector, which may run in one of
    librdkafka's own threads, its end could abort the process (confluent-kafka-python #2131); and
    an error that a request raised keeps it, as a local variable of its traceback, for that.
    """
    return AdminClient({**_PERSISTENT, "bootstrap.servers": bootstrap}, logger=silent_log)


@contextmanager
def quiet_group_client(bootstrap: str, group: str) -> Iterator[Consumer]:
    """A client that reads and writes the committed offsets of a group without joining it.

    Not the admin client: an answer of "not the coordinator" to its ListConsumerGroupOffsets, as
    one gives that has just begun, ends the process (librdkafka #5040; seen with 2.16).
    """
    own = {"group.id": group, "enable.auto.commit": False}
    settings = {**_PERSISTENT, **own, "bootstrap.servers": bootstrap}
    visitor = Consumer(settings, logger=silent_log)
    try:
        yield visitor
    finally:
        visitor.close()


def coordinator_of(bootstrap: str, group: str) -> int | None:
    """The broker that coordinates a group of consumers, or would; None if it is unknown."""
    with quiet_admin(bootstrap) as admin:
        try:
            fields = admin.describe_consumer_groups([group], request_timeout=_ASK_S)
            return int(fields[group].result(_ASK_S).coordinator.id)
        except (KafkaException, TimeoutError):
            return None


def create_topic(
    bootstrap: str,
    name: str,
    partitions: int,
    replication_factor: int,
    config: Mapping[str, str] | None = None,
    limit_s: float = 20,
) -> None:
    """Creates a topic; a refusal that may pass is tried again for `limit_s` seconds.

    Such is the brokers' answer while one of them is just coming back. Raises `KafkaException`
    with the brokers' own words.
    """
    wish = NewTopic(name, partitions, replication_factor, config=dict(config or {}))
    passing: list[KafkaException] = []

    def created() -> bool:
        try:
            admin.create_topics([wish], operation_timeout=5, request_timeout=10)[name].result()
        except KafkaException as refused:
            error: KafkaError = refused.args[0]
            if passing and error.code() == KafkaError.TOPIC_ALREADY_EXISTS:
                return True  # by an earlier try, of which we only know that it timed out
            if not (error.retriable() or error.code() in _PASSING):
                raise
            passing.append(refused)
            return False
        return True

    with quiet_admin(bootstrap) as admin:
        try:
            until(created, limit_s, f"topic {name!r} could not be created", every_s=0.2)
        except WaitTimeout as late:
            raise passing[-1] from late


TOPIC, BROKER = ResourceType.TOPIC, ResourceType.BROKER


def alter_config(
    admin: AdminClient, kind: ResourceType, name: str, setting: str, value: str | None
) -> None:
    """Changes one setting of a topic or a broker (KIP-339); without a value it is the default.

    Raises `KafkaException` with the brokers' own words.
    """
    how = AlterConfigOpType.DELETE if value is None else AlterConfigOpType.SET
    change = ConfigEntry(setting, value, incremental_operation=how)
    wish = ConfigResource(kind, name, incremental_configs=[change])
    for done in admin.incremental_alter_configs([wish], request_timeout=_ASK_S).values():
        done.result(_ASK_S)


def config(
    admin: AdminClient, kind: ResourceType, name: str, limit_s: float
) -> dict[str, ConfigEntry]:
    """The settings of a topic or a broker by name, defaults included. Raises `KafkaException`."""
    (answer,) = admin.describe_configs(
        [ConfigResource(kind, name)], request_timeout=limit_s
    ).values()
    entries: dict[str, ConfigEntry] = answer.result(limit_s)
    return entries
