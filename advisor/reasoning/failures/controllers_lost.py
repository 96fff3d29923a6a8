"""The majority of the controllers is down."""

from __future__ import annotations

from advisor.catalog import Component
from advisor.reasoning.event import FailureEvent, Permits, outage
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.replication import Replication, controllers


def permits(pipeline: Pipeline) -> Permits:
    """Nothing by itself; whatever fails next stays as it is, for as long as it lasts.

    Where every controller may be lost for good, so may all that they know, and with it every
    message. Seen in a run: with the controller hung, reads and writes went on for 12 s; a
    follower that was killed then held acks=all up until it was back.
    """
    topic = Replication(pipeline)
    if topic.zookeeper:
        return outage(_without_zookeeper(topic))
    return _without_majority(pipeline, topic) | _without_metadata(pipeline)


def _without_metadata(pipeline: Pipeline) -> Permits:
    """Brokers delete replicas that the metadata do not name (KAFKA-14616, stray replicas)."""
    count, lost = controllers(pipeline), lost_for_good(pipeline)
    if count is None or count > lost:
        return {}
    machines = "this machine" if count == 1 else "these machines"
    return {
        Anomaly.LOST_WRITE: f"application.controllers={count}: the metadata (which topics there "
        f"are, and who has their copies) are on {machines} only. With their disks they are lost, "
        "and brokers delete replicas that no metadata name."
    }


def lost_for_good(pipeline: Pipeline) -> int:
    """How many machines may lose their disks, also by a restart where that is a loss of one."""
    each = pipeline.text(Component.APPLICATION, "disk.lost") == "each-restart"
    return max(pipeline.requirement.survive, 1 if each else 0)


def _without_majority(pipeline: Pipeline, topic: Replication) -> Permits:
    count, lost = controllers(pipeline), lost_for_good(pipeline)
    if count is not None and (count - 1) // 2 < lost < count:
        return outage(
            f"application.controllers={count}: of these {lost} may be lost for good, and no "
            "majority is left. Nobody new leads, and the in-sync set cannot shrink, until "
            "an operator has made the quorum anew of those that are left."
        )
    spared = "fewer than half" if count is None else f"{(count - 1) // 2}"
    text = (
        f"application.controllers={count or 'unknown'} ({spared} may be down): without a majority"
    )
    if topic.waits_for_followers and topic.fails_over:
        return outage(
            f"{text} the in-sync set cannot shrink and no new leader can be elected, so the next "
            "broker that dies holds up acks=all until it or the controllers are back."
        )
    return outage(
        f"{text} no new leader can be elected: a partition whose leader dies next waits until it "
        "or the controllers are back."
    )


def _without_zookeeper(topic: Replication) -> str:
    """Inferred from where the controller, some broker, keeps its decisions; not seen in a run."""
    text = (
        f"{topic.with_zookeeper}: without a majority of ZooKeeper's servers (fewer than half "
        "may be down)"
    )
    if topic.waits_for_followers and topic.fails_over:
        return (
            f"{text} the in-sync set cannot shrink and no new leader can be elected, so the next "
            "broker that dies holds up acks=all until it or they are back."
        )
    return (
        f"{text} no new leader can be elected: a partition whose leader dies next waits until it "
        "or they are back."
    )


EVENT = FailureEvent(
    name="controllers-lost",
    title="The majority of the controllers is down",
    boundary=Boundary.PRODUCER_TO_LOG,
    story=(
        "Two of three controllers are away. Partitions that have a leader go on; then a broker "
        "fails, and no new leader can be elected. With ZooKeeper: two of three of "
        "its servers."
    ),
    permits=permits,
    scenario="controllers-lost",
    sources=(
        "Kafka operations/kraft.md, Controllers",
        "KIP-631",
        "KIP-497 (only the controller changes the in-sync set)",
        "KIP-500, Motivation (ZooKeeper)",
        "KAFKA-14616 (stray replicas)",
    ),
    beyond_settings="Run 3 or 5 controllers (or ZooKeeper's servers), in as many racks.",
)
