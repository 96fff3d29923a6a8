"""Whether the stated settings are valid together, with the products' own messages.

A real client stops at the first problem, so at most one per client is reported, in the order in
which that client checks. Sources: ProducerConfig and KafkaProducer of
kafka-clients 2.8, 3.9 and 4.3, StreamsConfig and KafkaStreams of the same lines; librdkafka's
rd_kafka_conf_finalize and rd_kafka_new. tests/contracts checks each rule against the installed
clients. `structure` has the checks that no client makes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from itertools import chain, islice

from advisor.catalog import structure
from advisor.catalog.effective import (
    DELIVERY_TIMEOUT,
    GROUP_PROTOCOL,
    HEARTBEAT,
    IDEMPOTENCE,
    IN_FLIGHT,
    INT_MAX,
    LINGER,
    MAX_IN_FLIGHT_IDEMPOTENT,
    QUEUE,
    REQUEST_TIMEOUT,
    SESSION,
    SOCKET_TIMEOUT,
    TRANSACTION_TIMEOUT,
    TRANSACTIONAL_ID,
    Stated,
)
from advisor.catalog.model import Component, Family, Problem, Value
from advisor.catalog.streams_overrides import Settings, exactly_once
from advisor.catalog.versions import at_least, client_line, kafka_line

Check = Callable[[Stated, int], Iterable[Problem]]
"""Checks some settings, given the number of brokers."""


def validate(
    family: Family,
    version: str,
    kafka: str,
    brokers: int,
    settings: Settings,
    only: Check | None = None,
) -> list[Problem]:
    """Returns what clients and brokers would refuse, and what makes no sense; empty if valid.

    `settings` are values returned by `parse`; `brokers` is the size of the cluster. `only` limits
    the validation to one of the `checks`. Raises `SettingError` for an unknown version.
    """
    stated = Stated(family, client_line(family, version), kafka_line(kafka), settings)
    selected = (only,) if only else checks(family)
    return [problem for check in selected for problem in check(stated, brokers)]


@cache
def checks(family: Family) -> tuple[Check, ...]:
    """Returns the checks of each client that starts by itself, then those that no client makes."""
    clients: list[tuple[structure.StatedCheck, ...]]
    if family is Family.LIBRDKAFKA:
        clients = [(_librdkafka_producer,), (_librdkafka_consumer,)]
    elif family is Family.STREAMS:
        # One application, which creates its producers before its consumers.
        clients = [(_streams, _java_producer, _java_consumer)]
    else:
        clients = [(_java_producer,), (_java_consumer,), (_spark_trigger,)]
    return (
        *(partial(_first, client_checks) for client_checks in clients),
        structure.cluster,
        *(partial(_every, check) for check in structure.SETTING_CHECKS),
    )


def _first(
    client_checks: Iterable[structure.StatedCheck], stated: Stated, _: int
) -> Iterator[Problem]:
    """Yields the first problem, at which a client stops."""
    return islice(chain.from_iterable(check(stated) for check in client_checks), 1)


def _every(check: structure.StatedCheck, stated: Stated, _: int) -> Iterator[Problem]:
    return check(stated)


def _spark_trigger(stated: Stated) -> Iterator[Problem]:
    """Spark has real-time mode since 4.1 (real-time-mode.md)."""
    if stated.family is not Family.SPARK or at_least(stated.line, "4.1"):
        return
    if stated.get(Component.APPLICATION, "trigger") == "real-time":
        message = f"Spark {stated.line} has no real-time mode; 4.1 does."
        yield Problem(Component.APPLICATION, "trigger", message)


def _refusal(setting: str, message: str, component: Component = Component.PRODUCER) -> Problem:
    return Problem(component, setting, message, product=True)


def _streams(stated: Stated) -> Iterator[Problem]:
    """Yields what StreamsConfig refuses before it creates a client."""
    eos = exactly_once(stated.settings)
    commit, transaction = (
        stated.number(Component.STREAMS, "commit.interval.ms"),
        stated.number(Component.PRODUCER, TRANSACTION_TIMEOUT),
    )
    if eos and at_least(stated.client, "3.0") and commit > transaction:
        message = (
            f"Transaction timeout {transaction} was set lower than streams commit interval "
            f"{commit}. This will cause ongoing transaction always timeout due to inactivity "
            "caused by long commit interval. Consider reconfiguring commit interval to match "
            "transaction timeout by tuning 'commit.interval.ms' config, or increase the "
            "transaction timeout to match commit interval by tuning "
            "`producer.transaction.timeout.ms` config."
        )
        yield _refusal("commit.interval.ms", message, Component.STREAMS)
    static = stated.get(Component.CONSUMER, "group.instance.id") is not None
    if static and stated.get(Component.STREAMS, GROUP_PROTOCOL) == "streams":
        message = "Streams rebalance protocol does not support static membership. Please set "
        message += "group.protocol=classic or remove group.instance.id from the configuration."
        yield _refusal("group.instance.id", message, Component.CONSUMER)
    in_flight = stated.number(Component.PRODUCER, IN_FLIGHT)
    if eos and in_flight > MAX_IN_FLIGHT_IDEMPOTENT:
        message = f"Invalid value {in_flight} for configuration {IN_FLIGHT}: "
        yield _refusal(
            IN_FLIGHT, f"{message}Can't exceed 5 when exactly-once processing is enabled"
        )


_PARTITIONER = "partitioner.class"
_REMOVED = {
    f"org.apache.kafka.clients.producer.{name}"
    for name in ("internals.DefaultPartitioner", "UniformStickyPartitioner")
}
"""Kafka's own partitioners that 4.0 no longer has (the jars of kafka-clients 3.9.2 and 4.0.2)."""


def _java_producer(stated: Stated) -> Iterator[Problem]:
    partitioner = _stated(stated, _PARTITIONER)
    if partitioner in _REMOVED and at_least(stated.client, "4.0"):
        message = (
            f"Invalid value {partitioner} for configuration {_PARTITIONER}: Class {partitioner} "
            "could "
        )
        yield _refusal(_PARTITIONER, f"{message}not be found.")
    idempotence, since_3 = _stated(stated, IDEMPOTENCE), at_least(stated.client, "3.0")
    idempotent = bool(stated.value(Component.PRODUCER, IDEMPOTENCE))
    # Before 3.0 a transactional.id also requested idempotence; since then only the setting does.
    is_requested = idempotence is True if since_3 else idempotent
    yield from _java_idempotence(stated, is_requested)
    if since_3:
        yield from _java_in_flight(stated, is_requested)
    if _stated(stated, TRANSACTIONAL_ID) is not None and not idempotent:
        message = "Cannot set a transactional.id without also enabling idempotence."
        yield _refusal(TRANSACTIONAL_ID, message)
    delivery = _stated(stated, DELIVERY_TIMEOUT)
    linger, request = (
        stated.number(Component.PRODUCER, name) for name in (LINGER, REQUEST_TIMEOUT)
    )
    if isinstance(delivery, int) and delivery < min(linger + request, INT_MAX):
        message = "should be equal to or larger than linger.ms + request.timeout.ms"
        yield _refusal(DELIVERY_TIMEOUT, f"delivery.timeout.ms {message}")
    if not since_3:  # 2.8 checks it last, when it creates its sender
        yield from _java_in_flight(stated, is_requested)


def _java_idempotence(stated: Stated, is_requested: bool) -> Iterator[Problem]:
    if is_requested and _stated(stated, "retries") == 0:
        yield _refusal(
            "retries", "Must set retries to non-zero when using the idempotent producer."
        )
    if is_requested and _stated(stated, "acks") in ("0", "1"):
        message = "Must set acks to all in order to use the idempotent producer."
        yield _refusal("acks", f"{message} Otherwise we cannot guarantee idempotence.")


def _java_in_flight(stated: Stated, is_requested: bool) -> Iterator[Problem]:
    in_flight = stated.number(Component.PRODUCER, IN_FLIGHT)
    if in_flight <= MAX_IN_FLIGHT_IDEMPOTENT:
        return
    # 4.x checks this before acks=1 or retries=0 switches idempotence off, so it refuses 6 in flight
    # with acks=1 unless enable.idempotence=false is stated.
    if at_least(stated.client, "4.0") and _stated(stated, IDEMPOTENCE) is not False:
        message = f"must be set to at most 5. Current value is {in_flight}."
        yield _refusal(IN_FLIGHT, f"To use the idempotent producer, {IN_FLIGHT} {message}")
    elif is_requested:
        message = "to at most 5 to use the idempotent producer."
        yield _refusal(IN_FLIGHT, f"Must set {IN_FLIGHT} {message}")


def _java_consumer(stated: Stated) -> Iterator[Problem]:
    consumer = Component.CONSUMER
    timings = [name for name in (HEARTBEAT, SESSION) if stated.get(consumer, name) is not None]
    if not timings:
        return  # the defaults go together
    if stated.get(consumer, GROUP_PROTOCOL) == "consumer":
        if at_least(stated.client, "4.0"):
            message = f"{', '.join(timings)} cannot be set when group.protocol=CONSUMER"
            yield _refusal(timings[0], message, consumer)
    elif stated.number(consumer, HEARTBEAT) >= stated.number(consumer, SESSION):
        message = "Heartbeat must be set lower than the session timeout"
        yield _refusal(timings[-1], message, consumer)


def _librdkafka_producer(stated: Stated) -> Iterator[Problem]:
    transactional = _stated(stated, TRANSACTIONAL_ID) is not None
    idempotent = bool(stated.value(Component.PRODUCER, IDEMPOTENCE))
    transaction_ms = stated.number(Component.PRODUCER, TRANSACTION_TIMEOUT)
    if transactional and not idempotent:
        yield _refusal(TRANSACTIONAL_ID, "`transactional.id` requires `enable.idempotence=true`")
    socket = _stated(stated, SOCKET_TIMEOUT)
    if transactional and isinstance(socket, int) and socket > transaction_ms + 100:
        message = "`socket.timeout.ms` must be set <= `transaction.timeout.ms` + 100"
        yield _refusal(SOCKET_TIMEOUT, message)
    yield from _librdkafka_idempotence(stated, idempotent)
    delivery = stated.number(Component.PRODUCER, DELIVERY_TIMEOUT)
    linger = _stated(stated, LINGER)
    # If no topic-level setting is stated, librdkafka only reports this at the first produce().
    if isinstance(linger, int) and 0 < delivery <= linger:
        yield _refusal(LINGER, "`message.timeout.ms` must be greater than `linger.ms`")
    if idempotent and _stated(stated, "acks") in ("0", "1"):
        yield _refusal("acks", "`acks` must be set to `all` when `enable.idempotence` is true")
    if transactional and delivery > transaction_ms:
        message = "`message.timeout.ms` must be set <= `transaction.timeout.ms`"
        yield _refusal(DELIVERY_TIMEOUT, message)


def _librdkafka_idempotence(stated: Stated, idempotent: bool) -> Iterator[Problem]:
    if not idempotent:
        return
    if stated.number(Component.PRODUCER, IN_FLIGHT) > MAX_IN_FLIGHT_IDEMPOTENT:
        message = "`max.in.flight` must be set <= 5 when `enable.idempotence` is true"
        yield _refusal(IN_FLIGHT, message)
    if _stated(stated, "retries") == 0:
        message = "`retries` must be set >= 1 when `enable.idempotence` is true"
        yield _refusal("retries", message)
    if _stated(stated, QUEUE) == "lifo":
        yield _refusal(QUEUE, f"`{QUEUE}` must be set to `fifo` when `{IDEMPOTENCE}` is true")


def _librdkafka_consumer(stated: Stated) -> Iterator[Problem]:
    consumer = Component.CONSUMER
    if stated.get(consumer, GROUP_PROTOCOL) == "consumer":
        if stated.get(consumer, SESSION) is not None:
            message = "`session.timeout.ms` is not supported for `group.protocol=consumer` or "
            message += "share consumer. It is defined broker side"
            yield _refusal(SESSION, message, consumer)
        return
    poll, session = (stated.number(consumer, name) for name in ("max.poll.interval.ms", SESSION))
    if poll < session:
        message = "`max.poll.interval.ms`must be >= `session.timeout.ms`"
        yield _refusal("max.poll.interval.ms", message, consumer)


def _stated(stated: Stated, name: str) -> Value:
    return stated.get(Component.PRODUCER, name)
