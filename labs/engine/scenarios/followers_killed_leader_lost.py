"""The followers are killed one after the other, and then the leader's disk is lost.

A broker that was killed registers without a clean shutdown, and the controller removes it from the
eligible leader replicas, whatever is on its disk (KIP-966, KAFKA-15586). When none is left, the
controller elects the last known leader, which is back on an empty disk, and the other replicas
truncate to its log. So the outcome depends on the operators and not on a setting of the topic.
According to `application.disk.lost`, the empty broker comes back by itself, or the follower with
the newest log is first started alone and elected, before all others. The last follower to be killed
has every record that was acknowledged with acks=all.

As in `leader-disk-lost`, the controller may not elect the empty broker, because it does not know
yet that the broker has the partition (docs/decisions/0010). Ten seconds later an operator has any
running replica elected. The one that was killed first lacks the records that the others
acknowledged after it. Seen on 4.3.1, seed 2: 8,980 of 82,614 acknowledged messages lost by such an
election.
"""

from __future__ import annotations

from dataclasses import replace

from labs.engine.faults.admin import elect
from labs.engine.faults.kill import kill, restart
from labs.engine.faults.read_only import read_only
from labs.engine.faults.roles import failed, killed, leader, newest_log, one_follower
from labs.engine.faults.wipe import wipe
from labs.engine.plan.spec import Settings
from labs.engine.scenarios.conditions import DEAD_NOTICED
from labs.engine.scenarios.model import TOPIC, Durations, Rate, Scenario, Stage, Topology
from labs.engine.scenarios.steps import (
    LEADERLESS_TOPICS,
    leader_alone_durations,
    leave_leader_alone,
    restart_dead,
)
from labs.engine.scenarios.topologies import with_controllers


def _topology(settings: Settings) -> Topology:
    """With unclean elections the controller elects immediately, before an operator can."""
    unclean = bool(settings["topic"].get("unclean.leader.election.enable"))
    recovery = settings["application"].get("disk.lost", "replica-elected")
    elected = recovery == "replica-elected" and not unclean
    return replace(with_controllers(1)(settings), replica_elected=elected)


def _play(stage: Stage, seconds: Durations) -> None:
    leave_leader_alone(stage, one_follower(TOPIC), kill)
    stage.let_run(seconds["alone_s"])
    stage.do(read_only, leader(TOPIC))
    stage.do(wipe, failed())
    if stage.topology.replication_factor > 1:
        _bring_followers_back(stage)
    stage.let_run(seconds["without_leader_s"])
    restart_dead(stage, LEADERLESS_TOPICS)


def _bring_followers_back(stage: Stage) -> None:
    """Restarts all together, or first the one with the newest log, which an operator elects."""
    if not stage.topology.replica_elected:
        stage.heal(restart, killed())
        stage.wait(DEAD_NOTICED, limit_s=60)
        return
    stage.heal(restart, newest_log(TOPIC))
    stage.wait(DEAD_NOTICED, limit_s=60)
    for topic in LEADERLESS_TOPICS:
        stage.heal(elect, topic)
    if stage.topology.replication_factor > 2:
        stage.heal(restart, killed())


SCENARIO = Scenario(
    name="followers-killed-leader-lost",
    title="The followers are killed, then the leader's disk is lost",
    story=(
        "The followers of a partition are killed one after the other, and the leader works alone "
        "as far as the settings allow. Then the leader's disk takes no more writes (simulated) and "
        "is replaced. The followers come back with all their data, and the leader comes back on "
        "an empty disk. Depending on what you described, an operator first elects the follower "
        "with the newest log."
    ),
    shows=("lost_write", "diverged", "unavailable", "blocked"),
    topology=_topology,
    durations=leader_alone_durations((1.0, 1.5)),
    play=_play,
    given_up_breaks=True,
    measured=(Rate("lost_write", 3, 3),),
    zookeeper=True,
)
