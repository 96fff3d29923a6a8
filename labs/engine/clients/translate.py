"""Translates the team's client settings for librdkafka, with a sentence for each difference.

Whatever client a team runs, the lab's clients are librdkafka, unless Java's own are asked for or
the scenario is about a Spark query: with the team's complete effective settings written out, so
that an arm of a Java team with `acks=1` runs with acks=1 and idempotence off, and never with a
default of librdkafka's. What librdkafka cannot do is said, not hidden.
Ranges: librdkafka 2.16 CONFIGURATION.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Value = str | int | bool
Config = dict[str, Value]


@dataclass(frozen=True, slots=True)
class Pinned:
    """A client setting that the lab sets itself, because a run is short; `why` is for the page."""

    lab: int
    product: int
    why: str


_BACK_SOON = "the client tries a broker that came back again at once"
PINNED: Mapping[str, Pinned] = {
    "reconnect.backoff.ms": Pinned(50, 100, _BACK_SOON),
    "reconnect.backoff.max.ms": Pinned(500, 10000, _BACK_SOON),
}
"""For every client. The product's values are librdkafka's 2.16 defaults."""


@dataclass(frozen=True, slots=True)
class Translated:
    """A client configuration for librdkafka, and in what it differs from what the team runs."""

    config: Config
    differences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Rule:
    """How one key is translated: clipped to librdkafka's range, with other values, or left out."""

    low: int | None = None
    high: int | None = None
    words: Mapping[str, str] = field(default_factory=dict)
    dropped: str | None = None


_NO_TRANSACTIONS = "this workload sends outside transactions"
_UNKNOWN = _Rule(dropped="librdkafka has no such setting")

_PRODUCER: Mapping[str, _Rule] = {
    "acks": _Rule(),
    "enable.idempotence": _Rule(),
    "retries": _Rule(0, 2147483647),
    "max.in.flight.requests.per.connection": _Rule(1, 1000000),
    "delivery.timeout.ms": _Rule(0, 2147483647),
    "request.timeout.ms": _Rule(1, 900000),
    "socket.timeout.ms": _Rule(10, 300000),
    "linger.ms": _Rule(0, 900000),
    "batch.size": _Rule(1, 2147483647),
    "batch.num.messages": _Rule(1, 1000000),
    "message.max.bytes": _Rule(1000, 1000000000),
    "queue.buffering.max.messages": _Rule(0, 2147483647),
    "queue.buffering.max.kbytes": _Rule(1, 2147483647),
    "partitioner": _Rule(),
    "queuing.strategy": _Rule(),
    "retry.backoff.ms": _Rule(1, 300000),
    "retry.backoff.max.ms": _Rule(1, 300000),
    "topic.metadata.refresh.interval.ms": _Rule(-1, 3600000),
    "transactional.id": _Rule(dropped=_NO_TRANSACTIONS),
}

_LARGEST_RECORD = "max.request.size"
"""Java's name of what librdkafka calls message.max.bytes."""

# Played by the producer process itself (labs.engine.clients.producer), so not dropped.
_SENDERS_OWN = {"max.block.ms"}
# Means nothing without a transactional.id, whose absence is said.
_FOR_TRANSACTIONS = {"transaction.timeout.ms"}
_TRANSACTIONAL: Mapping[str, _Rule] = {
    "transactional.id": _Rule(),
    "transaction.timeout.ms": _Rule(1000, 2147483647),
}

_REFRESHED = "topic.metadata.refresh.interval.ms"
"""librdkafka's name of Java's metadata.max.age.ms, of which 0 is never and not always."""
_LEAST_RESPONSE = 52_428_800 + 512
"""receive.message.max.bytes that librdkafka takes with its own fetch.max.bytes."""

_CONSUMER: dict[str, _Rule] = {
    "auto.offset.reset": _Rule(words={"none": "error"}),
    "isolation.level": _Rule(),
    "group.protocol": _Rule(),
    "auto.commit.interval.ms": _Rule(0, 86400000),
    "max.poll.interval.ms": _Rule(1, 86400000),
    "session.timeout.ms": _Rule(1, 3600000),
    "heartbeat.interval.ms": _Rule(1, 3600000),
    "check.crcs": _Rule(),
    "group.id": _Rule(dropped="a run's readers have a group of their own"),
    _REFRESHED: _Rule(-1, 3600000),
    "receive.message.max.bytes": _Rule(_LEAST_RESPONSE, 2147483647),
    "group.instance.id": _Rule(dropped="a run's reader has no restart that could keep its name"),
    **dict.fromkeys(
        (
            "maxOffsetsPerTrigger",
            "minOffsetsPerTrigger",
            "maxTriggerDelay",
            "minPartitions",
            "maxRecordsPerPartition",
        ),
        _Rule(dropped="a run's readers have no batches"),
    ),
}
BROKER_SIDE = frozenset({"session.timeout.ms", "heartbeat.interval.ms"})
"""With `group.protocol=consumer` (KIP-848) these are the brokers', and a client refuses them."""

# Read by the consumer process itself (labs.engine.clients.consumer), so not dropped.
_APPLICATIONS_OWN = {"enable.auto.commit", "enable.auto.offset.store", "max.poll.records"}
# Spark's. The first is what its reader has for an auto.offset.reset.
_STARTS = "startingOffsets"
_APPLICATIONS_OWN |= {_STARTS, "failOnDataLoss"}


def producer(
    settings: Mapping[str, Value],
    transactions: bool = False,
    taken_bytes: int | None = None,
    splits: bool = True,
) -> Translated:
    """A producer's complete effective settings for librdkafka, pinned ones included.

    A transactional.id is left out unless `transactions` are this workload's. `taken_bytes` is the
    largest batch that the topic takes. Java's producer `splits` a larger one, before 4.2 in vain
    (KAFKA-8350); librdkafka loses it.
    """
    named = transactions and bool(settings.get("transactional.id"))
    rules = {**_PRODUCER, **(_TRANSACTIONAL if named else {})}
    without = _SENDERS_OWN if named else _SENDERS_OWN | _FOR_TRANSACTIONS
    options = {key: value for key, value in settings.items() if key not in without}
    java = _LARGEST_RECORD in options
    if java:
        options["message.max.bytes"] = options.pop(_LARGEST_RECORD)
    translated = _translate("producer", options, rules)
    if java and taken_bytes is not None:
        translated = _with_batches_up_to(taken_bytes, translated, splits)
    return _within_transaction(translated) if named else translated


_LOST_AT_ONCE = (
    "producer batch.size: librdkafka gives a batch up at once that is too large for the topic, a "
    "Java client before 4.2 when delivery.timeout.ms is over"
)


def _with_batches_up_to(taken_bytes: int, translation: Translated, splits: bool) -> Translated:
    """KIP-126: a batch that the topic refuses for its size comes again in parts."""
    described, most = int(translation.config["batch.size"]), max(1, taken_bytes)
    if described <= most:
        return translation
    if not splits:
        return Translated(translation.config, (*translation.differences, _LOST_AT_ONCE))
    text = f"producer batch.size: {most} instead of {described}, because librdkafka splits no batch"
    return Translated({**translation.config, "batch.size": most}, (*translation.differences, text))


def _within_transaction(translation: Translated) -> Translated:
    """librdkafka refuses a delivery.timeout.ms > transaction.timeout.ms, the Java client not."""
    longest = int(translation.config["transaction.timeout.ms"])
    patience = int(translation.config.get("delivery.timeout.ms", longest))
    if 0 < patience <= longest:
        return translation
    text = f"producer delivery.timeout.ms: {longest} instead of {patience}, librdkafka's limit"
    return Translated(
        {**translation.config, "delivery.timeout.ms": longest}, (*translation.differences, text)
    )


def consumer(settings: Mapping[str, Value], static: bool = False) -> Translated:
    """A group consumer's settings for librdkafka; committing is the consumer process's part.

    A group.instance.id is left out unless `static` members are this workload's.
    """
    rules = {**_CONSUMER, **({"group.instance.id": _Rule()} if static else {})}
    options = {key: value for key, value in settings.items() if key not in _APPLICATIONS_OWN}
    if isinstance(age_ms := options.pop("metadata.max.age.ms", None), int):
        options.setdefault(_REFRESHED, max(age_ms, 10))
    if _STARTS in settings:
        options["auto.offset.reset"] = settings[_STARTS]
    if options.get("group.protocol") == "consumer":
        options = {key: value for key, value in options.items() if key not in BROKER_SIDE}
    translated = _translate("consumer", options, rules)
    config, differences = translated.config, list(translated.differences)
    reset = config.get("auto.offset.reset")
    if isinstance(reset, str) and reset.startswith("by_duration:"):
        config["auto.offset.reset"] = "earliest"
        differences.append(f"consumer auto.offset.reset: earliest instead of {reset}: a run's "
                           "topic is new, so all of it is younger")  # fmt: skip
    session = config.get("session.timeout.ms")
    if isinstance(session, int) and int(config.get("max.poll.interval.ms", session)) < session:
        # librdkafka refuses max.poll.interval.ms < session.timeout.ms, the Java client does not.
        differences.append(f"consumer max.poll.interval.ms: {session} instead of "
                           f"{config['max.poll.interval.ms']}, librdkafka's least")  # fmt: skip
        config["max.poll.interval.ms"] = session
    return Translated(config, tuple(differences))


def _translate(
    component: str, settings: Mapping[str, Value], rules: Mapping[str, _Rule]
) -> Translated:
    config: Config = {key: pinned.lab for key, pinned in PINNED.items()}
    differences: list[str] = []
    for key, value in sorted(settings.items()):
        if pinned := PINNED.get(key):
            if int(value) > pinned.product:
                why = f"{pinned.lab} instead of {value}, because {pinned.why}"
                differences.append(f"{component} {key}: {why}")
            continue
        rule = rules.get(key, _UNKNOWN)
        if rule.dropped is not None:
            differences.append(f"{component} {key}={value} is left out: {rule.dropped}")
            continue
        taken = _within(rule, value)
        if taken != value and rule.words.get(str(value)) != taken:
            differences.append(f"{component} {key}: {taken} instead of {value}, librdkafka's limit")
        config[key] = taken
    return Translated(config, tuple(differences))


def _within(rule: _Rule, value: Value) -> Value:
    if isinstance(value, bool) or not isinstance(value, int):
        return rule.words.get(str(value), value)
    low = value if rule.low is None else max(rule.low, value)
    return low if rule.high is None else min(rule.high, low)
