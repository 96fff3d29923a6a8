"""Combinations with settings that are not modelled and that a client refuses, with its message.

No guarantee depends on these settings, so no pipeline has them. But a file may, and the client then
does not start. Sources: ConsumerConfig and ProducerConfig of kafka-clients 3.9 and 4.3 and
rd_kafka_conf_finalize of librdkafka 2.16, checked against them by tests/contracts; and
KafkaSourceProvider of Spark 4.2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from advisor.catalog.effective import (
    GROUP_PROTOCOL,
    HEARTBEAT,
    IDEMPOTENCE,
    LONGEST_RECONNECT,
    RECONNECT,
    SESSION,
    TRANSACTION_TIMEOUT,
)
from advisor.catalog.model import Component, Family, Problem
from advisor.catalog.values import gzip_level, items, number
from advisor.catalog.versions import at_least, client_line, effective_client

Texts = Mapping[str, str]
Complaints = Iterator[tuple[str, str]]

_STRATEGY = "partition.assignment.strategy"
_CLASSIC_ONLY = (_STRATEGY, HEARTBEAT, SESSION)
_ASSIGNOR, _TWO_PHASES = "group.remote.assignor", "transaction.two.phase.commit.enable"
_PROTOCOLS = {"range": "eager", "roundrobin": "eager", "cooperative-sticky": "cooperative"}
_BROKER_ASSIGNORS, _BROKER_ASSIGNORS_SETTING = ("uniform", "range"), "group.consumer.assignors"
_ASSIGNOR_CLASSES = {
    f"org.apache.kafka.coordinator.group.assignor.{name}assignor": name
    for name in _BROKER_ASSIGNORS
}
"""The classes of Kafka's own assignors, in lower case, by class → name."""
_CLIENT_ASSIGNORS = {
    *_PROTOCOLS,
    *(f"org.apache.kafka.clients.consumer.{name}Assignor"
      for name in ("Range", "RoundRobin", "Sticky", "CooperativeSticky")),
}  # fmt: skip
"""The clients' own assignors: librdkafka's names, and Java's classes."""
_GROUP, _TYPE = "group.id", "group.protocol.type"
_GAPLESS = "enable.gapless.guarantee"
_FETCH, _MESSAGE = "fetch.max.bytes", "message.max.bytes"
_QUEUED = "queued.max.messages.kbytes"
_OPTIMIZATION = "topology.optimization"
_OPTIMIZATIONS = (
    "reuse.ktable.source.topics", "merge.repartition.topics", "single.store.self.join",
)  # fmt: skip
_API, _REQUEST = "default.api.timeout.ms", "request.timeout.ms"
SPARK_PLACES = ("subscribe", "subscribepattern", "assign")
"""The options with which a query says what it reads, in lower case."""
_LEAST, _RESPONSE = "fetch.min.bytes", "receive.message.max.bytes"


def refused_combination(
    family: Family, version: str, component: Component, texts: Texts
) -> Problem | None:
    """Returns the first combination of settings in a file that the client refuses, or None.

    It does not check what `validate` checks. Raises `SettingError` for an unknown version.
    """
    check = _CHECKS.get((family, component))
    if check is None:
        return None
    for setting, message in check(texts, client_line(family, version)):
        return Problem(component, setting, message, product=True)
    return None


def refused_assignor(texts: Texts, of_brokers: Texts) -> Problem | None:
    """Returns the brokers' error if a member requests an assignor that they do not have, or None.

    Assignors in the brokers' file may be classes (GroupMetadataManager, throwIfInvalid of the
    heartbeat).
    """
    requested, protocol = texts.get(_ASSIGNOR), texts.get(GROUP_PROTOCOL, "")
    if requested is None or protocol.lower() != "consumer":
        return None
    stated = [name for name in items(of_brokers.get(_BROKER_ASSIGNORS_SETTING, "")) if name]
    names = [_ASSIGNOR_CLASSES.get(name, name) for name in stated] or [*_BROKER_ASSIGNORS]
    if requested in names or not {*_BROKER_ASSIGNORS}.issuperset(names):
        return None
    supported = ", ".join(name for name in _BROKER_ASSIGNORS if name in names)
    message = f"ServerAssignor {requested} is not supported. Supported assignors: {supported}."
    return Problem(Component.CONSUMER, _ASSIGNOR, message, product=True)


def is_own_assignor(name: str, text: str) -> bool:
    """Whether a setting lists assignors, and only those that come with the products."""
    known = {_STRATEGY: _CLIENT_ASSIGNORS}.get(name, {*_BROKER_ASSIGNORS, *_ASSIGNOR_CLASSES})
    names = {item.strip().lower() for item in text.split(",")}
    return name in (_STRATEGY, _ASSIGNOR, _BROKER_ASSIGNORS_SETTING) and names <= {
        *map(str.lower, known)
    }


def _java_producer(texts: Texts, line: str) -> Complaints:
    yield from gzip_level(texts, line)
    if _is_on(texts, _TWO_PHASES) and TRANSACTION_TIMEOUT in texts and at_least(line, "4.1"):
        message = f"Cannot set {TRANSACTION_TIMEOUT} when {_TWO_PHASES} is set to true."
        yield (
            _TWO_PHASES,
            f"{message} Transactions will not expire with two-phase commit enabled.",
        )


def _group_name(texts: Texts) -> Complaints:
    """Java 4.3.1 does not start with an empty name; librdkafka's Python client 2.16 crashes."""
    if not texts.get(_GROUP, "unset").strip():
        yield _GROUP, "The configured group.id should not be an empty string or whitespace."


def _java_consumer(texts: Texts, line: str) -> Complaints:
    yield from _group_name(texts)
    by_brokers = texts.get(GROUP_PROTOCOL, "").lower() == "consumer"
    stated = [name for name in _CLASSIC_ONLY if name in texts]
    if by_brokers and _STRATEGY in stated and at_least(line, "4.0"):
        yield stated[0], f"{', '.join(stated)} cannot be set when {GROUP_PROTOCOL}=CONSUMER"
    if not by_brokers and texts.get(_ASSIGNOR) and at_least(line, "3.9"):
        yield _ASSIGNOR, f"{_ASSIGNOR} cannot be set when {GROUP_PROTOCOL}=CLASSIC"
    names = [name.strip() for name in texts.get(_STRATEGY, "").split(",")]
    for name in [name for name in names if name in _PROTOCOLS and not by_brokers]:
        yield _STRATEGY, f"{name} ClassNotFoundException exception occurred"


def _librdkafka_producer(texts: Texts, line: str) -> Complaints:
    idempotent = _is_on(texts, IDEMPOTENCE) or "transactional.id" in texts
    if _is_on(texts, _GAPLESS) and not idempotent:
        yield _GAPLESS, f"`{_GAPLESS}` requires `{IDEMPOTENCE}` to be enabled"
    threshold = "queue.buffering.backpressure.threshold"
    if idempotent and number(texts, threshold, 1) != 1:
        yield threshold, f"`{threshold}` must be set to 1 when `{IDEMPOTENCE}` is true"
    yield from _librdkafka_pauses(texts)


def _librdkafka_consumer(texts: Texts, line: str) -> Complaints:
    yield from _group_name(texts)
    yield from _librdkafka_sizes(texts)
    yield from _librdkafka_pauses(texts)
    if texts.get(_TYPE, "consumer") != "consumer":
        yield _TYPE, f"Unsupported {_STRATEGY}: range"
    if texts.get(GROUP_PROTOCOL, "").strip().lower() != "consumer":
        yield from _librdkafka_assignors(texts.get(_STRATEGY, ""))
    elif SESSION not in texts:
        if _STRATEGY in texts:
            message = f"`{_STRATEGY}` is not supported for `{GROUP_PROTOCOL}=consumer`."
            yield _STRATEGY, f"{message} Use `{_ASSIGNOR}` instead"
        if _TYPE in texts:
            message = f"`{_TYPE}` is not supported for `{GROUP_PROTOCOL}=consumer` or share"
            yield _TYPE, f"{message} consumer"
        if HEARTBEAT in texts:
            message = f"`{HEARTBEAT}` is not supported for `{GROUP_PROTOCOL}=consumer` or share"
            yield HEARTBEAT, f"{message} consumer. It is defined broker side"


def _librdkafka_sizes(texts: Texts) -> Complaints:
    """Checks the size of a response if one of the three is stated (rd_kafka_conf_finalize)."""
    fetch, message, response = (
        number(texts, name, default)
        for name, default in ((_FETCH, 52_428_800), (_MESSAGE, 1_000_000), (_RESPONSE, 100_000_000))
    )
    if not 1 <= number(texts, _LEAST, 1) <= 100_000_000:
        yield (
            _LEAST,
            f'Configuration property "{_LEAST}" value is outside allowed range 1..100000000',
        )
    if _FETCH in texts:
        if fetch < message:
            yield _FETCH, f"`{_FETCH}` must be >= `{_MESSAGE}`"
    else:
        fetch = max(min(fetch, 1024 * number(texts, _QUEUED, 65_536)), message)
    if _RESPONSE in texts and response < fetch + 512:
        yield _RESPONSE, f"`{_RESPONSE}` must be >= `{_FETCH}` + 512"


def _librdkafka_pauses(texts: Texts) -> Complaints:
    least, most = number(texts, RECONNECT, 100), number(texts, LONGEST_RECONNECT, 10_000)
    if most < least:
        key = LONGEST_RECONNECT if LONGEST_RECONNECT in texts else RECONNECT
        yield key, f"`{LONGEST_RECONNECT}` must be >= `{RECONNECT}`"


def _librdkafka_assignors(stated: str) -> Complaints:
    """Each has to be known, and all need the same rebalance protocol (rd_kafka_assignors_init)."""
    names = [name.lstrip() for name in stated.split(",")]
    unknown = next((name for name in names if name and name not in _PROTOCOLS), None)
    if unknown:
        yield _STRATEGY, f"Unsupported {_STRATEGY}: {unknown}".rstrip()
    elif len({_PROTOCOLS[name] for name in names if name}) > 1:
        message = f"All {_STRATEGY} ({stated}) assignors must have the same protocol type, online"
        message = f"{message} migration between assignors with different protocol types is not"
        yield _STRATEGY, f"{message} supported"


def _spark_source(texts: Texts, line: str) -> Complaints:
    """KafkaSourceProvider.scala, validateGeneralOptions; the case of names does not matter. The
    driver has an AdminClient with the same settings
    (KafkaAdminClient.configureDefaultApiTimeoutMs)."""
    spellings = {name.lower(): name for name in texts}
    places = [name for name in SPARK_PLACES if name in spellings]
    if len(places) > 1:
        message = "Only one of the following options can be specified for Kafka source: "
        yield (
            spellings[places[-1]],
            f"{message}{', '.join(SPARK_PLACES)}. See the docs for more details.",
        )
    for name, noun in (("key.deserializer", "keys"), ("value.deserializer", "values")):
        if f"kafka.{name}" in spellings:
            message = f"Kafka option '{name}' is not supported as {noun} are deserialized as byte "
            message += "arrays with ByteArrayDeserializer. Use DataFrame operations to explicitly "
            yield spellings[f"kafka.{name}"], f"{message}deserialize the {noun}."
    if "kafka.interceptor.classes" in spellings:
        message = "Kafka option 'interceptor.classes' is not supported"
        yield spellings["kafka.interceptor.classes"], message
    for name in ("endingoffsets", "endingoffsetsbytimestamp", "endingtimestamp"):
        if name in spellings:
            yield spellings[name], "ending offset not valid in streaming queries"
    api, request = (spellings.get(f"kafka.{name}", "") for name in (_API, _REQUEST))
    if api and number(texts, api, 0) < number(texts, request, 30_000):
        message = f"The specified value of {_API} must be no smaller than the value of "
        yield api, f"{message}{_REQUEST}."
    yield from _client_complaints(texts, line, _java_consumer)
    yield from _client_complaints(texts, line, _java_heartbeats)
    least, most = (spellings.get(f"{end}offsetspertrigger") for end in ("min", "max"))
    if least and most and _is_greater(texts[least], texts[most]):
        message = f"The value of minOffsetPerTrigger({texts[least]}) is higher than the "
        yield least, f"{message}maxOffsetsPerTrigger({texts[most]})."


def _spark_sink(texts: Texts, line: str) -> Complaints:
    """KafkaSourceProvider.scala, kafkaParamsForProducer."""
    spellings = {name.lower(): name for name in texts}
    for name, noun in (("key.serializer", "keys"), ("value.serializer", "value")):
        if f"kafka.{name}" in spellings:
            message = f"Kafka option '{name}' is not supported as {noun} are serialized with "
            yield spellings[f"kafka.{name}"], f"{message}ByteArraySerializer."
    yield from _client_complaints(texts, line, _java_producer)


def _client_complaints(
    texts: Texts, line: str, check: Callable[[Texts, str], Complaints]
) -> Complaints:
    """Yields the complaints of the Java client inside about the options that are passed to it."""
    spellings = {name.lower(): name for name in texts if name.lower().startswith("kafka.")}
    options = {name.removeprefix("kafka."): texts[spelled] for name, spelled in spellings.items()}
    for name, message in check(options, effective_client(Family.SPARK, line)):
        yield spellings[f"kafka.{name}"], message


def _java_heartbeats(texts: Texts, line: str) -> Complaints:
    """Heartbeat.java: each consumer with a group.id has one, though Spark's joins no group."""
    default_ms = 45_000 if at_least(line, "3.0") else 10_000
    heartbeat_ms, session_ms = number(texts, HEARTBEAT, 3_000), number(texts, SESSION, default_ms)
    if texts.get(GROUP_PROTOCOL, "").lower() != "consumer" and heartbeat_ms >= session_ms:
        key = HEARTBEAT if HEARTBEAT in texts else SESSION
        yield key, "Heartbeat must be set lower than the session timeout"


def _streams(texts: Texts, line: str) -> Complaints:
    """StreamsConfig.verifyTopologyOptimizationConfigs; before 3.4 one of two words."""
    if (stated := texts.get(_OPTIMIZATION)) is None or not at_least(line, "3.4"):
        return
    words = [word.strip() for word in stated.strip().split(",")]
    exclusive, listed = (
        [word for word in words if word in ("none", "all")],
        ", ".join(_OPTIMIZATIONS),
    )
    values = f"Acceptable values are: none, all, or a comma separated list of {listed}."
    if exclusive and len(words) > 1:
        yield _OPTIMIZATION, f'"{stated}" is not a valid optimization config. {values}'
    elif not exclusive and not {*words} <= {*_OPTIMIZATIONS}:
        yield _OPTIMIZATION, f"Unrecognized config. {values}"


def _is_greater(one: str, other: str) -> bool:
    return one.isdecimal() and other.isdecimal() and int(one) > int(other)


def _is_on(texts: Texts, name: str) -> bool:
    return texts.get(name, "").strip().lower() == "true"


_CHECKS: Mapping[tuple[Family, Component], Callable[[Texts, str], Complaints]] = {
    (Family.JAVA, Component.PRODUCER): _java_producer,
    (Family.JAVA, Component.CONSUMER): _java_consumer,
    (Family.LIBRDKAFKA, Component.PRODUCER): _librdkafka_producer,
    (Family.LIBRDKAFKA, Component.CONSUMER): _librdkafka_consumer,
    (Family.STREAMS, Component.STREAMS): _streams,
    (Family.STREAMS, Component.PRODUCER): _java_producer,
    (Family.STREAMS, Component.CONSUMER): _java_consumer,
    (Family.SPARK, Component.PRODUCER): _spark_sink,
    (Family.SPARK, Component.CONSUMER): _spark_source,
}
