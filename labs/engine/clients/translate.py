"""Translates the team's client settings for librdkafka, with a sentence for each difference.

The lab's clients are librdkafka, whatever client the team runs, unless the Java clients are
requested or the scenario is about a Spark query. They get the team's complete effective settings:
an arm of a Java team with `acks=1` runs with acks=1 and without idempotence, never with a default
of librdkafka. Everything that librdkafka cannot do is reported as a difference.
Ranges: librdkafka 2.16 CONFIGURATION.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Value = str | int | bool
Config = dict[str, Value]


@dataclass(frozen=True, slots=True)
class Pinned:
    """A client setting that the lab overrides because a run is short; the page shows `why`."""

    lab: int
    product: int
    why: str


_RECONNECT_SOON = "the client reconnects sooner to a broker that has restarted"
PINNED: Mapping[str, Pinned] = {
    "reconnect.backoff.ms": Pinned(50, 100, _RECONNECT_SOON),
    "reconnect.backoff.max.ms": Pinned(500, 10000, _RECONNECT_SOON),
}
"""Overrides for every client. The product's values are the defaults of librdkafka 2.16."""


@dataclass(frozen=True, slots=True)
class Translated:
    """A librdkafka configuration, and a sentence for each difference from the team's client."""

    config: Config
    differences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Rule:
    """The translation of one key: clipped to librdkafka's range, mapped by `words`, or dropped.

    `dropped` is the reason why the key is left out.
    """

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
"""Java's name for librdkafka's message.max.bytes."""

# The producer process itself implements it (labs.engine.clients.producer), so it is not dropped.
_PRODUCER_PROCESS = {"max.block.ms"}
# Has no effect without a transactional.id, whose absence is reported.
_FOR_TRANSACTIONS = {"transaction.timeout.ms"}
_TRANSACTIONAL: Mapping[str, _Rule] = {
    "transactional.id": _Rule(),
    "transaction.timeout.ms": _Rule(1000, 2147483647),
}

_METADATA_REFRESH = "topic.metadata.refresh.interval.ms"
"""librdkafka's name for Java's metadata.max.age.ms; here 0 means never, not always."""
_MIN_RESPONSE_BYTES = 52_428_800 + 512
"""The least receive.message.max.bytes that librdkafka accepts with its default fetch.max.bytes."""

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
    _METADATA_REFRESH: _Rule(-1, 3600000),
    "receive.message.max.bytes": _Rule(_MIN_RESPONSE_BYTES, 2147483647),
    "group.instance.id": _Rule(
        dropped="a run's reader does not restart, so it has no name to keep"
    ),
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
"""With `group.protocol=consumer` (KIP-848) brokers set these, and clients reject them."""

# The consumer process itself reads these (labs.engine.clients.consumer), so they are not dropped.
_CONSUMER_PROCESS = {"enable.auto.commit", "enable.auto.offset.store", "max.poll.records"}
# Spark's options. `startingOffsets` takes the place of auto.offset.reset.
_STARTING_OFFSETS = "startingOffsets"
_CONSUMER_PROCESS |= {_STARTING_OFFSETS, "failOnDataLoss"}


def producer(
    settings: Mapping[str, Value],
    transactions: bool = False,
    max_batch_bytes: int | None = None,
    splits: bool = True,
) -> Translated:
    """Returns a producer's complete effective settings for librdkafka, including pinned ones.

    The transactional.id is left out unless the workload has `transactions`. `max_batch_bytes` is
    the largest batch that the topic accepts. The Java producer `splits` a larger batch, before 4.2
    without success (KAFKA-8350); librdkafka gives it up.
    """
    transactional = transactions and bool(settings.get("transactional.id"))
    rules = {**_PRODUCER, **(_TRANSACTIONAL if transactional else {})}
    omitted = _PRODUCER_PROCESS if transactional else _PRODUCER_PROCESS | _FOR_TRANSACTIONS
    options = {key: value for key, value in settings.items() if key not in omitted}
    is_java = _LARGEST_RECORD in options
    if is_java:
        options["message.max.bytes"] = options.pop(_LARGEST_RECORD)
    translated = _translate("producer", options, rules)
    if is_java and max_batch_bytes is not None:
        translated = _limit_batches(max_batch_bytes, translated, splits)
    return _limit_to_transaction(translated) if transactional else translated


_BATCH_GIVEN_UP = (
    "producer batch.size: librdkafka immediately gives up a batch that is too large for the topic; "
    "a Java client before 4.2 gives it up after delivery.timeout.ms"
)


def _limit_batches(max_batch_bytes: int, translation: Translated, splits: bool) -> Translated:
    """Limits batch.size to what the topic accepts; the Java client splits batches (KIP-126)."""
    stated, limit = int(translation.config["batch.size"]), max(1, max_batch_bytes)
    if stated <= limit:
        return translation
    if not splits:
        return Translated(translation.config, (*translation.differences, _BATCH_GIVEN_UP))
    text = f"producer batch.size: {limit} instead of {stated}, because librdkafka splits no batches"
    return Translated({**translation.config, "batch.size": limit}, (*translation.differences, text))


def _limit_to_transaction(translation: Translated) -> Translated:
    """Limits delivery.timeout.ms to transaction.timeout.ms, as librdkafka alone requires."""
    limit_ms = int(translation.config["transaction.timeout.ms"])
    stated_ms = int(translation.config.get("delivery.timeout.ms", limit_ms))
    if 0 < stated_ms <= limit_ms:
        return translation
    text = f"producer delivery.timeout.ms: {limit_ms} instead of {stated_ms}, librdkafka's limit"
    return Translated(
        {**translation.config, "delivery.timeout.ms": limit_ms}, (*translation.differences, text)
    )


def consumer(settings: Mapping[str, Value], static: bool = False) -> Translated:
    """Returns a group consumer's settings for librdkafka, without those for commits.

    The consumer process itself commits. The group.instance.id is left out unless the workload has
    `static` members.
    """
    rules = {**_CONSUMER, **({"group.instance.id": _Rule()} if static else {})}
    options = {key: value for key, value in settings.items() if key not in _CONSUMER_PROCESS}
    if isinstance(age_ms := options.pop("metadata.max.age.ms", None), int):
        options.setdefault(_METADATA_REFRESH, max(age_ms, 10))
    if _STARTING_OFFSETS in settings:
        options["auto.offset.reset"] = settings[_STARTING_OFFSETS]
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
        # Unlike the Java client, librdkafka rejects max.poll.interval.ms < session.timeout.ms.
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
        clipped = _clip(rule, value)
        if clipped != value and rule.words.get(str(value)) != clipped:
            differences.append(
                f"{component} {key}: {clipped} instead of {value}, librdkafka's limit"
            )
        config[key] = clipped
    return Translated(config, tuple(differences))


def _clip(rule: _Rule, value: Value) -> Value:
    if isinstance(value, bool) or not isinstance(value, int):
        return rule.words.get(str(value), value)
    low = value if rule.low is None else max(rule.low, value)
    return low if rule.high is None else min(rule.high, low)
