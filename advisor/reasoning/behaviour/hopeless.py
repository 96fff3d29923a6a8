"""Times and sizes with which no request is answered, no message is sent, or no group ever reads.

Products start with them. No network and no product can meet any of the bounds below: a response to
acks=all takes a round trip to the leader and another one to its followers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from advisor.catalog import Component, Family
from advisor.catalog.versions import at_least
from advisor.reasoning.behaviour.group import assigned_by_brokers
from advisor.reasoning.behaviour.replication import (
    LINGER,
    LINGER_MS,
    QUORUM_TIMEOUTS_MS,
    Replication,
    controllers,
)
from advisor.reasoning.behaviour.session import ABORT_CHECK, MIN_RESPONSE_MS, Session
from advisor.reasoning.behaviour.sizes import (
    ENVELOPE_BYTES,
    SMALLEST_BATCH_BYTES,
    SMALLEST_REQUEST_BYTES,
    USUAL_BYTES,
    request_limit,
    topic_limit,
)
from advisor.reasoning.behaviour.streams import Streams
from advisor.reasoning.pipeline import Pipeline, derived_rows

_MEMORY_BYTES, _BATCH_BYTES = 33_554_432, 16_384
"""`buffer.memory` and `batch.size` of Java (ProducerConfig)."""

_REGISTRATION_MS = 60_000
"""`initial.broker.registration.timeout.ms` of Kafka (KRaftConfigs)."""


@dataclass(frozen=True, slots=True)
class HopelessSetting:
    """A setting with which no message gets through, the reason, and the product's default."""

    component: Component
    setting: str
    why: str
    usual: int


def hopeless_settings(pipeline: Pipeline) -> Iterator[HopelessSetting]:
    """Yields every such setting; none if messages can get through."""
    yield from _producer_timeouts(pipeline)
    yield from _consumer_timeouts(pipeline)
    yield from _idle_connections(pipeline)
    yield from _broker_size_limits(pipeline)
    yield from _producer_size_limits(pipeline)
    yield from _transaction_blocking_time(pipeline)
    yield from _transaction_timeout(pipeline)
    yield from _membership_timeouts(pipeline)
    yield from _commit_timeout(pipeline)
    yield from _cluster_timeouts(pipeline)


@derived_rows
def _producer_timeouts(pipeline: Pipeline) -> Iterator[HopelessSetting]:
    """Timeouts of the producer that expire before a response can arrive."""
    session, producer = Session(pipeline), Component.PRODUCER
    java = pipeline.family is not Family.LIBRDKAFKA
    request_ms = session.request_timeout_ms
    if request_ms <= MIN_RESPONSE_MS and (java or _is_written_repeatedly(pipeline)):
        consequence = (
            "the client gives up each request, even the first one to a broker"
            if java
            else "an error arrives before a follower has the batch, and it is sent again"
        )
        why = f"request.timeout.ms={request_ms}: a response takes longer, so {consequence}."
        yield HopelessSetting(producer, "request.timeout.ms", why, 30_000)
    if not java:
        socket_ms = pipeline.number(producer, "socket.timeout.ms")
        if socket_ms <= MIN_RESPONSE_MS:
            why = f"socket.timeout.ms={socket_ms}: no request is answered within that time."
            yield HopelessSetting(producer, "socket.timeout.ms", why, 60_000)
    delivery_ms = session.delivery_timeout_ms
    if delivery_ms is not None and delivery_ms <= MIN_RESPONSE_MS:
        why = (
            f"delivery.timeout.ms={delivery_ms}: each record is given up before its answer arrives."
        )
        yield HopelessSetting(producer, "delivery.timeout.ms", why, 120_000 if java else 300_000)


@derived_rows
def _consumer_timeouts(pipeline: Pipeline) -> Iterator[HopelessSetting]:
    """Timeouts of the consumer with which it gives up each request to a broker."""
    librdkafka = pipeline.family is Family.LIBRDKAFKA
    name, usual = ("socket.timeout.ms", 60_000) if librdkafka else ("request.timeout.ms", 30_000)
    waited_ms = pipeline.number(Component.CONSUMER, name)
    if waited_ms <= MIN_RESPONSE_MS:
        why = f"{name}={waited_ms}: no request of a consumer is answered within that time."
        yield HopelessSetting(Component.CONSUMER, name, why, usual)
    name = "default.api.timeout.ms"
    if failure := _api_timeout_failure(pipeline):
        waited_ms = pipeline.number(Component.CONSUMER, name)
        if waited_ms <= MIN_RESPONSE_MS:
            yield HopelessSetting(
                Component.CONSUMER, name, f"{name}={waited_ms}: {failure}", 60_000
            )
    name = "kafkaConsumer.pollTimeoutMs"
    if pipeline.family is Family.SPARK:
        waited_ms = pipeline.number(Component.CONSUMER, name)
        if waited_ms <= MIN_RESPONSE_MS:
            why = f"{name}={waited_ms}: each task fails before the records that it reads arrive."
            yield HopelessSetting(Component.CONSUMER, name, why, 120_000)


def _api_timeout_failure(pipeline: Pipeline) -> str:
    """Returns what fails if default.api.timeout.ms expires immediately, or an empty string. Since
    4.2 a consumer whose brokers assign the partitions waits for a thread of its own
    (AsyncKafkaConsumer)."""
    if _commits_and_waits(pipeline):
        return (
            "commitSync() throws a TimeoutException before the coordinator responds, so each "
            "commit fails."
        )
    java = pipeline.family is Family.JAVA
    if java and at_least(pipeline.version, "4.2") and assigned_by_brokers(pipeline):
        return "a consumer with group.protocol=consumer cannot be created within that time."
    return ""


def _commits_and_waits(pipeline: Pipeline) -> bool:
    """Whether a Java consumer calls commitSync(), without a timeout as an argument. Kafka Streams
    and Spring pass none either (KIP-266; ContainerProperties.syncCommitTimeout). Automatic commits,
    and those in a transaction, do not use default.api.timeout.ms."""
    if pipeline.family is Family.STREAMS:
        return not Streams(pipeline).exactly_once
    commit = pipeline.text(Component.APPLICATION, "commit")
    return pipeline.family is Family.JAVA and commit.endswith("-processing")


@derived_rows
def _idle_connections(pipeline: Pipeline) -> Iterator[HopelessSetting]:
    """Sides that close a connection while a response is awaited. librdkafka never does that."""
    sides = [(Component.BROKER, 600_000)]
    if pipeline.family is not Family.LIBRDKAFKA:
        sides += [(Component.PRODUCER, 540_000), (Component.CONSUMER, 540_000)]
        yield from _fetch_waits(pipeline)
    name = "connections.max.idle.ms"
    for side, usual in sides:
        idle_ms = pipeline.number(side, name)
        if 0 <= idle_ms <= MIN_RESPONSE_MS:
            why = f"{name}={idle_ms}: the {side} closes each connection before a response arrives."
            yield HopelessSetting(side, name, why, usual)


def _fetch_waits(pipeline: Pipeline) -> Iterator[HopelessSetting]:
    """Java gives up a fetch while the broker is still waiting for fetch.min.bytes; librdkafka adds
    the broker's wait to its own. A Spark task does not wait longer (InternalKafkaConsumer.fetch).
    """
    setting, usual = "fetch.max.wait.ms", 500
    wait, least = (
        pipeline.number(Component.CONSUMER, name) for name in (setting, "fetch.min.bytes")
    )
    limits = {"request.timeout.ms": (30_000, "the client gives up each fetch")}
    if pipeline.family is Family.SPARK:
        limits["kafkaConsumer.pollTimeoutMs"] = (120_000, "each task fails")
    for name, (default, consequence) in limits.items():
        waited_ms = pipeline.number(Component.CONSUMER, name)
        if least > 1 and wait >= waited_ms > MIN_RESPONSE_MS:
            why = (
                f"{setting}={wait}, fetch.min.bytes={least} and {name}={waited_ms}: {consequence} "
                "before the broker responds, and the last messages are never read."
            )
            key, value = (setting, usual) if wait > usual else (name, default)
            yield HopelessSetting(Component.CONSUMER, key, why, value)
            return


def _is_written_repeatedly(pipeline: Pipeline) -> bool:
    """Whether each retry of a batch is written again. librdkafka tells the brokers how long to wait
    for followers. They recognize a retry of an idempotent producer and respond immediately."""
    topic = Replication(pipeline)
    waits = topic.waits_for_followers and topic.fails_over
    return waits and not Session(pipeline).idempotent


@derived_rows
def _broker_size_limits(pipeline: Pipeline) -> Iterator[HopelessSetting]:
    """Limits of brokers and topics that refuse even a batch of one empty record."""
    limit = topic_limit(pipeline)
    if limit.most < SMALLEST_BATCH_BYTES:
        why = f"{limit}: even a batch of one empty record is larger, so every batch is refused."
        yield HopelessSetting(limit.component, limit.setting, why, USUAL_BYTES[limit.setting])
    limit = request_limit(pipeline)
    if limit.most < SMALLEST_REQUEST_BYTES:
        why = f"{limit}: even a request with one empty record is larger, and is not read."
        yield HopelessSetting(limit.component, limit.setting, why, USUAL_BYTES[limit.setting])


@derived_rows
def _producer_size_limits(pipeline: Pipeline) -> Iterator[HopelessSetting]:
    """A batch that is larger than the whole buffer is refused immediately (BufferPool.allocate),
    and so is such a record (KafkaProducer, ensureValidRecordSize)."""
    if pipeline.family is Family.LIBRDKAFKA:
        return
    memory, batch, request = (
        pipeline.number(Component.PRODUCER, name)
        for name in ("buffer.memory", "batch.size", "max.request.size")
    )
    if request < ENVELOPE_BYTES:
        why = f"max.request.size={request}: even an empty record is larger, so every send() fails."
        yield HopelessSetting(Component.PRODUCER, "max.request.size", why, 1_048_576)
    if memory < batch:
        why = (
            f"buffer.memory={memory} is less than batch.size={batch}: each send() fails "
            "immediately."
        )
        large = batch > _MEMORY_BYTES
        key, usual = ("batch.size", _BATCH_BYTES) if large else ("buffer.memory", _MEMORY_BYTES)
        yield HopelessSetting(Component.PRODUCER, key, why, usual)
        if large and memory < _BATCH_BYTES:
            why = f"buffer.memory={memory} is less than batch.size={_BATCH_BYTES}, the default."
            yield HopelessSetting(Component.PRODUCER, "buffer.memory", why, _MEMORY_BYTES)
    elif memory < ENVELOPE_BYTES:
        why = f"buffer.memory={memory}: even an empty record is larger, so every send() fails."
        yield HopelessSetting(Component.PRODUCER, "buffer.memory", why, _MEMORY_BYTES)


@derived_rows
def _transaction_blocking_time(pipeline: Pipeline) -> Iterator[HopelessSetting]:
    """max.block.ms also limits each step of a transaction (KafkaProducer, initTransactions)."""
    if pipeline.family is not Family.JAVA:
        return
    block_ms = pipeline.number(Component.PRODUCER, "max.block.ms")
    if block_ms <= MIN_RESPONSE_MS and pipeline.text(Component.PRODUCER, "transactional.id"):
        why = (
            f"max.block.ms={block_ms}: initTransactions() and commitTransaction() do not wait "
            "longer than that, and fail before a coordinator responds."
        )
        yield HopelessSetting(Component.PRODUCER, "max.block.ms", why, 60_000)


@derived_rows
def _transaction_timeout(pipeline: Pipeline) -> Iterator[HopelessSetting]:
    """The coordinator aborts each transaction before it can end. A transaction's time starts with
    its first partition (TransactionStateManager, timedOutTransactions)."""
    streams = pipeline.family is Family.STREAMS and Streams(pipeline).exactly_once
    if not streams and not pipeline.text(Component.PRODUCER, "transactional.id"):
        return
    timeout_ms = pipeline.number(Component.PRODUCER, "transaction.timeout.ms")
    check_ms = pipeline.number(Component.BROKER, ABORT_CHECK)
    if max(timeout_ms, check_ms) <= MIN_RESPONSE_MS:
        why = (
            f"transaction.timeout.ms={timeout_ms} with {ABORT_CHECK}={check_ms}: each transaction "
            "is aborted before its messages and its end marker are in the log."
        )
        usual = 10_000 if streams else 60_000
        yield HopelessSetting(Component.PRODUCER, "transaction.timeout.ms", why, usual)


@derived_rows
def _membership_timeouts(pipeline: Pipeline) -> Iterator[HopelessSetting]:
    """A member is removed from its group before it has joined and read (KIP-62)."""
    if pipeline.family is Family.SPARK:
        return
    times = {"max.poll.interval.ms": 300_000}
    if not assigned_by_brokers(pipeline):
        times["session.timeout.ms"] = 45_000
    for name, usual in times.items():
        value_ms = pipeline.number(Component.CONSUMER, name)
        if value_ms <= MIN_RESPONSE_MS:
            why = (
                f"{name}={value_ms}: a member is removed from its group before it has read and "
                "committed anything, and joins again."
            )
            yield HopelessSetting(Component.CONSUMER, name, why, usual)


@derived_rows
def _commit_timeout(pipeline: Pipeline) -> Iterator[HopelessSetting]:
    """A commit fails before the replicas of __consumer_offsets have it. Since 4.0 each step of a
    group is such a write (GroupCoordinatorService)."""
    name, copies = "offsets.commit.timeout.ms", "offsets.topic.replication.factor"
    waited_ms = pipeline.number(Component.BROKER, name)
    is_copied = pipeline.number(Component.BROKER, copies) > 1
    if waited_ms <= MIN_RESPONSE_MS and is_copied and pipeline.family is not Family.SPARK:
        why = (
            f"{name}={waited_ms}: a commit fails before the other brokers have it, and the group "
            "starts again from its last commit."
        )
        yield HopelessSetting(Component.BROKER, name, why, 5_000)


@derived_rows
def _cluster_timeouts(pipeline: Pipeline) -> Iterator[HopelessSetting]:
    """Brokers count as dead, or as lagging, before their next heartbeat or fetch can arrive.

    A session of ZooKeeper is never shorter than two of its ticks.
    """
    topic = Replication(pipeline)
    if not topic.zookeeper and topic.session_timeout_ms <= MIN_RESPONSE_MS:
        why = (
            f"broker.session.timeout.ms={topic.session_timeout_ms}: the controller fences each "
            "broker before its next heartbeat arrives, and no replica leads."
        )
        yield HopelessSetting(Component.BROKER, "broker.session.timeout.ms", why, 9_000)
    for name, usual in () if topic.zookeeper else QUORUM_TIMEOUTS_MS.items():
        value_ms = pipeline.number(Component.BROKER, name)
        if value_ms <= MIN_RESPONSE_MS and controllers(pipeline) != 1:
            why = (
                f"{name}={value_ms}: a controller gives up on the active one, or on its own "
                "election, before a response arrives, and none stays elected."
            )
            yield HopelessSetting(Component.BROKER, name, why, usual)
    yield from _registration_delay(pipeline, topic)
    name = "replica.socket.timeout.ms"
    if (
        topic.fails_over
        and topic.min_isr > 1
        and pipeline.number(Component.BROKER, name) <= MIN_RESPONSE_MS
    ):
        why = (
            f"{name}={pipeline.number(Component.BROKER, name)}: a follower gives up each fetch "
            f"before its response arrives, and min.insync.replicas={topic.min_isr} are never in "
            "sync."
        )
        yield HopelessSetting(Component.BROKER, name, why, 30_000)
    if topic.fails_over and topic.min_isr > 1 and topic.lag_max_ms <= MIN_RESPONSE_MS:
        why = (
            f"replica.lag.time.max.ms={topic.lag_max_ms}: a follower leaves the in-sync set before "
            f"its next fetch arrives, and min.insync.replicas={topic.min_isr} are never in sync."
        )
        yield HopelessSetting(Component.BROKER, "replica.lag.time.max.ms", why, 30_000)


def _registration_delay(pipeline: Pipeline, topic: Replication) -> Iterator[HopelessSetting]:
    """A broker shuts down if its registration is not in the log in time (BrokerLifecycleManager,
    RegistrationTimeoutEvent). Seen on 4.3.1: with a linger of 45 s brokers registered.
    """
    linger_ms = 0 if topic.zookeeper else pipeline.number(Component.BROKER, LINGER)
    if linger_ms >= _REGISTRATION_MS:
        why = (
            f"{LINGER}={linger_ms}: the active controller writes a broker's registration so late "
            "that the broker shuts down first (initial.broker.registration.timeout.ms, "
            f"{_REGISTRATION_MS} unless stated)."
        )
        yield HopelessSetting(Component.BROKER, LINGER, why, LINGER_MS)
