"""Levers of a Kafka Streams application."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from advisor.catalog import Component, Family, Value
from advisor.catalog.streams_overrides import COMMIT_MS, TRANSACTION_MS
from advisor.reasoning.behaviour.replication import enough_copies, short_of_copies
from advisor.reasoning.behaviour.streams import EXTRACTOR, PROCESSOR, Streams, handler_setting
from advisor.reasoning.levers.lever import (
    Lever,
    Procedure,
    Restart,
    Targets,
    costs,
    minimums,
    only,
    only_from,
    price_text,
)
from advisor.reasoning.pipeline import Pipeline

_STREAMS = Component.STREAMS
_ERRORS = "org.apache.kafka.streams.errors"
_STOPPING_HANDLERS = {
    "deserialization": "LogAndFailExceptionHandler",
    "processing": "LogAndFailProcessingExceptionHandler",
    "production": "DefaultProductionExceptionHandler",
}


def _guarantees(pipeline: Pipeline) -> Sequence[Value]:
    if Streams(pipeline).exactly_once:
        return []
    # exactly_once_v2 exists since 3.0 (KIP-732).
    return ["exactly_once_beta" if pipeline.version.startswith("2.") else "exactly_once_v2"]


def _factors(pipeline: Pipeline) -> Sequence[Value]:
    """As many copies as for the topic itself."""
    least = pipeline.number(_STREAMS, "topic.min.insync.replicas")
    short = short_of_copies(pipeline, Streams(pipeline).internal_factor)
    return [enough_copies(pipeline, least)] if short else []


def _minimums(pipeline: Pipeline) -> Sequence[Value]:
    now = pipeline.number(_STREAMS, "topic.min.insync.replicas")
    return minimums(pipeline, now, (Streams(pipeline).internal_factor, *_factors(pipeline)))


def _intervals(pipeline: Pipeline) -> Sequence[Value]:
    """Short enough for exactly-once, where the stated one exceeds the transaction timeout."""
    commit_ms = pipeline.stated(_STREAMS).get("commit.interval.ms")
    transaction_ms = _transaction_ms(pipeline)
    if not isinstance(commit_ms, int) or commit_ms <= transaction_ms:
        return []
    return [COMMIT_MS] if transaction_ms >= COMMIT_MS or commit_ms > _PATIENT_MS else []


def transactions(pipeline: Pipeline) -> Sequence[Value]:
    """Long enough for exactly-once, where the stated timeout is too short."""
    return [_PATIENT_MS] if _transaction_ms(pipeline) < COMMIT_MS else []


def _transaction_ms(pipeline: Pipeline) -> int:
    """Returns transaction.timeout.ms as it would be with exactly-once."""
    stated = pipeline.stated(Component.PRODUCER).get("transaction.timeout.ms")
    return stated if isinstance(stated, int) else TRANSACTION_MS


def _handlers(kind: str, name: str) -> Targets:
    """The handler that stops, where another one is in force and the version uses this setting."""

    def targets(pipeline: Pipeline) -> Sequence[Value]:
        stops = f"{_ERRORS}.{_STOPPING_HANDLERS[kind]}"
        if handler_setting(pipeline, kind) != name or pipeline.text(_STREAMS, name) == stops:
            return []
        return [stops]

    return targets


def _extractors(pipeline: Pipeline) -> Sequence[Value]:
    """The extractor that keeps every message, where one that drops some is in force."""
    keeps = f"{PROCESSOR}UsePartitionTimeOnInvalidTimestamp"
    return [keeps] if Streams(pipeline).record_dropping_extractor else []


def _factor_price(before: Pipeline, after: Pipeline) -> str:
    was, now = Streams(before).internal_factor, Streams(after).internal_factor
    return price_text(
        latency="each commit waits for the slowest of more replicas.",
        throughput=f"each change of the state goes over the network to {now - 1} followers instead "
        f"of {was - 1}.",
        disk=f"{now} copies of each changelog and repartition topic instead of {was}.",
    )


def _minimum_price(before: Pipeline, after: Pipeline) -> str:
    now = Streams(after)
    spare = now.internal_factor - now.internal_min_isr
    return price_text(
        availability=f"{spare} of the internal topics' brokers may be down while it runs."
    )


_INSTANCE_RESTART = Procedure(
    Restart.CONSUMERS,
    "Change the application's configuration and restart its instances one by one, each with "
    "close(), so that its tasks move immediately.",
    "The application logs its StreamsConfig, and the configuration of each client inside, where "
    "it starts.",
)
_INTERNAL_TOPIC = Procedure(
    Restart.CONSUMERS,
    "The setting is used when an internal topic is created. Existing ones (kafka-topics.sh "
    "--list: APPLICATION_ID-…-changelog and -repartition) need a plan for "
    "kafka-reassign-partitions.sh --execute, or kafka-configs.sh --alter, while the application "
    "runs.",
    "kafka-topics.sh --describe --topic APPLICATION_ID-…-changelog shows Replicas, Isr, Configs.",
)
_CODE = Procedure(
    Restart.CONSUMERS,
    "A release of your code; restart its instances one by one.",
    "Stop an instance of a test system, delete its state.dir and start it: the state is as before.",
)
_PATIENT_MS = 60_000
"""transaction.timeout.ms of every other client (KIP-98)."""

_lever = partial(Lever, _STREAMS)

LEVERS = (
    _lever(
        "processing.guarantee", only(Family.STREAMS, _guarantees),
        costs(latency="results can be read when their transaction is committed, every "
              "commit.interval.ms (100 ms unless stated); after a crash local state is read back "
              "from the changelog.",
              throughput="a transaction every commit.interval.ms, with a marker in each partition "
              "it wrote to.",
              availability="it waits while fewer brokers than transaction.state.log.min.isr (2 "
              "unless stated) have the transaction log.",
              disk="these markers."),
        "Kafka Streams core concepts, Processing guarantees; KIP-447",
        Procedure(
            Restart.CONSUMERS,
            "Change the application's configuration and restart its instances one by one; "
            "changing between at_least_once and exactly_once_v2 needs nothing else.",
            _INSTANCE_RESTART.verify,
        ),
    ),
    _lever(
        "commit.interval.ms", only(Family.STREAMS, _intervals),
        costs(throughput="a transaction every 100 ms; results can be read that much sooner.",
              disk="a marker per transaction in each partition it wrote to."),
        "Kafka StreamsConfig, commit.interval.ms", _INSTANCE_RESTART,
    ),
    _lever(
        "replication.factor", only(Family.STREAMS, _factors), _factor_price,
        "Kafka StreamsConfig, replication.factor; KIP-733", _INTERNAL_TOPIC,
    ),
    _lever(
        "topic.min.insync.replicas", only(Family.STREAMS, _minimums), _minimum_price,
        "Kafka design.md, Availability and Durability Guarantees; StreamsConfig, TOPIC_PREFIX",
        _INTERNAL_TOPIC,
    ),
    *(
        _lever(
            name, only(Family.STREAMS, _handlers(kind, name)),
            costs(availability=(
                "the application stops at a message that it cannot process, until somebody acts."
            )),
            "KIP-161; KIP-210; KIP-1033", _INSTANCE_RESTART,
        )
        for kind in _STOPPING_HANDLERS
        for name in (f"{kind}.exception.handler", f"default.{kind}.exception.handler")
    ),
    _lever(
        EXTRACTOR, only(Family.STREAMS, _extractors),
        costs(availability=(
            "the application stops at a negative timestamp that is the first of its partition. "
            "Any other message gets the time of the message before it, and may fall into that "
            "message's window."
        )),
        "KIP-530; UsePartitionTimeOnInvalidTimestamp.java", _INSTANCE_RESTART,
    ),
    Lever(
        Component.APPLICATION, "state",
        only(Family.STREAMS, only_from(Component.APPLICATION, "state", "unlogged", "logged")),
        costs(throughput="each change of the state is one more record to send.",
              disk="a changelog topic with the latest value of each key."),
        "Kafka Streams developer guide, Interactive queries and fault-tolerant state stores", _CODE,
    ),
    Lever(
        Component.APPLICATION, "readers",
        only(
            Family.STREAMS,
            only_from(Component.APPLICATION, "readers", "read_uncommitted", "read_committed"),
        ),
        costs(latency="readers of the output wait for each commit; behind an instance that died, "
              "for up to transaction.timeout.ms plus 10,000 ms."),
        "KIP-98; Kafka ConfigDef, isolation.level",
        Procedure(
            Restart.CONSUMERS,
            "isolation.level=read_committed in every reader of the output topics; restart them "
            "one by one.",
            "Read what is in force where each reader starts: it logs its configuration.",
        ),
    ),
)  # fmt: skip
