"""The conditions that a scenario waits for: `stage.wait(ANOTHER_LEADS, limit_s=40)`."""

from __future__ import annotations

import time
from dataclasses import replace

from advisor.catalog.versions import at_least
from labs.engine.cluster.cluster import Cluster
from labs.engine.faults.rig import Condition, Rig
from labs.engine.scenarios.model import TOPIC, Topology

_DELAY_CONFIGURABLE_SINCE = "3.8"
_FIRST_DELETION_S = 31.0
"""A broker begins to delete old segments 30 s after its start. No setting changes that before 3.8
(LogManager.InitialTaskDelayMs, read in the class files of 2.8.2 to 3.7.2)."""


def in_sync(topology: Topology, size: int) -> Condition:
    """A condition: `size` replicas of each partition are in sync, and it has a leader."""
    return Condition(
        f"{size} in sync",
        f"for topic {TOPIC} to have {size} replicas in sync",
        f"topic {TOPIC!r} does not have {size} replicas in sync",
        lambda rig: rig.cluster.is_in_sync(TOPIC, topology.partitions, size),
    )


def all_in_sync(topology: Topology) -> Condition:
    """A condition: every replica is in sync."""
    return replace(in_sync(topology, topology.replication_factor), words="all are in sync")


def leaders(cluster: Cluster) -> dict[int, int | None]:
    """The leader of each partition according to running brokers, or None without a leader."""
    return {state.partition: state.leader for state in cluster.describe(TOPIC)}


def _running(rig: Rig) -> set[int]:
    return {id_ for id_, state in rig.cluster.states().items() if state == "running"}


def _has_another_leader(rig: Rig) -> bool:
    leader = leaders(rig.cluster).get(0)
    return leader in _running(rig) and leader != rig.first_leader


def _has_no_dead_leader(rig: Rig) -> bool:
    all_leaders = set(leaders(rig.cluster).values())
    return bool(all_leaders) and all_leaders <= {None, *_running(rig)}


def _has_begun_to_delete(rig: Rig) -> bool:
    if at_least(rig.cluster.release, _DELAY_CONFIGURABLE_SINCE):
        return True
    now = time.monotonic()
    return all(
        now - broker.started_at > _FIRST_DELETION_S for broker in rig.cluster.brokers.values()
    )


ANOTHER_LEADS = Condition(
    "another broker leads",
    "for a follower to become leader",
    "no follower became leader",
    _has_another_leader,
)
"""A running broker leads that did not lead before the first fault."""
CONTROLLER_ACTIVE = Condition(
    "there is a controller",
    "for a controller to become active",
    "there is no active controller",
    lambda rig: rig.cluster.active_controller(),
)
DEAD_NOTICED = Condition(
    "dead brokers are noticed",
    "for the controller to notice that the leader is gone",
    "a dead broker still counts as leader",
    _has_no_dead_leader,
)
"""No dead broker is the leader, whether there is another leader or none."""
POSITION_SAVED = Condition(
    "the group has saved a position",
    "for the group to save a position",
    "the group saved no position",
    lambda rig: rig.clients.committed_positions(),
    is_optional=True,
)
"""The group has committed a position."""
RETENTION_RUNS = Condition(
    "the brokers delete old records",
    "for the brokers to begin to delete old records",
    "the brokers have not begun to delete old records",
    _has_begun_to_delete,
)
"""Without it, nothing is deleted in a run shorter than a broker's initial delay."""
