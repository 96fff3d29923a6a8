"""Real settings that the catalog does not weigh, so that they are not called errors.

What is real is what the products say (advisor.catalog.facts), at the version that the file is for;
a name of another version or another part of Kafka is reported as such.
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

SLIP = 0.85
"""Above this a name is taken for a slip of the finger and not for another setting."""

OF_AUTHORIZERS = ("super.users", "allow.everyone.if.no.acl.found")
"""What StandardAuthorizer and AclAuthorizer read, and no ConfigDef names."""

OF_SERIALIZERS = re.compile(
    r"schema\.registry\.|spring\.(?:json|deserializer)\.|apicurio\.registry\."
    r"|(?:key|value)\.subject\.name\.strategy|specific\.avro\.reader|auto\.register\.schemas"
    r"|(?:key|value)\.(?:converter|deserializer|serializer)\.|json\.(?:value|key)\.type"
    r"|basic\.auth\.(?:credentials|user)\."
)
"""Names that clients hand on to (de)serializers: Confluent's, Spring's and Apicurio's."""

_OF_ANY_QUERY = frozenset({
    "checkpointLocation", "asyncProgressTrackingEnabled",
    "asyncProgressTrackingCheckpointIntervalMs",
})  # fmt: skip
"""Options of every streaming query, whatever its sink (Spark apis-on-dataframes-and-datasets.md,
performance-tips.md); the connector's jar does not hold them."""

_OWNERS: Mapping[str, str] = {
    "java_producer": "producers", "java_consumer": "consumers", "topic": "topics",
    "broker": "brokers", "streams": "Kafka Streams", "librdkafka": "librdkafka",
}  # fmt: skip


def newest(family: Family) -> Product:
    """The newest version known of a family."""
    return Product(family, versions(family)[0], kafka_versions()[0])


def is_weighed(family: Family, component: Component, name: str) -> bool:
    """Whether an answer depends on a setting, by its name or an alias at a family's newest
    version."""
    product = newest(family)
    try:
        product.setting(component, name)
    except SettingError:
        return False
    return True


_OF_FRAMEWORKS = frozenset({
    "ack-mode", "auto-commit-interval", "auto-commit-offset", "auto-rebalance-enabled",
    "commit-strategy", "enable-dlq", "error-channel-enabled", "fail-on-deserialization-failure",
    "failure-strategy", "heartbeat-interval", "kafka-configuration", "max-poll-interval",
    "producer-sync", "reset-offsets", "start-offset", "waitforwritecompletion",
})  # fmt: skip
"""What frameworks call that an answer depends on, and Kafka has no name for."""

_OF_CONNECTIONS = ("ssl.", "sasl.", "security.")
_BETWEEN = str.maketrans("", "", ".-")


def decides(name: str) -> bool:
    """Whether an answer depends on a setting, as a client or a framework writes it, with dots,
    dashes, underscores, in brackets or, in a variable, with nothing between its words.

    What stands before its name (`spring.kafka.producer.`) is passed over. A text that is not
    weighed, such as the name of a group, decides nothing.
    """
    parts = re.split(r"[^a-z0-9]+", name.lower())
    names = {"".join(parts[first:]) for first in range(len(parts))}
    return not names.isdisjoint(_weighed())


@cache
def _weighed() -> frozenset[str]:
    """Settings with values that are weighed, at the newest version of each client, in lower case
    and without what is between their words."""
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
    every = topic_default_names() | names | _OF_FRAMEWORKS
    return frozenset(name.translate(_BETWEEN) for name in every)


@cache
def weighed_of(component: Component) -> frozenset[str]:
    """Settings of a Java client that are weighed, at its newest version."""
    java = newest(Family.JAVA)
    settings = settings_of(java.family, java.version, java.kafka, component)
    return frozenset(setting.name for setting in settings)


_KEPT_BY_THE_CLUSTER = frozenset({
    "leader.replication.throttled.rate", "follower.replication.throttled.rate",
    "replica.alter.log.dirs.io.max.bytes.per.second",
})  # fmt: skip
"""Settings of a running broker that no file may state (DynamicConfig.Broker)."""


@cache
def known_keys(product: Product, component: Component) -> frozenset[str]:
    """Every name that means something in a file of this component at this version.

    Raises `SettingError` for a version that is not known.
    """
    family, version, kafka = product.family, product.version, product.kafka
    every = settings_of(family, version, kafka, component, every=True)
    names = {name for setting in every for name in (setting.name, *setting.aliases)}
    names |= _KEPT_BY_THE_CLUSTER if component is Component.BROKER else set()
    if family is not Family.SPARK or component not in (Component.PRODUCER, Component.CONSUMER):
        return frozenset(names)
    of_client = names & set().union(
        *(facts(name, line) for name, line in _products(product, component) if name != "spark")
    )
    return frozenset(names - of_client | {f"kafka.{key}" for key in of_client} | _OF_ANY_QUERY)


def versions_with(name: str, product: Product, component: Component) -> str:
    """Which versions of this component's product have a setting: `2.8 to 3.9`; "" if none has."""
    if product.family is Family.SPARK:
        name = name.removeprefix("kafka.")
    for key, _ in _products(product, component):
        if lines := lines_of(key, name):
            return lines[0] if len(lines) == 1 else f"{lines[0]} to {lines[-1]}"
    return ""


def other_client(name: str, product: Product, component: Component) -> str:
    """`consumer` if it alone has the setting, although both read one list of names; else ""."""
    for key, line in _products(product, component):
        fact = facts(key, line).get(name)
        if fact and fact.client not in ("", component):
            return fact.client
    return ""


def owner(name: str) -> str:
    """Whose setting this is in Kafka, at any version: `topics`, `Kafka Streams`; "" if no one's."""
    return next((words for key, words in _OWNERS.items() if lines_of(key, name)), "")


def _products(product: Product, component: Component) -> tuple[tuple[str, str], ...]:
    line = client_line(product.family, product.version)
    return products_of(product.family, line, kafka_line(product.kafka), component)


def likely_clients(names: Iterable[str]) -> tuple[Component, ...]:
    """Whose settings these are, by the names that only one of the two clients has.

    Both, where each has one that counts and the other lacks: they share a file, and neither may be
    taken for one at its defaults.
    """
    keys = set(names)
    producer, consumer = _only(Component.PRODUCER), _only(Component.CONSUMER)
    reads, writes = keys & (consumer - producer), keys & (producer - consumer)
    if any(_counts(Component.CONSUMER, name) for name in reads) and any(
        _counts(Component.PRODUCER, name) for name in writes
    ):
        return Component.PRODUCER, Component.CONSUMER
    return (Component.CONSUMER if len(reads) > len(writes) else Component.PRODUCER,)


def having(name: str, clients: tuple[Component, ...]) -> tuple[Component, ...]:
    """Of these clients, those that have a setting; the first, where none has it."""
    if len(clients) == 1:
        return clients
    return tuple(client for client in clients if name in _only(client)) or clients[:1]


def is_of_streams(names: Iterable[str]) -> bool:
    """Whether an application of Kafka Streams is set up by these names."""
    java = (known_keys(newest(Family.JAVA), component) for component in Component)
    own = known_keys(newest(Family.STREAMS), Component.STREAMS).difference(*java)
    return not own.isdisjoint(names)


def _counts(client: Component, name: str) -> bool:
    """Whether an answer depends on a client's setting; a group is a consumer's, whatever it is."""
    return name == "group.id" or any(
        is_weighed(family, client, name) for family in (Family.JAVA, Family.LIBRDKAFKA)
    )


def is_of_client(key: str) -> bool:
    """Whether a name tells that something is for a client: a setting of one, or a name near that.

    Names of one word, such as `partition` and `debug`, mean much else, and the settings that
    secure connections are those of other clients, too.
    """
    if key.startswith(_OF_CONNECTIONS) or ("." not in key and key != "acks"):
        return False
    names = _only(Component.PRODUCER) | _only(Component.CONSUMER)
    return key in names or nearest(key, names, SLIP) is not None


def _only(component: Component) -> frozenset[str]:
    """The settings of a client, Java's or librdkafka's."""
    java, librdkafka = (newest(family) for family in (Family.JAVA, Family.LIBRDKAFKA))
    return known_keys(java, component) | known_keys(librdkafka, component)


def is_weighed_of(component: Component, key: str) -> bool:
    """Whether a setting decides anything; of Kafka Streams, those of its clients, too."""
    family = Family.STREAMS if component is Component.STREAMS else Family.JAVA
    parts = [component]
    if component is Component.STREAMS:
        parts += [Component.PRODUCER, Component.CONSUMER, Component.TOPIC]
    bare = re.sub(r"^(?:(?:main|restore|global)\.)?(?:producer|consumer|topic)\.", "", key)
    return any(is_weighed(family, part, name) for part in parts for name in {key, bare})
