"""The majority of the controllers is down."""

from __future__ import annotations

from advisor.catalog import Component
from advisor.reasoning.behaviour.replication import Replication, controllers, zookeeper_servers
from advisor.reasoning.event import FailureEvent, Permits, outage, truncated
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline

SERVERS, DISK = ("controllers", "zookeeper.servers"), "metadata.disk.lost"


def permits(pipeline: Pipeline) -> Permits:
    """An outage with the next failure: without a majority, the metadata cannot change.

    If all servers with the metadata may be lost for good, so may the metadata, and with it every
    message. Seen in a run: with the controller hung, reads and writes continued for 12 s; then a
    follower was killed, and acks=all was blocked until it was back.
    """
    topic = Replication(pipeline)
    outages = outage(
        _without_zookeeper(pipeline, topic)
        if topic.zookeeper
        else _without_majority(pipeline, topic)
    )
    stale = _stale_metadata(pipeline, topic)
    return outages | _lost_metadata(pipeline, topic) | stale | _empty_voter(pipeline, topic)


def may_be_stale(pipeline: Pipeline) -> bool:
    """Whether the remaining servers may lack committed metadata.

    A majority had it and may be lost (Raft; kraft.md, Controllers: 3 of them tolerate the loss of
    one).
    """
    count, lost = metadata_servers(pipeline), lost_for_good(pipeline)
    return count is not None and count // 2 < lost


def _stale_metadata(pipeline: Pipeline, topic: Replication) -> Permits:
    """Truncation: stale metadata may list a replica as in sync that has left the set since."""
    count, lost = metadata_servers(pipeline), lost_for_good(pipeline)
    if count is None or count <= lost or not may_be_stale(pipeline):
        return {}
    reason = (
        f"application.{SERVERS[topic.zookeeper]}={count}: {lost} may be lost for good, and "
        "committed metadata may have been on these only. If the cluster continues with the "
        "rest, a replica that lacks messages may become leader, and the others truncate them."
    )
    return truncated(reason)


def _lost_metadata(pipeline: Pipeline, topic: Replication) -> Permits:
    """Loss of all messages with the metadata.

    Brokers delete replicas that are not in the metadata (KAFKA-14616, stray replicas), and do not
    start with a ZooKeeper that has another cluster.id (KafkaServer.scala).
    """
    count, lost = metadata_servers(pipeline), lost_for_good(pipeline)
    if count is None or count > lost:
        return {}
    machines, disks = (
        ("this machine", "its disk") if count == 1 else ("these machines", "their disks")
    )
    after = (
        "brokers refuse to start with an empty ZooKeeper (InconsistentClusterIdException)."
        if topic.zookeeper
        else "brokers delete replicas that are not in the metadata."
    )
    return {
        Anomaly.LOST_WRITE: (
            f"application.{SERVERS[topic.zookeeper]}={count}: the metadata (which topics exist, "
            f"and which brokers have their copies) is on {machines} only. With {disks} it is lost, "
            f"and {after}"
        )
    }


def _empty_voter(pipeline: Pipeline, topic: Replication) -> Permits:
    """Truncation: a voter with an empty disk may elect a stale server (KIP-856, KAFKA-14077)."""
    by_restart = pipeline.text(Component.APPLICATION, DISK) == "each-restart"
    if not (by_restart or (returns_empty(pipeline) and pipeline.requirement.survive)):
        return {}
    server = "server of ZooKeeper" if topic.zookeeper else "controller"
    reason = (
        f"application.{DISK}={pipeline.text(Component.APPLICATION, DISK)}: a {server} that returns "
        "with an empty disk votes for one that is behind, and committed metadata is lost: which "
        "replicas are in sync, or all topics. A replica that lacks messages then becomes leader, "
        "and the others truncate them."
    )
    return truncated(reason)


def metadata_servers(pipeline: Pipeline) -> int | None:
    """Returns how many servers keep the metadata; None if that was not stated."""
    by_zookeeper = Replication(pipeline).zookeeper
    return zookeeper_servers(pipeline) if by_zookeeper else controllers(pipeline)


def returns_empty(pipeline: Pipeline) -> bool:
    """Whether a server that lost its disk comes back and votes without an operator."""
    return pipeline.text(Component.APPLICATION, DISK) != "rebuilt"


def lost_for_good(pipeline: Pipeline) -> int:
    """Returns how many machines may lose their disks; at least 1 if a restart empties a disk."""
    by_restart = "each-restart" in (
        pipeline.text(Component.APPLICATION, name) for name in ("disk.lost", DISK)
    )
    return max(pipeline.requirement.survive, 1 if by_restart else 0)


def _without_majority(pipeline: Pipeline, topic: Replication) -> str:
    count, lost = controllers(pipeline), lost_for_good(pipeline)
    if count is not None and (count - 1) // 2 < lost < count:
        return (
            f"application.controllers={count}: {lost} of these may be lost for good, and no "
            "majority is left. No new leader is elected and the in-sync set cannot shrink until "
            "an operator has formed a new quorum of the remaining ones."
        )
    condition = (
        f"application.controllers={count or 'unknown'} ({_tolerated(count)} may be down): without "
        "a majority"
    )
    return _outage_reason(topic, condition, "the controllers")


def _without_zookeeper(pipeline: Pipeline, topic: Replication) -> str:
    """Returns the reason for an outage without a majority of ZooKeeper's servers.

    Inferred from where the controller, which is one of the brokers, stores its decisions; not seen
    in a run.
    """
    condition = (
        f"{topic.with_zookeeper}: without a majority of ZooKeeper's servers "
        f"({_tolerated(zookeeper_servers(pipeline))} may be down)"
    )
    return _outage_reason(topic, condition, "they")


def _tolerated(count: int | None) -> str:
    return "fewer than half" if count is None else f"{(count - 1) // 2}"


def _outage_reason(topic: Replication, condition: str, servers: str) -> str:
    if topic.waits_for_followers and topic.fails_over:
        return (
            f"{condition} the in-sync set cannot shrink and no new leader can be elected, so the "
            f"next broker that dies blocks acks=all until it or {servers} are back."
        )
    return (
        f"{condition} no new leader can be elected: a partition whose leader dies next waits until "
        f"it or {servers} are back."
    )


EVENT = FailureEvent(
    name="controllers-lost",
    title="The majority of the controllers is down",
    boundary=Boundary.PRODUCER_TO_LOG,
    story=(
        "Two of three controllers are down. Partitions that have a leader continue; then a broker "
        "fails, and no new leader can be elected. With ZooKeeper: two of three of its servers are "
        "down."
    ),
    permits=permits,
    scenario="controllers-lost",
    sources=(
        "Kafka operations/kraft.md, Controllers",
        "KIP-631",
        "KIP-497 (only the controller changes the in-sync set)",
        "KIP-500, Motivation (ZooKeeper)",
        "KAFKA-14616 (stray replicas)",
        "KIP-856, Motivation; KAFKA-14077 (a voter on an empty disk)",
    ),
    beyond_settings=(
        "Run 3 or 5 controllers (or ZooKeeper servers), each in a rack of its own and on a disk "
        "that outlives its process."
    ),
)
