"""A replica of a Streams application's internal topic that lacks messages becomes leader."""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.behaviour.replication import Replication
from advisor.reasoning.behaviour.streams import Streams
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline

_UNCLEAN = "unclean.leader.election.enable"


def permits(pipeline: Pipeline) -> Permits:
    """Loss of state, if the brokers' setting allows unclean elections.

    Streams creates these topics without the setting (InternalTopicConfig and its subclasses), and a
    file that states it as true is refused.
    """
    streams = Streams(pipeline)
    copies, factor = streams.internal_copies, streams.internal_factor
    unclean = pipeline.flag(Component.BROKER, _UNCLEAN)
    if not unclean or streams.state == "none" or copies >= factor:
        return {}
    reason = (
        f"{_UNCLEAN}=true of the brokers: what is in a changelog or a repartition topic is "
        f"guaranteed to be on {copies} of {factor} replicas, and one that lacks it may lead."
        f"{Replication(pipeline).unclean_election_note}"
    )
    return {Anomaly.STATE_LOST: reason, Anomaly.EFFECT_MISSING: reason}


EVENT = FailureEvent(
    name="streams-unclean-election",
    title="A replica that lacks the last changes of a Streams application leads",
    boundary=Boundary.END_TO_END,
    story=(
        "The replicas of a changelog or of a repartition topic that are in sync are down together, "
        "and one that had fallen behind is up."
    ),
    permits=permits,
    scenario="streams-internal-topics-lost",
    staged_as=(
        "the last changes are lost with a disk, as they are when a replica leads that never had "
        "them"
    ),
    families=frozenset({Family.STREAMS}),
    sources=(
        "Kafka design.md, Unclean leader election",
        "apache/kafka InternalTopicConfig.java, UnwindowedUnversionedChangelogTopicConfig.java, "
        "RepartitionTopicConfig.java",
    ),
)
