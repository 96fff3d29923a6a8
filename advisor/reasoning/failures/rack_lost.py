"""A whole rack or zone is lost, with every replica in it."""

from __future__ import annotations

from advisor.catalog import Component
from advisor.reasoning.behaviour.replication import Replication, in_fullest_rack
from advisor.reasoning.behaviour.session import Session
from advisor.reasoning.event import FailureEvent, Permits, truncated
from advisor.reasoning.failures.controllers_lost import metadata_servers
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.plural import counted

PLACES = "metadata.racks"
_ODD = 3
"""How many servers keep the metadata, if that was not stated: an odd number, as recommended."""


def permits(pipeline: Pipeline) -> Permits:
    """Loss, unless a copy of an acknowledged record is guaranteed outside the fullest rack.

    Replicas are spread evenly over racks if every broker states its rack (KIP-36). Of two racks,
    one has the majority of an odd number of controllers, unless one of them is in a third place.
    """
    topic = Replication(pipeline)
    racks = pipeline.value(Component.APPLICATION, "racks")
    count = racks if isinstance(racks, int) else 1
    in_rack = in_fullest_rack(topic.factor, count)
    placement = (
        f"application.racks={count if racks else 'unknown'}, replication.factor={topic.factor}: "
        f"{in_rack} of {counted(topic.factor, 'replica')} may be in one rack"
    )
    permitted: Permits = {}
    if topic.copies <= in_rack:
        permitted |= _loss(pipeline, topic, in_rack, placement)
    elif reason := metadata_loss(pipeline):
        permitted |= truncated(reason)
    if topic.waits_for_followers and topic.factor - in_rack < topic.min_isr:
        permitted[Anomaly.UNAVAILABLE] = (
            f"{placement}; without them fewer than min.insync.replicas={topic.min_isr} are left."
        )
    elif reason := outage_without_majority(pipeline):
        permitted[Anomaly.UNAVAILABLE] = f"{placement}; {reason}"
    return permitted


def metadata_loss(pipeline: Pipeline) -> str:
    """Returns why only the servers in one rack may have committed metadata; empty if others have
    it. A majority had it (Raft)."""
    count = metadata_servers(pipeline)
    in_rack = in_one_rack(pipeline, count or _ODD)
    if in_rack <= (count or _ODD) // 2:
        return ""
    return (
        f"{_placement(pipeline)}, and committed metadata may have been on these only. If that rack "
        "is lost and the cluster continues with the rest, a replica that lacks messages may become "
        "leader, and the others truncate them."
    )


def outage_without_majority(pipeline: Pipeline) -> str:
    """Returns why the servers outside one rack may be no majority; empty if they are one."""
    count = metadata_servers(pipeline) or _ODD
    if count - in_one_rack(pipeline, count) > count // 2:
        return ""
    return (
        f"{_placement(pipeline)}. If that rack is lost, no leader can be elected, and its "
        "partitions wait until they are back."
    )


def metadata_racks(pipeline: Pipeline) -> int:
    """Returns in how many racks the servers with the metadata are: in as many as the brokers, if
    that was not stated."""
    stated = (pipeline.value(Component.APPLICATION, name) for name in (PLACES, "racks"))
    return next((racks for racks in stated if isinstance(racks, int)), 1)


def in_one_rack(pipeline: Pipeline, count: int) -> int:
    """Returns how many of `count` servers with the metadata are in the fullest rack."""
    return in_fullest_rack(count, metadata_racks(pipeline))


def _placement(pipeline: Pipeline) -> str:
    """Returns how many of the servers with the metadata may be in one rack, with the settings."""
    count, racks = metadata_servers(pipeline), metadata_racks(pipeline)
    who = "servers of ZooKeeper" if Replication(pipeline).zookeeper else "controllers"
    number = f"{in_one_rack(pipeline, count)} of the {count}" if count else "the majority of the"
    name = PLACES if pipeline.value(Component.APPLICATION, PLACES) is not None else "racks"
    return f"application.{name}={racks}: one rack may have {number} {who}"


def _loss(pipeline: Pipeline, topic: Replication, in_rack: int, placement: str) -> Permits:
    """Loss, and refused batches if an operator elects a stale replica (docs/decisions/0025)."""
    copies = counted(topic.copies, "copy", "copies")
    reason = (
        f"{placement}, and an acknowledged record is guaranteed {copies} (acks={topic.acks}, "
        f"min.insync.replicas={topic.min_isr}): a rack that is cut off may continue to acknowledge "
        "alone, and then it is lost."
    )
    permitted = {Anomaly.LOST_WRITE: reason}
    if topic.high_watermark_advances(in_rack):
        permitted |= truncated(reason)
    if Session(pipeline).idempotent:
        permitted[Anomaly.GIVEN_UP] = (
            "enable.idempotence=true: a replica that an operator elects lacks the producer's last "
            "batches and refuses the batches after them (OUT_OF_ORDER_SEQUENCE_NUMBER)."
        )
    return permitted


def _in_scope(pipeline: Pipeline) -> bool:
    stated = pipeline.value(Component.APPLICATION, "racks") is not None
    return stated and pipeline.requirement.survive >= 1


EVENT = FailureEvent(
    name="rack-lost",
    title="A rack or zone is lost for good",
    boundary=Boundary.PRODUCER_TO_LOG,
    story="Every broker of one rack or availability zone is lost at once, disks included.",
    permits=permits,
    scenario="rack-lost",
    sources=("KIP-36 (rack-aware replica assignment)", "Kafka design.md, Replication"),
    beyond_settings=(
        "Spread the brokers over 3 racks or more. With 2, no settings both survive the loss of "
        "one and keep writes available. With min.insync.replicas above half of the replicas, "
        "acks=all has a copy in both racks, and waits while either is down. With a controller in "
        f"a third place (two and a half data centres, application.{PLACES}=3), the remaining rack "
        "can elect leaders, and no committed metadata is lost."
    ),
    in_scope=_in_scope,
    not_counted=(
        "it counts if you state in how many racks the brokers are (application.racks) and want to "
        "survive 1 broker or more"
    ),
)
