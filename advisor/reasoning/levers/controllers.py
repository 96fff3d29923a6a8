"""The levers of a cluster's servers: how many keep the metadata, their disks, and which are up."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.catalog import Component, Value
from advisor.reasoning.behaviour.replication import Replication
from advisor.reasoning.failures.brokers_below_min_isr import IN_SYNC
from advisor.reasoning.failures.controllers_lost import (
    DISK,
    SERVERS,
    lost_for_good,
    may_be_stale,
    returns_empty,
)
from advisor.reasoning.failures.rack_lost import EVENT as RACK_LOST
from advisor.reasoning.failures.rack_lost import PLACES, metadata_loss
from advisor.reasoning.levers.lever import Lever, Procedure, Restart, Targets, costs
from advisor.reasoning.pipeline import Pipeline


def _servers(*, zookeeper: bool) -> Targets:
    """2f + 1 servers, which keep a majority without f; none if their number was not stated."""

    def targets(pipeline: Pipeline) -> Sequence[Value]:
        if Replication(pipeline).zookeeper is not zookeeper:
            return []
        return [2 * lost_for_good(pipeline) + 1] if may_be_stale(pipeline) else []

    return targets


def _third_place(pipeline: Pipeline) -> Sequence[Value]:
    """Three racks or zones: then none has the majority."""
    return [3] if RACK_LOST.in_scope(pipeline) and metadata_loss(pipeline) else []


def _disks(pipeline: Pipeline) -> Sequence[Value]:
    return ["rebuilt"] if returns_empty(pipeline) else []


def _in_sync(pipeline: Pipeline) -> Sequence[Value]:
    """All replicas in sync, also those that a higher minimum or one more copy needs."""
    in_sync = pipeline.value(Component.APPLICATION, IN_SYNC)
    wanted = min(pipeline.requirement.survive + 2, pipeline.brokers)
    replicas = max(Replication(pipeline).factor, wanted)
    return [replicas] if isinstance(in_sync, int) and in_sync < replicas else []


LEVERS = (
    Lever(
        Component.APPLICATION, SERVERS[0], _servers(zookeeper=False),
        costs(more="Machines: each new controller, with a disk of its own, in another rack."),
        "Kafka operations/kraft.md, Controllers; KIP-853",
        Procedure(
            Restart.NOTHING,
            "From Kafka 3.9 on, in a quorum with kraft.version=1: format each new controller with "
            "--no-initial-controllers, start it, then kafka-metadata-quorum.sh add-controller, one "
            "after the other. A quorum of controller.quorum.voters is changed in a new cluster.",
            "kafka-metadata-quorum.sh describe --status shows them all as CurrentVoters.",
        ),
    ),
    Lever(
        Component.APPLICATION, SERVERS[1], _servers(zookeeper=True),
        costs(latency="a change of metadata waits for a majority.",
              more="Machines: each new server, with a disk of its own, in another rack."),
        "ZooKeeper Administrator's Guide, Clustered (Multi-Server) Setup; KIP-500",
        Procedure(
            Restart.NOTHING,
            "Start the new servers with the whole list (server.N=…), each with its myid, then "
            "restart the first one with that list, and list all of them as zookeeper.connect.",
            "The four-letter word srvr (or mntr) of each says Mode: leader or follower.",
        ),
    ),
    Lever(
        Component.APPLICATION, PLACES, _third_place,
        costs(more="Machines: a controller (or ZooKeeper server) in a third place."),
        "Kafka operations/kraft.md, Controllers; KIP-853",
        Procedure(
            Restart.NOTHING,
            "Format a controller in a third place with --no-initial-controllers, start it, then "
            "kafka-metadata-quorum.sh add-controller, and remove-controller for one in the rack "
            "with most of them (from Kafka 3.9 on, with kraft.version=1). ZooKeeper: move one of "
            "its servers there.",
            "kafka-metadata-quorum.sh describe --status shows as CurrentVoters no more of one rack "
            "than half.",
        ),
    ),
    Lever(
        Component.APPLICATION, DISK, _disks,
        costs(disk="a persistent volume for each controller (or ZooKeeper server).",
              more="Work: a server whose disk is lost is brought back by hand."),
        "KIP-856, Motivation; KIP-853",
        Procedure(
            Restart.NOTHING,
            "Give each of them a volume that outlives its process, one after the other, each only "
            "when the others are up and have caught up. One whose disk is lost comes back while "
            "the others are up; with kraft.version=1 as a new voter (kafka-metadata-quorum.sh "
            "remove-controller, then add-controller).",
            "kafka-metadata-quorum.sh describe --replication shows a Lag near 0 for each.",
        ),
    ),
    Lever(
        Component.APPLICATION, IN_SYNC, _in_sync,
        costs(throughput="replicas that catch up take a share of disks and network."),
        "Kafka ConfigDef, min.insync.replicas; TopicCommand",
        Procedure(
            Restart.NOTHING,
            "Start the brokers that kafka-topics.sh --describe names under Replicas and not under "
            "Isr, and wait until they have caught up.",
            "kafka-topics.sh --describe --under-replicated-partitions prints nothing.",
        ),
    ),
)  # fmt: skip
