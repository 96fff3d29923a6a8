"""A rack is lost at the worst moment, with the leader in it and its disk.

Three racks contain one of three brokers each (KIP-36), or two, two and one of five. A lost rack is
a minority, so the other brokers can elect a leader. The in-sync followers in the other racks are
behind for a moment, as in `leader-killed-followers-behind`, and records that only the lost rack had
are lost for good.

Two racks, or sites, contain two of four brokers each, as in a cluster that is stretched over two
data centres. There the worst moment is different: one site is down, the other continues alone as
far as min.insync.replicas allows, and then is lost, including its disks. Two of three controllers
were in it, so no leader is elected before they are back. Then the first site leads, by an
operator's election if none of its replicas is eligible, without the records that were acknowledged
while it was down. With four replicas, acks=all and min.insync.replicas=2: 5,750 of 11,326 lost;
with 3 none of 86,960.
"""

from __future__ import annotations

from dataclasses import replace

from advisor.reasoning.behaviour.replication import in_fullest_rack
from labs.engine.faults.admin import elect
from labs.engine.faults.kill import kill, restart
from labs.engine.faults.roles import (
    dead_controllers,
    killed,
    killed_brokers,
    leaders_rack,
    majority,
    minority,
    other_racks,
    terminated,
)
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
from labs.engine.scenarios.steps import (
    BLIND_RETRY,
    FOLLOWERS_BEHIND_DURATIONS,
    LEADERLESS_TOPICS,
    elect_lagging_replica,
    fall_behind,
    restart_dead,
)
from labs.engine.scenarios.topologies import replicas_up_to

_SITES, _RACKS = 2, 3
_FIVE = 5
_one_rack_each = replicas_up_to(
    3, "this scenario stages at most 3, one in each of three racks, or 5 in three or four"
)


def _topology(settings: Settings) -> Topology:
    racks = settings.get("application", {}).get("racks")
    if racks == _SITES:
        return _two_sites(int(settings["topic"]["replication.factor"]))
    if not isinstance(racks, int) or racks < _RACKS:
        raise ScenarioError(
            f"application racks is {racks or 'not stated'}: with one rack nothing is left, and "
            "without their number nobody knows what is left"
        )
    if int(settings["topic"]["replication.factor"]) == _FIVE and in_fullest_rack(_FIVE, racks) == 2:
        return Topology(_FIVE, _FIVE, note="two of the five brokers of the run stand for a rack")
    return replace(_one_rack_each(settings), note="each broker of the run stands for a rack")


def _two_sites(replicas: int) -> Topology:
    if replicas not in (_SITES, 2 * _SITES):
        raise ScenarioError(
            f"replication.factor is {replicas}: each of two racks has the same number of replicas "
            "here, one or two"
        )
    note = "two racks of two brokers, and three controllers, two of which are lost with a rack"
    return Topology(2 * _SITES, replicas, controllers=3, racks=_SITES, note=note)


def _play(stage: Stage, seconds: Durations) -> None:
    if stage.topology.racks:
        _lose_remaining_site(stage, seconds)
        return
    fall_behind(stage, seconds)
    stage.do(kill, minority(TOPIC))
    stage.do(wipe, killed())
    elect_lagging_replica(stage, seconds)


def _lose_remaining_site(stage: Stage, seconds: Durations) -> None:
    stage.do(terminate, other_racks(TOPIC))
    stage.wait(in_sync(stage.topology, stage.topology.replication_factor // _SITES), limit_s=30)
    stage.let_run(seconds["behind_s"])
    stage.do(kill, majority())
    stage.do(kill, leaders_rack(TOPIC))
    stage.do(wipe, killed_brokers())
    stage.heal(restart, dead_controllers())
    stage.heal(restart, terminated())
    stage.wait(DEAD_NOTICED, limit_s=60)
    for topic in LEADERLESS_TOPICS:
        stage.heal(elect, topic)
    stage.let_run(seconds["under_new_leader_s"])
    restart_dead(stage)


SCENARIO = Scenario(
    name="rack-lost",
    title="A rack is lost with the leader in it",
    story=(
        "The rack with the leader is lost for good, disks included, while the in-sync followers in "
        "the other racks are a second behind. One of these followers leads. Later a new machine "
        "with an empty disk takes the place of each lost broker. Three brokers are in three racks; "
        "of five brokers, two are in the lost rack. If there are only two racks, one works alone "
        "while the other is down, and then the first is lost."
    ),
    shows=("lost_write", "unavailable"),
    topology=_topology,
    durations=FOLLOWERS_BEHIND_DURATIONS,
    play=_play,
    rarely={
        "lost_write": "with acks=all the leader acknowledges nothing while the others are in sync "
        "and behind; it can be alone only after they have left the in-sync set",
        "duplicate": BLIND_RETRY,
        "reordered": BLIND_RETRY,
    },
    given_up_breaks=True,
    measured=(Rate("lost_write", 11, 11),),
    zookeeper=True,
)
