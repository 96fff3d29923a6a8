"""Settings that exist, and that the catalog does not model, so that they are not reported as
errors.

The products' own lists (advisor.catalog.facts) decide which settings exist in the version that the
file is for. A name of another version, or of another part of Kafka, is reported as such.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache

from advisor.catalog import (
    Component,
    Family,
    SettingError,
    kafka_versions,
    settings_of,
    versions,
)
from advisor.catalog.facts import facts, lines_of
from advisor.catalog.nearest import nearest
from advisor.catalog.other_settings import products_of
from advisor.catalog.texts import is_free
from advisor.catalog.versions import client_line, kafka_line
from advisor.intake.cluster.topic_defaults import topic_default_names
from advisor.intake.reading import Product

TYPO = 0.85
"""The similarity above which an unknown name is a typo, not another setting."""

AUTHORIZER_SETTINGS = ("super.users", "allow.everyone.if.no.acl.found")
"""Settings that StandardAuthorizer and AclAuthorizer read, and that are in no ConfigDef."""

SERIALIZER_SETTING = re.compile(
    r"schema\.registry\.|spring\.(?:json|deserializer)\.|apicurio\.registry\."
    r"|(?:key|value)\.subject\.name\.strategy|specific\.avro\.reader|auto\.register\.schemas"
    r"|(?:key|value)\.(?:converter|deserializer|serializer)\.|json\.(?:value|key)\.type"
    r"|basic\.auth\.(?:credentials|user)\."
)
"""Names that clients pass to (de)serializers: Confluent's, Spring's and Apicurio's."""

_QUERY_OPTIONS = frozenset({
    "checkpointLocation", "asyncProgressTrackingEnabled",
    "asyncProgressTrackingCheckpointIntervalMs",
})  # fmt: skip
"""Options of every streaming query, whatever its sink (Spark apis-on-dataframes-and-datasets.md,
performance-tips.md). The connector's jar does not list them."""

_OWNERS: Mapping[str, str] = {
    "java_producer": "producers", "java_consumer": "consumers", "topic": "topics",
    "broker": "brokers", "streams": "Kafka Streams", "librdkafka": "librdkafka",
}  # fmt: skip


def newest(family: Family) -> Product:
    """The newest known version of a family."""
    return Product(family, versions(family)[0], kafka_versions()[0])


def is_modelled(family: Family, component: Component, name: str) -> bool:
    """Whether an answer depends on a setting, by its name or an alias at a family's newest
    version."""
    product = newest(family)
    try:
        product.setting(component, name)
    except SettingError:
        return False
    return True


_FRAMEWORK_NAMES = frozenset({
    "ack-mode", "auto-commit-interval", "auto-commit-offset", "auto-rebalance-enabled",
    "commit-strategy", "enable-dlq", "error-channel-enabled", "fail-on-deserialization-failure",
    "failure-strategy", "heartbeat-interval", "kafka-configuration", "max-poll-interval",
    "producer-sync", "reset-offsets", "start-offset", "waitforwritecompletion",
})  # fmt: skip
"""Names of frameworks' own settings on which an answer depends."""

_CONNECTION_PREFIXES = ("ssl.", "sasl.", "security.")
_NO_SEPARATORS = str.maketrans("", "", ".-")


def decides(name: str) -> bool:
    """Whether an answer depends on a setting, as a client or a framework writes it: with dots,
    dashes, underscores, in brackets or, in a variable, with nothing between its words.

    A prefix (`spring.kafka.producer.`) is ignored. A free text, such as the name of a group,
    decides nothing.
    """
    parts = re.split(r"[^a-z0-9]+", name.lower())
    names = {"".join(parts[first:]) for first in range(len(parts))}
    return not names.isdisjoint(_modelled())


@cache
def _modelled() -> frozenset[str]:
    """Settings whose values are modelled, at the newest version of each client, in lower case and
    without separators."""
    settings = (
        setting
        for product in map(newest, Family)
        for component in Component if component is not Component.APPLICATION
        for setting in settings_of(product.family, product.version, product.kafka, component)
    )  # fmt: skip
    names = {
        name.lower()
        for setting in settings if not is_free(setting.name)
        for name in (setting.name, *setting.aliases)
    }  # fmt: skip
    modelled = topic_default_names() | names | _FRAMEWORK_NAMES
    return frozenset(name.translate(_NO_SEPARATORS) for name in modelled)


@cache
def modelled_names(component: Component) -> frozenset[str]:
    """The settings of a Java client that are modelled, at its newest version."""
    java = newest(Family.JAVA)
    settings = settings_of(java.family, java.version, java.kafka, component)
    return frozenset(setting.name for setting in settings)


_DYNAMIC_SETTINGS = frozenset({
    "leader.replication.throttled.rate", "follower.replication.throttled.rate",
    "replica.alter.log.dirs.io.max.bytes.per.second",
})  # fmt: skip
"""Dynamic settings of brokers, which no file may state (DynamicConfig.Broker)."""


@cache
def known_keys(product: Product, component: Component) -> frozenset[str]:
    """Every name that a file of this component may have at this version.

    Raises `SettingError` for an unknown version.
    """
    family, version, kafka = product.family, product.version, product.kafka
    settings = settings_of(family, version, kafka, component, every=True)
    names = {name for setting in settings for name in (setting.name, *setting.aliases)}
    names |= _DYNAMIC_SETTINGS if component is Component.BROKER else set()
    if family is not Family.SPARK or component not in (Component.PRODUCER, Component.CONSUMER):
        return frozenset(names)
    client_names = names & set().union(
        *(facts(name, line) for name, line in _products(product, component) if name != "spark")
    )
    return frozenset(
        names - client_names | {f"kafka.{key}" for key in client_names} | _QUERY_OPTIONS
    )


def versions_with(name: str, product: Product, component: Component) -> str:
    """The versions of this component's product that have a setting: `2.8 to 3.9`; "" if none
    has."""
    if product.family is Family.SPARK:
        name = name.removeprefix("kafka.")
    for key, _ in _products(product, component):
        if lines := lines_of(key, name):
            return lines[0] if len(lines) == 1 else f"{lines[0]} to {lines[-1]}"
    return ""


def other_client(name: str, product: Product, component: Component) -> str:
    """`consumer` if only the consumer has the setting, although both clients accept the name;
    `producer` likewise; else ""."""
    for key, line in _products(product, component):
        fact = facts(key, line).get(name)
        if fact and fact.client not in ("", component):
            return fact.client
    return ""


def owner(name: str) -> str:
    """The owner of a setting in Kafka, at any version: `topics`, `Kafka Streams`; "" if there is
    none."""
    return next((words for key, words in _OWNERS.items() if lines_of(key, name)), "")


def _products(product: Product, component: Component) -> tuple[tuple[str, str], ...]:
    line = client_line(product.family, product.version)
    return products_of(product.family, line, kafka_line(product.kafka), component)


def likely_clients(names: Iterable[str]) -> tuple[Component, ...]:
    """The clients that these settings are for, by the names that only one of the two clients has.

    Both, if each has a setting that counts and that the other lacks: they share a file, and neither
    may be assumed to have defaults.
    """
    keys = set(names)
    producer, consumer = names_of(Component.PRODUCER), names_of(Component.CONSUMER)
    consumer_keys, producer_keys = keys & (consumer - producer), keys & (producer - consumer)
    if any(_counts(Component.CONSUMER, name) for name in consumer_keys) and any(
        _counts(Component.PRODUCER, name) for name in producer_keys
    ):
        return Component.PRODUCER, Component.CONSUMER
    return (Component.CONSUMER if len(consumer_keys) > len(producer_keys) else Component.PRODUCER,)


def clients_having(name: str, clients: tuple[Component, ...]) -> tuple[Component, ...]:
    """The clients that have a setting; the first one if none has it."""
    if len(clients) == 1:
        return clients
    return tuple(client for client in clients if name in names_of(client)) or clients[:1]


def is_streams_application(names: Iterable[str]) -> bool:
    """Whether these names configure an application of Kafka Streams."""
    java = (known_keys(newest(Family.JAVA), component) for component in Component)
    streams_names = known_keys(newest(Family.STREAMS), Component.STREAMS).difference(*java)
    return not streams_names.isdisjoint(names)


def _counts(client: Component, name: str) -> bool:
    """Whether an answer depends on a client's setting. `group.id` always counts."""
    return name == "group.id" or any(
        is_modelled(family, client, name) for family in (Family.JAVA, Family.LIBRDKAFKA)
    )


def is_client_setting(key: str) -> bool:
    """Whether a name is a setting of a client, or a typo of one.

    Names of one word, such as `partition` and `debug`, are too general, and the settings that
    secure connections also belong to other clients.
    """
    if key.startswith(_CONNECTION_PREFIXES) or ("." not in key and key != "acks"):
        return False
    names = names_of(Component.PRODUCER) | names_of(Component.CONSUMER)
    return key in names or nearest(key, names, TYPO) is not None


@cache
def names_of(component: Component) -> frozenset[str]:
    """The settings of a component, of Java or librdkafka."""
    java, librdkafka = (newest(family) for family in (Family.JAVA, Family.LIBRDKAFKA))
    return known_keys(java, component) | known_keys(librdkafka, component)


def is_modelled_key(component: Component, key: str) -> bool:
    """Whether an answer depends on a setting; for Kafka Streams also on a setting of its
    clients."""
    family = Family.STREAMS if component is Component.STREAMS else Family.JAVA
    components = [component]
    if component is Component.STREAMS:
        components += [Component.PRODUCER, Component.CONSUMER, Component.TOPIC]
    bare = re.sub(r"^(?:(?:main|restore|global)\.)?(?:producer|consumer|topic)\.", "", key)
    return any(
        is_modelled(family, candidate, name) for candidate in components for name in {key, bare}
    )
