"""The effective value of a setting: the stated one, or what the product uses instead.

Each rule below is a silent change that a real client or broker makes to a setting that was *not*
stated. Sources: ProducerConfig.postProcessAndValidateIdempotenceConfigs (3.0+),
ProducerConfig.maybeOverrideEnableIdempotence (2.8), KafkaProducer.configureDeliveryTimeout,
librdkafka's rd_kafka_conf_finalize, Kafka's topic-to-broker fallback.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from advisor.catalog.lookups import canonical, in_force, lookup
from advisor.catalog.model import Component, Family, Value
from advisor.catalog.streams_overrides import OVERRIDES, Settings, exactly_once
from advisor.catalog.versions import at_least, client_line, effective_client, kafka_line

IDEMPOTENCE, IN_FLIGHT = "enable.idempotence", "max.in.flight.requests.per.connection"
QUEUE = "queuing.strategy"
LINGER, REQUEST_TIMEOUT = "linger.ms", "request.timeout.ms"
TRANSACTIONAL_ID, TRANSACTION_TIMEOUT = "transactional.id", "transaction.timeout.ms"
GROUP_PROTOCOL = "group.protocol"
HEARTBEAT, SESSION = "heartbeat.interval.ms", "session.timeout.ms"
DELIVERY_TIMEOUT, SOCKET_TIMEOUT = "delivery.timeout.ms", "socket.timeout.ms"
RECONNECT, LONGEST_RECONNECT = "reconnect.backoff.ms", "reconnect.backoff.max.ms"
MAX_IN_FLIGHT_IDEMPOTENT = 5
INT_MAX = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Stated:
    """The stated settings, and the versions that decide the values of the others."""

    family: Family
    line: str
    kafka: str
    settings: Settings

    @property
    def client(self) -> str:
        """The line of the client library that runs (see `effective_client`)."""
        return effective_client(self.family, self.line)

    def get(self, component: Component, name: str) -> Value:
        """Returns the configured value: the stated one, or that of Kafka Streams; or None."""
        value = self.settings.get(component, _NOTHING).get(name)
        override = OVERRIDES.get((component, name)) if self.family is Family.STREAMS else None
        return override(exactly_once(self.settings), value) if override else value

    def value(self, component: Component, name: str) -> Value:
        """Returns the value in force."""
        return _facts(self.family, self.line, self.kafka)[component][name].value(self)

    def number(self, component: Component, name: str) -> int:
        """Returns the value in force of a setting that is always a number."""
        value = self.value(component, name)
        if not isinstance(value, int):
            raise TypeError(f"{component}.{name} is {value!r}, not a number")
        return value


@dataclass(frozen=True, slots=True)
class _Fact:
    """How a product resolves one setting: its default, and other settings that may replace it."""

    component: Component
    name: str
    default: Value
    rule: Callable[[Stated], Value] | None
    overridable: bool
    """Whether Kafka Streams may override the stated value."""

    def value(self, stated: Stated) -> Value:
        """Returns the value in force."""
        value = stated.get(self.component, self.name)
        return self.unstated(stated) if value is None else value

    def unstated(self, stated: Stated) -> Value:
        """Returns the value in force if it was not stated."""
        value = self.rule(stated) if self.rule else None
        return self.default if value is None else value


_NOTHING: Mapping[str, Value] = {}


@lru_cache(maxsize=1024)
def _facts(family: Family, version: str, kafka: str) -> Mapping[Component, Mapping[str, _Fact]]:
    """Returns every setting of these versions, by its name and by its aliases.

    The advisor looks up values some thousand times for one recommendation, so whatever depends on
    versions alone is cached. There are some 800 pairs of a client's line and a broker's.
    Raises `SettingError` for an unknown version.
    """
    line, brokers = client_line(family, version), kafka_line(kafka)
    results: dict[Component, dict[str, _Fact]] = {}
    for component in Component:
        settings = in_force(family, line, brokers, component)
        facts = {
            name: _Fact(
                component, name, setting.default, _RULES.get((component, name)),
                overridable=family is Family.STREAMS and (component, name) in OVERRIDES,
            )
            for name, setting in settings.items()
        }  # fmt: skip
        aliases = {
            alias: facts[setting.name] for setting in settings.values() for alias in setting.aliases
        }
        results[component] = aliases | facts
    return results


def plain_defaults(
    family: Family, version: str, kafka: str
) -> Mapping[tuple[Component, str], Value]:
    """Returns the settings whose value depends on nothing but themselves, with their defaults.

    Raises `SettingError` for an unknown version.
    """
    return {
        (component, name): fact.default
        for component, facts in _facts(family, version, kafka).items()
        for name, fact in facts.items()
        if name == fact.name and fact.rule is None and not fact.overridable
    }


def effective(
    family: Family,
    version: str,
    kafka: str,
    settings: Settings,
    component: Component,
    name: str,
) -> Value:
    """Returns the value in force of one setting, given all stated settings.

    None means that the product leaves it unset. Raises `SettingError` for an unknown name or
    version.
    """
    facts = _facts(family, version, kafka)[component]
    fact = facts.get(name)
    if fact is None:
        line, brokers = client_line(family, version), kafka_line(kafka)
        fact = facts.get(
            canonical(family, component, name, in_force(family, line, brokers, component))
        )
        if fact is None:
            lookup(family, line, brokers, component, name)  # raises, with the nearest name
            raise AssertionError(f"{component}.{name} is known and has no value")
    resolve = fact.value
    if not fact.overridable:
        # A stated value takes precedence, so no rule is needed.
        value = settings.get(component, _NOTHING).get(fact.name)
        if value is not None:
            return value
        if fact.rule is None:
            return fact.default
        resolve = fact.unstated
    return resolve(Stated(family, client_line(family, version), kafka_line(kafka), settings))


def _idempotence(stated: Stated) -> Value:
    producer = Component.PRODUCER
    if stated.family is Family.LIBRDKAFKA or not at_least(stated.client, "3.0"):
        # A transactional.id also enables it.
        return True if stated.get(producer, TRANSACTIONAL_ID) is not None else None
    conflict = stated.get(producer, "acks") in ("0", "1") or stated.get(producer, "retries") == 0
    in_flight = stated.get(producer, IN_FLIGHT)
    if not at_least(stated.client, "4.0") and isinstance(in_flight, int):
        # Since 4.0 more than 5 is an error instead: see `validity`.
        conflict = conflict or in_flight > MAX_IN_FLIGHT_IDEMPOTENT
    return False if conflict else None


def _acks(stated: Stated) -> Value:
    old_java = stated.family is not Family.LIBRDKAFKA and not at_least(stated.client, "3.0")
    return "all" if old_java and stated.value(Component.PRODUCER, IDEMPOTENCE) else None


def _in_flight(stated: Stated) -> Value:
    idempotent = stated.value(Component.PRODUCER, IDEMPOTENCE)
    librdkafka = stated.family is Family.LIBRDKAFKA
    return MAX_IN_FLIGHT_IDEMPOTENT if librdkafka and idempotent else None


def _delivery_timeout(stated: Stated) -> Value:
    producer = Component.PRODUCER
    if stated.family is Family.LIBRDKAFKA:
        if stated.get(producer, TRANSACTIONAL_ID) is not None:
            return stated.value(producer, TRANSACTION_TIMEOUT)
        return None
    linger, request = (stated.number(producer, name) for name in (LINGER, REQUEST_TIMEOUT))
    default = in_force(stated.family, stated.line, stated.kafka, producer)[DELIVERY_TIMEOUT].default
    total = min(linger + request, INT_MAX)
    return total if isinstance(default, int) and total > default else None


def _longest_reconnect(stated: Stated) -> Value:
    """If only the first pause is stated, it is also the longest (CommonClientConfigs,
    postProcessReconnectBackoffConfigs)."""
    java = stated.family is not Family.LIBRDKAFKA
    return stated.get(Component.PRODUCER, RECONNECT) if java else None


def _from(component: Component, name: str) -> Callable[[Stated], Value]:
    """Returns a rule that falls back to another component's setting."""
    return lambda stated: stated.value(component, name)


def _commit(stated: Stated) -> Value:
    if stated.family in (Family.SPARK, Family.STREAMS):
        return None
    by_client = stated.value(Component.CONSUMER, "enable.auto.commit")
    return "auto" if by_client else "after-processing"


_FRAMEWORKS: Mapping[str, str] = {
    "spring": "skip", "spring-2.4": "skip", "spring-cloud-stream": "skip",
    "quarkus": "close", "connect": "close",
}  # fmt: skip
"""How each framework handles, by default, a message that finally fails.

Spring logs it and continues: since 2.5 after ten tries (SeekUtils.DEFAULT_BACK_OFF), before
immediately (LoggingErrorHandler). SmallRye's failure-strategy=fail and Connect's
errors.tolerance=none stop.
"""


def _framework(stated: Stated) -> str:
    java = stated.family is Family.JAVA
    return str(stated.value(Component.APPLICATION, "framework")) if java else "none"


def _processing_errors(stated: Stated) -> Value:
    return _FRAMEWORKS.get(_framework(stated))


def _processing_order(stated: Stated) -> Value:
    """SmallRye calls a method for one message of a channel at a time (@Blocking, ordered)."""
    return "by-key" if _framework(stated) == "quarkus" else None


def _auto_commit(stated: Stated) -> Value:
    """Every framework commits by itself (Spring since 2.3) and disables the client's
    auto-commit."""
    return False if _framework(stated) in _FRAMEWORKS else None


def _offset_reset(stated: Stated) -> Value:
    """A Connect worker sets it for the consumer of a sink (Worker.baseConsumerConfigs)."""
    if _framework(stated) == "connect":
        return "earliest"
    spark = stated.family is Family.SPARK
    return stated.value(Component.CONSUMER, "startingOffsets") if spark else None


def _remote_minimum(stated: Stated) -> Value:
    """The brokers' setting for all topics applies until they have one for this topic (KIP-1235)."""
    since_4_3 = at_least(stated.kafka, "4.3")
    return None if since_4_3 else stated.value(Component.BROKER, "min.insync.replicas")


_RULES: Mapping[tuple[Component, str], Callable[[Stated], Value]] = {
    (Component.PRODUCER, IDEMPOTENCE): _idempotence,
    (Component.PRODUCER, "acks"): _acks,
    (Component.PRODUCER, IN_FLIGHT): _in_flight,
    (Component.PRODUCER, DELIVERY_TIMEOUT): _delivery_timeout,
    (Component.PRODUCER, LONGEST_RECONNECT): _longest_reconnect,
    (Component.CONSUMER, "auto.offset.reset"): _offset_reset,
    (Component.TOPIC, "replication.factor"): _from(Component.BROKER, "default.replication.factor"),
    (Component.TOPIC, "min.insync.replicas"): _from(Component.BROKER, "min.insync.replicas"),
    (Component.TOPIC, "unclean.leader.election.enable"): _from(
        Component.BROKER, "unclean.leader.election.enable"
    ),
    (Component.STREAMS, "topic.min.insync.replicas"): _from(
        Component.BROKER, "min.insync.replicas"
    ),
    (Component.APPLICATION, "offsets.topic.min.insync.replicas"): _from(
        Component.BROKER, "min.insync.replicas"
    ),
    (Component.APPLICATION, "remote.metadata.min.insync.replicas"): _remote_minimum,
    (Component.APPLICATION, "commit"): _commit,
    (Component.APPLICATION, "processing.errors"): _processing_errors,
    (Component.APPLICATION, "processing.order"): _processing_order,
    (Component.CONSUMER, "enable.auto.commit"): _auto_commit,
}
