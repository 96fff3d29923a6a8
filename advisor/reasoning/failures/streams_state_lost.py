"""The local state of a Kafka Streams instance is gone."""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.behaviour.streams import Streams
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline


def permits(pipeline: Pipeline) -> Permits:
    """Blocked tasks until the state is restored from the changelog; lost state if there is none."""
    streams = Streams(pipeline)
    if streams.state == "none":
        return {}
    if streams.state == "unlogged":
        reason = (
            "application.state=unlogged: without a changelog topic no other instance has the "
            "state, and what earlier messages added to it is lost."
        )
        return {Anomaly.STATE_LOST: reason, Anomaly.EFFECT_MISSING: reason}
    return {Anomaly.BLOCKED: f"{_loss_reason(pipeline, streams)} {_recovery(pipeline, streams)}"}


def _loss_reason(pipeline: Pipeline, streams: Streams) -> str:
    in_memory = pipeline.knows(Component.STREAMS, "default.dsl.store") and (
        pipeline.text(Component.STREAMS, "default.dsl.store") == "in_memory"
    )
    if in_memory:
        return "default.dsl.store=in_memory: the state is lost at every stop."
    if streams.exactly_once:
        return (
            f"{streams.guarantee_setting}: after a crash the state on disk is wiped, because it "
            "may be ahead of the committed offsets."
        )
    return (
        f"state.dir={pipeline.text(Component.STREAMS, 'state.dir')}: the state is lost with that "
        "folder."
    )


def _recovery(pipeline: Pipeline, streams: Streams) -> str:
    if streams.standbys == 0:
        return f"{streams.standby_setting}: the task waits until the whole changelog is read back."
    lag = pipeline.number(Component.STREAMS, "acceptable.recovery.lag")
    return (
        f"{streams.standby_setting}: an instance whose copy is at most "
        f"acceptable.recovery.lag={lag} records behind takes over and reads only these."
    )


EVENT = FailureEvent(
    name="streams-state-lost",
    title="The local state of a Streams instance is lost",
    boundary=Boundary.END_TO_END,
    story=(
        "The instance's machine or container is lost with its state.dir, or its task moves to an "
        "instance that never had the state."
    ),
    permits=permits,
    scenario="streams-state-lost",
    families=frozenset({Family.STREAMS}),
    sources=(
        "Kafka Streams developer guide, Interactive queries and fault-tolerant state stores",
        "KIP-441 (standby replicas, acceptable.recovery.lag)",
        "apache/kafka StateManagerUtil.java (state is wiped after an unclean close)",
    ),
)
