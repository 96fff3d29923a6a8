"""Levers of the consumer."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from advisor.catalog import Component, Family, Value
from advisor.reasoning.behaviour.absence import METADATA_MS, trigger_delay_ms, until_discovered
from advisor.reasoning.levers.lever import (
    CONSUMER_RESTART,
    LONG_MAX,
    Lever,
    Procedure,
    Restart,
    becomes,
    costs,
    not_spark,
    only,
    price_text,
)
from advisor.reasoning.pipeline import Pipeline


def _resets(pipeline: Pipeline) -> Sequence[Value]:
    stop = "error" if pipeline.family is Family.LIBRDKAFKA else "none"
    return _becomes("auto.offset.reset", "earliest", stop)(pipeline)


def _reset_price(before: Pipeline, after: Pipeline) -> str:
    if after.text(Component.CONSUMER, "auto.offset.reset") == "earliest":
        return price_text(
            latency="a group without a position reads the whole log first, and processes it again."
        )
    return price_text(availability="a group without a position stops until somebody sets one.")


def _one_task(name: str, value: int, pipeline: Pipeline) -> Sequence[Value]:
    """The value with which one task reads each partition, where another one is stated."""
    return [value] if pipeline.value(Component.CONSUMER, name) not in (None, value) else []


_lever = partial(Lever, Component.CONSUMER)
_becomes = partial(becomes, Component.CONSUMER)
_QUERY_RESTART = Procedure(
    Restart.CONSUMERS,
    "Change the option of the source and start the query again with the same checkpointLocation.",
    "The query's plan (explain) and its progress show the source's options and offsets.",
)


def _offset_stores(pipeline: Pipeline) -> Sequence[Value]:
    """No automatic store of offsets.

    Of no use if positions are committed in a transaction: the offsets that the code stores would be
    committed as well.
    """
    if pipeline.text(Component.APPLICATION, "commit") == "in-transaction":
        return ()
    return _becomes("enable.auto.offset.store", False)(pipeline)


def _refreshes(name: str, pipeline: Pipeline) -> Sequence[Value]:
    """The client's default, where it refreshes metadata less often, or never."""
    late = until_discovered(pipeline).ms > METADATA_MS
    return [METADATA_MS] if late and pipeline.knows(Component.CONSUMER, name) else []


def _delays(pipeline: Pipeline) -> Sequence[Value]:
    """Spark's default, where a longer delay makes too few messages wait."""
    delay_ms = trigger_delay_ms(pipeline.text(Component.CONSUMER, "maxTriggerDelay"))
    min_offsets = pipeline.value(Component.CONSUMER, "minOffsetsPerTrigger")
    return ["15m"] if min_offsets and delay_ms > trigger_delay_ms("15m") else []


LEVERS = (
    _lever(
        "auto.offset.reset", not_spark(_resets),
        _reset_price,
        "Kafka ConfigDef, auto.offset.reset",
        CONSUMER_RESTART,
    ),
    _lever(
        "startingOffsets", only(Family.SPARK, _becomes("startingOffsets", "earliest")),
        costs(latency="a query without a checkpoint reads the whole log first."),
        "Spark structured-streaming-kafka-integration.md, startingOffsets",
        _QUERY_RESTART,
    ),
    _lever(
        "failOnDataLoss", only(Family.SPARK, _becomes("failOnDataLoss", True)),
        costs(availability="a query whose offsets were deleted stops, and somebody has to act."),
        "Spark structured-streaming-kafka-integration.md, failOnDataLoss",
        _QUERY_RESTART,
    ),
    _lever(
        "minPartitions", only(Family.SPARK, partial(_one_task, "minPartitions", 1)),
        costs(throughput="one task reads each partition."),
        "Spark structured-streaming-kafka-integration.md, minPartitions",
        _QUERY_RESTART,
    ),
    _lever(
        "maxRecordsPerPartition",
        only(Family.SPARK, partial(_one_task, "maxRecordsPerPartition", LONG_MAX)),
        costs(throughput="one task reads each partition."),
        "Spark structured-streaming-kafka-integration.md, maxRecordsPerPartition",
        _QUERY_RESTART,
    ),
    _lever(
        "maxTriggerDelay", only(Family.SPARK, _delays),
        costs(throughput="batches are smaller."),
        "Spark structured-streaming-kafka-integration.md, maxTriggerDelay",
        _QUERY_RESTART,
    ),
    *(
        _lever(
            name, partial(_refreshes, name),
            costs(more="Requests: each client asks for the topic's partitions more often."),
            source,
            CONSUMER_RESTART,
        )
        for name, source in (
            ("metadata.max.age.ms", "Kafka ConfigDef, metadata.max.age.ms"),
            ("topic.metadata.refresh.interval.ms",
             "librdkafka CONFIGURATION.md, topic.metadata.refresh.interval.ms"),
        )
    ),
    _lever(
        "enable.auto.offset.store",
        only(Family.LIBRDKAFKA, _offset_stores),
        costs(more="Code: the application calls store_offsets() for each message once it is "
              "processed."),
        "librdkafka INTRODUCTION.md, At-least-once processing",
        CONSUMER_RESTART,
    ),
    _lever(
        "enable.auto.commit", not_spark(_becomes("enable.auto.commit", False)),
        costs(throughput="one request to the group's coordinator for each commit.",
              more="Code: the application commits by itself."),
        "Kafka design.md, Message Delivery Semantics",
        Procedure(
            Restart.CONSUMERS,
            "First the code that commits, then the configuration, in one release; restart the "
            "members one by one, each with close().",
            "kafka-consumer-groups.sh --describe: the committed offsets keep advancing, and the "
            "lag does not grow.",
            after=("commit",),
        ),
    ),
    _lever(
        "isolation.level", _becomes("isolation.level", "read_committed"),
        costs(latency=(
            "records are visible when their transaction is committed; an open transaction hides "
            "what follows it for up to transaction.timeout.ms plus 10,000 ms."
        )),
        "KIP-98; Kafka ConfigDef, isolation.level",
        CONSUMER_RESTART,
    ),
)  # fmt: skip
