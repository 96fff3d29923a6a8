"""Kafka's admin client, configured for brokers that may be down."""

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
"""The logger of clients whose callers handle failures: "connection refused" is not logged."""
silent_log.addHandler(logging.NullHandler())
silent_log.propagate = False

_REQUEST_S = 10.0
_PERSISTENT = {
    "reconnect.backoff.ms": 20,
    "reconnect.backoff.max.ms": 200,
    "socket.connection.setup.timeout.ms": 2000,
}
# INVALID_REPLICATION_FACTOR: there are currently fewer unfenced brokers than replicas.
# _DESTROY_BROKER: the request was on librdkafka's connection to a bootstrap address, which it drops
# when it has learned the broker id of that address (seen with 2.16 on slow machines).
_TRANSIENT = {
    KafkaError.INVALID_REPLICATION_FACTOR, KafkaError._TIMED_OUT, KafkaError._TRANSPORT,
    KafkaError._DESTROY_BROKER,
}  # fmt: skip


def quiet_admin(bootstrap: str) -> AdminClient:
    """Returns an admin client that reconnects soon and does not log refused connections.

    Use it in a `with` block, which destroys it. Otherwise the garbage collector may destroy it in
    one of librdkafka's threads, which can abort the process (confluent-kafka-python #2131). An
    error of a request would keep it alive until then, as a local variable of its traceback.
    """
    return AdminClient({**_PERSISTENT, "bootstrap.servers": bootstrap}, logger=silent_log)


@contextmanager
def quiet_group_client(bootstrap: str, group: str) -> Iterator[Consumer]:
    """Yields a client that reads and writes the committed offsets of a group without joining it.

    It is not the admin client: the error "not the coordinator" in response to its
    ListConsumerGroupOffsets, as from a coordinator that has just started, ends the process
    (librdkafka #5040; seen with 2.16).
    """
    group_settings = {"group.id": group, "enable.auto.commit": False}
    settings = {**_PERSISTENT, **group_settings, "bootstrap.servers": bootstrap}
    client = Consumer(settings, logger=silent_log)
    try:
        yield client
    finally:
        client.close()


def coordinator_of(bootstrap: str, group: str) -> int | None:
    """Returns the id of the broker that coordinates a consumer group, or would; None if unknown."""
    with quiet_admin(bootstrap) as admin:
        try:
            fields = admin.describe_consumer_groups([group], request_timeout=_REQUEST_S)
            return int(fields[group].result(_REQUEST_S).coordinator.id)
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
    """Creates a topic; retries transient errors for `limit_s` seconds.

    Brokers return such errors while one of them is restarting. Raises `KafkaException` with the
    brokers' message.
    """
    topic = NewTopic(name, partitions, replication_factor, config=dict(config or {}))
    transient_errors: list[KafkaException] = []

    def created() -> bool:
        try:
            admin.create_topics([topic], operation_timeout=5, request_timeout=10)[name].result()
        except KafkaException as refused:
            error: KafkaError = refused.args[0]
            if transient_errors and error.code() == KafkaError.TOPIC_ALREADY_EXISTS:
                return True  # an earlier attempt created it, although it seemed to fail
            if not (error.retriable() or error.code() in _TRANSIENT):
                raise
            transient_errors.append(refused)
            return False
        return True

    with quiet_admin(bootstrap) as admin:
        try:
            until(created, limit_s, f"topic {name!r} could not be created", every_s=0.2)
        except WaitTimeout as late:
            raise transient_errors[-1] from late


TOPIC, BROKER = ResourceType.TOPIC, ResourceType.BROKER


def alter_config(
    admin: AdminClient, kind: ResourceType, name: str, setting: str, value: str | None
) -> None:
    """Changes one setting of a topic or a broker (KIP-339); None restores the default.

    Raises `KafkaException` with the brokers' message.
    """
    operation = AlterConfigOpType.DELETE if value is None else AlterConfigOpType.SET
    change = ConfigEntry(setting, value, incremental_operation=operation)
    resource = ConfigResource(kind, name, incremental_configs=[change])
    for done in admin.incremental_alter_configs([resource], request_timeout=_REQUEST_S).values():
        done.result(_REQUEST_S)


def config(
    admin: AdminClient, kind: ResourceType, name: str, limit_s: float
) -> dict[str, ConfigEntry]:
    """Returns name → setting of a topic or broker, with defaults. Raises `KafkaException`."""
    (answer,) = admin.describe_configs(
        [ConfigResource(kind, name)], request_timeout=limit_s
    ).values()
    entries: dict[str, ConfigEntry] = answer.result(limit_s)
    return entries
