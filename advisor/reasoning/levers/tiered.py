"""Levers of the topic that records where tiered storage has its segments."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.catalog import Component, Value
from advisor.reasoning.failures.broker_disk_lost import FACTOR, MINIMUM, remote_copies
from advisor.reasoning.levers.lever import Lever, Procedure, Restart, costs, minimums
from advisor.reasoning.pipeline import Pipeline


def _factors(pipeline: Pipeline) -> Sequence[Value]:
    """f + 1 copies survive f brokers, and one more lets the copying of segments continue."""
    if remote_copies(pipeline) is None:
        return []
    lost, now = pipeline.requirement.survive, pipeline.number(Component.APPLICATION, FACTOR)
    return [min(lost + 2, pipeline.brokers)] if now <= lost < pipeline.brokers else []


def _minimums(pipeline: Pipeline) -> Sequence[Value]:
    if remote_copies(pipeline) is None:
        return []
    factor, now = (pipeline.number(Component.APPLICATION, name) for name in (FACTOR, MINIMUM))
    return minimums(pipeline, now, (factor, *_factors(pipeline)))


LEVERS = (
    Lever(
        Component.APPLICATION, FACTOR, _factors,
        costs(latency="none for records; the record of where a segment is waits for the "
                      "replicas in sync.",
              disk="almost none; a line for each segment and its deletion."),
        "TopicBasedRemoteLogMetadataManagerConfig; KIP-405; KIP-455",
        Procedure(
            Restart.NOTHING,
            "rlmm.config.remote.log.metadata.topic.replication.factor is used once, when "
            "__remote_log_metadata is created. An existing topic needs a plan for "
            "kafka-reassign-partitions.sh --execute.",
            "kafka-topics.sh --describe --topic __remote_log_metadata shows the Replicas and Isr.",
        ),
    ),
    Lever(
        Component.APPLICATION, MINIMUM, _minimums,
        costs(availability=(
            "while fewer of its copies are in sync, no segment is copied to the remote storage, "
            "and the brokers keep their segments."
        )),
        "KIP-1235",
        Procedure(
            Restart.NOTHING,
            "kafka-configs.sh --alter --entity-type topics --entity-name __remote_log_metadata "
            "--add-config min.insync.replicas=N, while every replica of it is in sync.",
            "kafka-configs.sh --describe --all --entity-type topics --entity-name "
            "__remote_log_metadata shows min.insync.replicas.",
            after=(FACTOR,),
        ),
    ),
)  # fmt: skip
