"""A partition is reassigned while a replica is out of sync, and then the leader's disk is lost.

A follower is down. An operator removes another follower, which is in sync, from the partition's
replicas. The controller should wait until all remaining replicas are in sync. In KRaft mode it does
so since 3.8 (KAFKA-15665). Before, it waited only for replicas that are added, and none is: the
copy is deleted immediately, and the leader has the only copy of records that two replicas
acknowledged. On 3.7.2, with acks=all and min.insync.replicas=2: 9,500 of 58,436 lost; on 4.3.1 none
of 43,931.
"""

from __future__ import annotations

from labs.engine.faults.admin import elect
from labs.engine.faults.kill import kill, restart
from labs.engine.faults.reassign import remove_copy
from labs.engine.faults.roles import dead, killed, leader, one_follower, terminated
from labs.engine.faults.terminate import terminate
from labs.engine.faults.wipe import wipe
from labs.engine.plan.spec import Settings
from labs.engine.scenarios.conditions import DEAD_NOTICED, in_sync
from labs.engine.scenarios.model import (
    TOPIC,
    Durations,
    Rate,
    Scenario,
    ScenarioError,
    Stage,
    Topology,
)
from labs.engine.scenarios.steps import LEADERLESS_TOPICS
from labs.engine.scenarios.topologies import with_controllers

_MIN_REPLICAS = 3


def _topology(settings: Settings) -> Topology:
    topology = with_controllers(1)(settings)
    if topology.replication_factor < _MIN_REPLICAS:
        raise ScenarioError(
            f"replication.factor is {topology.replication_factor}: with one replica down, the "
            "leader would have no other copy in sync to lose"
        )
    return topology


def _play(stage: Stage, seconds: Durations) -> None:
    remaining = stage.topology.replication_factor - 1
    stage.do(terminate, one_follower(TOPIC))
    stage.wait(in_sync(stage.topology, remaining), limit_s=20)
    stage.let_run(seconds["away_s"])
    stage.do(remove_copy, TOPIC)
    stage.let_run(seconds["reassigned_s"])
    stage.do(kill, leader(TOPIC))
    stage.do(wipe, killed())
    stage.heal(restart, terminated())
    stage.wait(DEAD_NOTICED, limit_s=60)
    stage.let_run(seconds["without_disk_s"])
    stage.heal(restart, dead())
    for topic in LEADERLESS_TOPICS:
        stage.heal(elect, topic)
    stage.wait(in_sync(stage.topology, remaining), limit_s=60)


SCENARIO = Scenario(
    name="reassignment-during-failure",
    title="A partition is reassigned while a replica is away",
    story=(
        "A follower is stopped. Meanwhile another follower, which is in sync, is removed from the "
        "partition's replicas, as when its broker is retired. Then the leader's machine is lost "
        "with its disk. The stopped follower comes back, and the leader comes back on a new disk."
    ),
    shows=("lost_write", "unavailable", "blocked"),
    topology=_topology,
    durations={
        "lead_in_s": (1.0, 2.0),
        "away_s": (1.0, 1.5),
        "reassigned_s": (0.8, 1.2),
        "without_disk_s": (1.0, 1.5),
        "healed_s": (0.5, 1.0),
    },
    play=_play,
    given_up_breaks=True,
    measured=(Rate("lost_write", 1, 1),),
    zookeeper=True,
)
