"""What brokers refuse of a client, or in their own file, by limits that the file may change.

What a broker's file states replaces Kafka's default in each comparison. The words of a file that
no broker starts with are those of GroupCoordinatorConfig.validate (KafkaConfig.validateValues
before 4.0); those for a client are `Errors.message` of kafka-clients and rd_kafka_err2str of
librdkafka. Each is checked against the products by tests/contracts.
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

_SESSION_WORDS = (
    "The session timeout is not within the range allowed by the broker (as configured by "
    f"{MIN_SESSION} and {MAX_SESSION})."
)
_TRANSACTION_WORDS = (
    "The transaction timeout is larger than the maximum value allowed by the broker (as "
    f"configured by {MAX_TRANSACTION})."
)
_SESSION_WORDS_C = "Broker: Invalid session timeout"
_TRANSACTION_WORDS_C = (
    "Broker: Transaction timeout is larger than the maximum value allowed by the broker's "
    "max.transaction.timeout.ms"
)


def file(stated: Stated) -> Iterator[Problem]:
    """The first thing a broker stops at in its file."""
    return islice(_file(stated), 1)


def _file(stated: Stated) -> Iterator[Problem]:
    # Since 3.9 each part of the file looks at itself first, and KafkaConfig at the rest then.
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
    for name, words in (
        (_SOCKET, f"{_SOCKET} should always be at least {_WAIT} to prevent unnecessary socket "
         "timeouts"),
        (_LAG, f"{_WAIT} should always be less than or equal to {_LAG} to prevent frequent changes "
         "in ISR"),
    ):  # fmt: skip
        if _of(stated, _WAIT) > _of(stated, name):
            here = name if name in settings else _WAIT
            yield Problem(Component.BROKER, here, f"requirement failed: {words}", product=True)


def _groups(stated: Stated) -> Iterator[Problem]:
    settings = stated.settings.get(Component.BROKER, {})
    for group in ("consumer", "streams"):
        if not any(name.startswith(f"group.{group}.") for name in settings):
            continue  # the defaults go together
        if has(stated.family, stated.line, stated.kafka, Component.BROKER, _name(group, "session")):
            yield from _group(stated, group)


def _offset_acks(stated: Stated) -> Iterator[Problem]:
    """Source: KafkaConfig.validateValues (`offsetCommitRequiredAcks`), in 3.9 the group
    coordinator's own part of it."""
    acks = stated.get(Component.BROKER, _OFFSET_ACKS)
    copies = _of(stated, _OFFSET_COPIES)
    if acks is not None and not -1 <= int(acks) <= copies:
        failed, equal = ("", "equal to") if at_least(stated.kafka, "3.9") else (_FAILED, "equal")
        message = f"{failed}{_OFFSET_ACKS} must be greater or {equal} -1 and less or equal to "
        message += _OFFSET_COPIES
        yield Problem(Component.BROKER, _OFFSET_ACKS, message, product=True)


def _group(stated: Stated, group: str) -> Iterator[Problem]:
    """Of one kind of group: the bounds of its heartbeat, then those of its session."""
    equal = "equal to" if at_least(stated.kafka, "4.0") else "equals to"
    for what in ("heartbeat", "session"):
        own, least, most = (_name(group, f"{bound}{what}") for bound in ("", "min.", "max."))
        if _of(stated, most) < _of(stated, least):
            yield _refused(stated, most, f"must be greater than or {equal}", least)
        if _of(stated, own) < _of(stated, least):
            yield _refused(stated, own, f"must be greater than or {equal}", least)
        if _of(stated, own) > _of(stated, most):
            yield _refused(stated, own, f"must be less than or {equal}", most)
    beat, session = _name(group, "heartbeat"), _name(group, "session")
    if at_least(stated.kafka, "4.0") and _of(stated, beat) >= _of(stated, session):
        yield _refused(stated, beat, "must be less than", session)


def _name(group: str, what: str) -> str:
    ending = "timeout.ms" if what.endswith("session") else "interval.ms"
    return f"group.{group}.{what}.{ending}"


def _refused(stated: Stated, name: str, words: str, other: str) -> Problem:
    """The problem is reported at what the file states; one of the two is stated."""
    here = name if stated.get(Component.BROKER, name) is not None else other
    required = "" if at_least(stated.kafka, "3.9") else "requirement failed: "
    message = f"{required}{name} {words} {other}"
    return Problem(Component.BROKER, here, message, product=True)


def session(stated: Stated) -> Iterator[Problem]:
    """A group that members assign; the brokers say the session of the others. Spark has none."""
    protocol = Component.STREAMS if stated.family is Family.STREAMS else Component.CONSUMER
    by_brokers = stated.get(protocol, GROUP_PROTOCOL) in ("consumer", "streams")
    if stated.family is Family.SPARK or by_brokers:
        return
    session = stated.number(Component.CONSUMER, SESSION)
    least, most = _of(stated, MIN_SESSION), _of(stated, MAX_SESSION)
    if not least <= session <= most:
        words = _SESSION_WORDS_C if stated.family is Family.LIBRDKAFKA else _SESSION_WORDS
        numbers = f"{SESSION} is {session}, and the brokers allow {least} to {most} ms."
        crossed = MIN_SESSION if session < least else MAX_SESSION
        yield _answered(stated, Component.CONSUMER, SESSION, crossed, words, numbers)


def transaction(stated: Stated) -> Iterator[Problem]:
    """What the brokers answer to a producer with transactions."""
    if stated.get(Component.PRODUCER, TRANSACTIONAL_ID) is None:
        return
    timeout, most = (
        stated.number(Component.PRODUCER, TRANSACTION_TIMEOUT),
        _of(stated, MAX_TRANSACTION),
    )
    if timeout > most:
        words = _TRANSACTION_WORDS_C if stated.family is Family.LIBRDKAFKA else _TRANSACTION_WORDS
        numbers = f"{TRANSACTION_TIMEOUT} is {timeout}, and {MAX_TRANSACTION} is {most}."
        yield _answered(
            stated, Component.PRODUCER, TRANSACTION_TIMEOUT, MAX_TRANSACTION, words, numbers
        )


def _answered(
    stated: Stated, client: Component, name: str, limit: str, words: str, numbers: str
) -> Problem:
    """The broker's answer, reported at the client's setting; at the changed limit if the client's
    is the default."""
    by_client = stated.settings.get(client, {}).get(name) is not None
    by_brokers = stated.get(Component.BROKER, limit) is not None
    component, setting = (
        (Component.BROKER, limit) if by_brokers and not by_client else (client, name)
    )
    ending = "" if words.endswith(".") else "."
    return Problem(component, setting, f"{words}{ending} {numbers}", product=True)


def _of(stated: Stated, name: str) -> int:
    return stated.number(Component.BROKER, name)
