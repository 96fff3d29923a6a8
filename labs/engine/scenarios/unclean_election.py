"""Every replica in sync is down, and the one that is up could never catch up.

A follower that comes back has to copy the records that it missed. A replication throttle (KIP-73)
that was set for a reassignment and forgotten leaves it no bandwidth for that, so it stays out of
the in-sync set. The others acknowledged records while it was down (once it is back, acks=all may
wait for it). When they die, only an unclean election can make it the leader, without the records
that it lacks, even with acks=all and min.insync.replicas=2.

In KRaft mode before 3.9 the controllers elect none (KAFKA-12670), and here no operator does either,
to show that the setting has no effect. The controller is dedicated: if brokers were controllers
too, the majority of three would be down with the other replicas.
"""

from __future__ import annotations

from labs.engine.faults.kill import kill, restart
from labs.engine.faults.roles import dead, followers, leader, one_follower, terminated
from labs.engine.faults.terminate import terminate
from labs.engine.faults.throttle import release, throttle
from labs.engine.scenarios.conditions import DEAD_NOTICED, all_in_sync, in_sync
from labs.engine.scenarios.model import TOPIC, Durations, Rate, Scenario, Stage
from labs.engine.scenarios.topologies import with_controllers

_BYTES_PER_S = 1


def _play(stage: Stage, seconds: Durations) -> None:
    _leave_one_behind(stage, seconds)
    if stage.topology.replication_factor > 2:
        stage.do(kill, followers(TOPIC))
    stage.do(kill, leader(TOPIC))
    if stage.topology.replication_factor > 1:
        stage.wait(DEAD_NOTICED, limit_s=60)
    stage.let_run(seconds["without_leader_s"])
    stage.heal(restart, dead())
    if stage.topology.replication_factor > 1:
        stage.heal(release, TOPIC)
    stage.wait(all_in_sync(stage.topology), limit_s=60)


def _leave_one_behind(stage: Stage, seconds: Durations) -> None:
    replicas = stage.topology.replication_factor
    if replicas == 1:
        stage.not_applicable(
            "throttle", "follower", "replication.factor is 1: there are no followers to fall behind"
        )
        return
    stage.do(throttle, TOPIC, _BYTES_PER_S)
    stage.do(terminate, one_follower(TOPIC))
    stage.wait(in_sync(stage.topology, replicas - 1), limit_s=20)
    stage.let_run(seconds["away_s"])
    stage.heal(restart, terminated())
    stage.let_run(seconds["behind_s"])
    stage.wait(in_sync(stage.topology, replicas - 1), limit_s=5)


SCENARIO = Scenario(
    name="unclean-election",
    title="Every in-sync replica dies, and one that could not catch up is left",
    story=(
        "A follower is stopped and comes back. A throttle on replication lets it copy nothing, so "
        "it stays behind. Then all the other replicas die. Either the one that is left leads "
        "without the messages that it lacks, or nobody leads until another one is back."
    ),
    shows=("lost_write", "diverged", "unavailable", "blocked"),
    topology=with_controllers(1),
    durations={
        "lead_in_s": (1.0, 2.0),
        "away_s": (0.5, 1.0),
        "behind_s": (1.0, 1.5),
        "without_leader_s": (2.5, 3.0),
        "healed_s": (0.5, 1.0),
    },
    play=_play,
    given_up_breaks=True,
    zookeeper=True,
    measured=(Rate("lost_write", 10, 10),),
)
