"""Names of real settings that the catalog does not weigh, so that they are not called errors.

The lists in `keys/` are those of the products (Kafka 4.3.1's ConfigDefs together with those of
the 3.9 client, librdkafka 2.16's own dump); tests/contracts holds them against the products.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from functools import cache
from importlib.resources import files

from advisor.catalog import Component, Family

_NEAR = 0.85
"""Above this a name is taken for a slip of the finger and not for another setting."""

_SPARK_OPTIONS = frozenset({
    "subscribe", "subscribePattern", "assign", "topic", "checkpointLocation", "includeHeaders",
    "startingTimestamp", "startingOffsetsByTimestamp", "startingOffsetsByTimestampStrategy",
    "endingOffsets", "endingTimestamp", "endingOffsetsByTimestamp", "maxOffsetsPerTrigger",
    "minOffsetsPerTrigger", "maxTriggerDelay", "minPartitions", "maxRecordsPerPartition",
    "groupIdPrefix", "fetchOffset.numRetries", "fetchOffset.retryIntervalMs",
    "kafkaConsumer.pollTimeoutMs", "asyncProgressTrackingEnabled",
})  # fmt: skip
"""Options of the connector itself (structured-streaming-kafka-integration.md)."""


_ONLY_CONSUMER = frozenset({"enable.auto.offset.store", "enable.partition.eof"})
"""Of librdkafka; its own list does not tell producer from consumer."""


@cache
def known_keys(family: Family, component: Component) -> frozenset[str]:
    """Every real key that may stand in a file of this component."""
    if component in (Component.TOPIC, Component.BROKER):
        return _names(f"{component}.txt")
    if component is Component.APPLICATION:
        return frozenset()
    if family is Family.LIBRDKAFKA:
        return _names("librdkafka.txt")
    client = _names(f"java_{component}.txt")
    if family is Family.SPARK:
        return _SPARK_OPTIONS | {f"kafka.{key}" for key in client}
    return client


def likely_client(names: Iterable[str]) -> Component:
    """Whose settings these are, by the names that only one of the two clients has."""
    found = set(names)
    producer, consumer = (
        known_keys(Family.JAVA, each) for each in (Component.PRODUCER, Component.CONSUMER)
    )
    reads = len(found & (consumer - producer | _ONLY_CONSUMER))
    writes = len(found & (producer - consumer))
    return Component.CONSUMER if reads > writes else Component.PRODUCER


def nearest(key: str, names: frozenset[str], cutoff: float = _NEAR) -> str | None:
    """The name that was probably meant, or None."""
    near = get_close_matches(key[:100], sorted(names), n=1, cutoff=cutoff)
    return near[0] if near else None


def _names(file: str) -> frozenset[str]:
    folder = files("advisor.intake") / "keys"
    return frozenset((folder / file).read_text(encoding="utf-8").split())
