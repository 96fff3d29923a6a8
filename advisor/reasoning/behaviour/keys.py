"""Whether the messages of a key go to one partition, and are read from it one after the other."""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.pipeline import Pipeline

OWN = "partitioner"
"""The setting of how the team's own partitioner.class chooses. Only the team knows it."""

_KEYLESS = ("RoundRobinPartitioner", "UniformStickyPartitioner")
AS_JAVA = ("murmur2", "murmur2_random")
_OTHER_WRITERS = "application.other.writers"
_TWO_HASHES = "they put one key into two partitions."
_CRC32 = ("consistent", "consistent_random")


def keys_spread(pipeline: Pipeline) -> str | None:
    """Returns why a key may be in two partitions at the same time, or None if it is in one.

    Sources: librdkafka CONFIGURATION.md, `partitioner`; ProducerConfig, `partitioner.class`;
    KIP-369 (RoundRobinPartitioner); KIP-794 (`partitioner.ignore.keys`).
    """
    if pipeline.family is Family.LIBRDKAFKA:
        return _by_librdkafka(pipeline)
    return _by_java(pipeline)


def tasks_split(pipeline: Pipeline) -> str | None:
    """Returns why several Spark tasks read one partition in parallel, or None.

    The numbers of partitions and records are unknown, so any limit that may apply counts.
    Source: Spark's KafkaOffsetRangeCalculator.
    """
    if pipeline.family is not Family.SPARK:
        return None
    least = pipeline.value(Component.CONSUMER, "minPartitions")
    if isinstance(least, int) and least > 1:
        return f"minPartitions={least}: a topic with fewer partitions is read by several tasks each"
    name = "maxRecordsPerPartition"
    most = pipeline.value(Component.CONSUMER, name)
    if isinstance(most, int) and most < 2**63 - 1:
        return f"{name}={most}: a partition with more in one batch is read by several tasks"
    return None


def _by_librdkafka(pipeline: Pipeline) -> str | None:
    partitioner = pipeline.text(Component.PRODUCER, "partitioner")
    others = pipeline.text(Component.APPLICATION, "other.writers")
    if partitioner == "random":
        return "partitioner=random: each message goes to any partition, whatever its key."
    if others == "java" and partitioner not in AS_JAVA:
        return f"partitioner={partitioner}, {_OTHER_WRITERS}=java (murmur2): {_TWO_HASHES}"
    if others == "librdkafka" and partitioner not in _CRC32:
        return f"partitioner={partitioner}, {_OTHER_WRITERS}=librdkafka (CRC32): {_TWO_HASHES}"
    return None


def own_class(pipeline: Pipeline) -> bool:
    """Whether the producer has a partitioner class that is not Kafka's own."""
    if pipeline.family is Family.LIBRDKAFKA:
        return False
    stated = pipeline.text(Component.PRODUCER, "partitioner.class")
    return bool(stated) and stated.rpartition(".")[2] not in (*_KEYLESS, "DefaultPartitioner")


def _by_own_class(pipeline: Pipeline, stated: str) -> str | None:
    """Returns why the stated class may put a key into two partitions, or None."""
    others = pipeline.text(Component.APPLICATION, "other.writers")
    if not own_class(pipeline):
        return f"partitioner.class={stated}: it ignores the key."
    if pipeline.text(Component.APPLICATION, OWN) != "by-key":
        return f"partitioner.class={stated}: only its code shows whether it uses the key."
    if others in ("java", "librdkafka"):
        return f"partitioner.class={stated}, {_OTHER_WRITERS}={others}: {_TWO_HASHES}"
    return None


def _by_java(pipeline: Pipeline) -> str | None:
    stated = pipeline.text(Component.PRODUCER, "partitioner.class")
    if stated and not stated.endswith(".DefaultPartitioner"):
        return _by_own_class(pipeline, stated)
    ignore = "partitioner.ignore.keys"
    knows = pipeline.knows(Component.PRODUCER, ignore)
    if knows and not stated and pipeline.flag(Component.PRODUCER, ignore):
        return f"{ignore}=true: each batch goes to any partition, whatever the keys."
    if pipeline.text(Component.APPLICATION, "other.writers") == "librdkafka":
        return f"murmur2, {_OTHER_WRITERS}=librdkafka (CRC32): {_TWO_HASHES}"
    return None
