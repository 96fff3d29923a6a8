"""Limits in a broker's file: what brokers refuse from clients, and in the file itself.

In each comparison the file's value replaces Kafka's default. The messages for a file with which no
broker starts are those of GroupCoordinatorConfig.validate (KafkaConfig.validateValues before 4.0).
Those for a client are `Errors.message` of kafka-clients and rd_kafka_err2str of librdkafka.
tests/contracts checks each of them against the products.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from advisor.catalog.effective import (
    GROUP_PROTOCOL,
    SESSION,
    TRANSACTION_TIMEOUT,
    TRANSACTIONAL_ID,
    Stated,
)
from advisor.catalog.lookups import has
from advisor.catalog.model import Component, Family, Problem
from advisor.catalog.versions import at_least

MIN_SESSION, MAX_SESSION = "group.min.session.timeout.ms", "group.max.session.timeout.ms"
MAX_TRANSACTION = "transaction.max.timeout.ms"
_WAIT, _SOCKET = "replica.fetch.wait.max.ms", "replica.socket.timeout.ms"
_LAG = "replica.lag.time.max.ms"
_OFFSET_ACKS = "offsets.commit.required.acks"
_FAILED = "requirement failed: "
_OFFSET_COPIES = "offsets.topic.replication.factor"

_SESSION_ERROR = (
    "The session timeout is not within the range allowed by the broker (as configured by "
    f"{MIN_SESSION} and {MAX_SESSION})."
)
_TRANSACTION_ERROR = (
    "The transaction timeout is larger than the maximum value allowed by the broker (as "
    f"configured by {MAX_TRANSACTION})."
)
_SESSION_ERROR_LIBRDKAFKA = "Broker: Invalid session timeout"
_TRANSACTION_ERROR_LIBRDKAFKA = (
    "Broker: Transaction timeout is larger than the maximum value allowed by the broker's "
    "max.transaction.timeout.ms"
)


def file(stated: Stated) -> Iterator[Problem]:
    """Yields the first problem that stops a broker when it reads its file."""
    return islice(_file(stated), 1)


def _file(stated: Stated) -> Iterator[Problem]:
    # Since 3.9 each part of the configuration is validated first, then KafkaConfig.
    fetches, acks = [*_fetches(stated)], [*_offset_acks(stated)]
    groups = [*_groups(stated)]
    if at_least(stated.kafka, "3.9"):
        yield from [*groups, *acks, *fetches]
    else:
        yield from [*fetches, *acks, *groups]


def _fetches(stated: Stated) -> Iterator[Problem]:
    """Source: KafkaConfig.validateValues (`replicaFetchWaitMaxMs`)."""
    settings = stated.settings.get(Component.BROKER, {})
    if not {_WAIT, _SOCKET, _LAG} & settings.keys():
        return  # the defaults go together
    for name, message in (
        (_SOCKET, f"{_SOCKET} should always be at least {_WAIT} to prevent unnecessary socket "
         "timeouts"),
        (_LAG, f"{_WAIT} should always be less than or equal to {_LAG} to prevent frequent changes "
         "in ISR"),
    ):  # fmt: skip
        if _broker_number(stated, _WAIT) > _broker_number(stated, name):
            key = name if name in settings else _WAIT
            yield Problem(Component.BROKER, key, f"requirement failed: {message}", product=True)


def _groups(stated: Stated) -> Iterator[Problem]:
    settings = stated.settings.get(Component.BROKER, {})
    for group in ("consumer", "streams"):
        if not any(name.startswith(f"group.{group}.") for name in settings):
            continue  # the defaults go together
        if has(stated.family, stated.line, stated.kafka, Component.BROKER, _name(group, "session")):
            yield from _group(stated, group)


def _offset_acks(stated: Stated) -> Iterator[Problem]:
    """Source: KafkaConfig.validateValues (`offsetCommitRequiredAcks`); since 3.9
    GroupCoordinatorConfig."""
    acks = stated.get(Component.BROKER, _OFFSET_ACKS)
    copies = _broker_number(stated, _OFFSET_COPIES)
    if acks is not None and not -1 <= int(acks) <= copies:
        failed, equal = ("", "equal to") if at_least(stated.kafka, "3.9") else (_FAILED, "equal")
        message = f"{failed}{_OFFSET_ACKS} must be greater or {equal} -1 and less or equal to "
        message += _OFFSET_COPIES
        yield Problem(Component.BROKER, _OFFSET_ACKS, message, product=True)


def _group(stated: Stated, group: str) -> Iterator[Problem]:
    """Checks one kind of group: the bounds of its heartbeat, then those of its session."""
    equal = "equal to" if at_least(stated.kafka, "4.0") else "equals to"
    for kind in ("heartbeat", "session"):
        name, least, most = (_name(group, f"{bound}{kind}") for bound in ("", "min.", "max."))
        if _broker_number(stated, most) < _broker_number(stated, least):
            yield _refused(stated, most, f"must be greater than or {equal}", least)
        if _broker_number(stated, name) < _broker_number(stated, least):
            yield _refused(stated, name, f"must be greater than or {equal}", least)
        if _broker_number(stated, name) > _broker_number(stated, most):
            yield _refused(stated, name, f"must be less than or {equal}", most)
    heartbeat, session = _name(group, "heartbeat"), _name(group, "session")
    if at_least(stated.kafka, "4.0") and _broker_number(stated, heartbeat) >= _broker_number(
        stated, session
    ):
        yield _refused(stated, heartbeat, "must be less than", session)


def _name(group: str, kind: str) -> str:
    ending = "timeout.ms" if kind.endswith("session") else "interval.ms"
    return f"group.{group}.{kind}.{ending}"


def _refused(stated: Stated, name: str, relation: str, other: str) -> Problem:
    """Returns the problem, reported at the setting that is stated; one of the two is."""
    key = name if stated.get(Component.BROKER, name) is not None else other
    prefix = "" if at_least(stated.kafka, "3.9") else "requirement failed: "
    message = f"{prefix}{name} {relation} {other}"
    return Problem(Component.BROKER, key, message, product=True)


def session(stated: Stated) -> Iterator[Problem]:
    """Checks the session timeout of a classic group. Brokers set that of other groups, and Spark
    has no group."""
    protocol = Component.STREAMS if stated.family is Family.STREAMS else Component.CONSUMER
    by_brokers = stated.get(protocol, GROUP_PROTOCOL) in ("consumer", "streams")
    if stated.family is Family.SPARK or by_brokers:
        return
    session = stated.number(Component.CONSUMER, SESSION)
    least, most = _broker_number(stated, MIN_SESSION), _broker_number(stated, MAX_SESSION)
    if not least <= session <= most:
        error = _SESSION_ERROR_LIBRDKAFKA if stated.family is Family.LIBRDKAFKA else _SESSION_ERROR
        numbers = f"{SESSION} is {session}, and the brokers allow {least} to {most} ms."
        limit = MIN_SESSION if session < least else MAX_SESSION
        yield _broker_error(stated, Component.CONSUMER, SESSION, limit, error, numbers)


def transaction(stated: Stated) -> Iterator[Problem]:
    """Checks the transaction timeout of a transactional producer."""
    if stated.get(Component.PRODUCER, TRANSACTIONAL_ID) is None:
        return
    timeout, most = (
        stated.number(Component.PRODUCER, TRANSACTION_TIMEOUT),
        _broker_number(stated, MAX_TRANSACTION),
    )
    if timeout > most:
        error = (
            _TRANSACTION_ERROR_LIBRDKAFKA
            if stated.family is Family.LIBRDKAFKA
            else _TRANSACTION_ERROR
        )
        numbers = f"{TRANSACTION_TIMEOUT} is {timeout}, and {MAX_TRANSACTION} is {most}."
        yield _broker_error(
            stated, Component.PRODUCER, TRANSACTION_TIMEOUT, MAX_TRANSACTION, error, numbers
        )


def _broker_error(
    stated: Stated, client: Component, name: str, limit: str, error: str, numbers: str
) -> Problem:
    """Returns the broker's error, reported at the client's setting; or at the limit if only that
    is stated."""
    by_client = stated.settings.get(client, {}).get(name) is not None
    by_brokers = stated.get(Component.BROKER, limit) is not None
    component, setting = (
        (Component.BROKER, limit) if by_brokers and not by_client else (client, name)
    )
    ending = "" if error.endswith(".") else "."
    return Problem(component, setting, f"{error}{ending} {numbers}", product=True)


def _broker_number(stated: Stated, name: str) -> int:
    return stated.number(Component.BROKER, name)
