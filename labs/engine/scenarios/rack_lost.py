"""A rack is lost at the worst moment, with the leader in it and its disk.

Three racks hold one of three brokers each (KIP-36), or two, two and one of five: a minority, so
that the others can elect. The in-sync followers in the other racks are behind for a moment, as in
`leader-killed-followers-behind`; what only the lost rack had by then is gone for good.
"""

from __future__ import annotations

from dataclasses import replace

from advisor.reasoning.replication import in_fullest_rack
from labs.engine.faults import kill, killed, minority, wipe
from labs.engine.plan.spec import Settings
from labs.engine.scenarios.model import (
    TOPIC,
    Durations,
    Rate,
    Scenario,
    ScenarioError,
    Stage,
    Topology,
)
from labs.engine.scenarios.steps import BLIND_RETRY, elect_lagging_replica, fall_behind
from labs.engine.scenarios.topologies import replicas_up_to

_RACKS = 3
_FIVE = 5
_one_rack_each = replicas_up_to(
    3, "this scenario stages at most 3, one in each of three racks, or 5 in three or four"
)


def _topology(settings: Settings) -> Topology:
    racks = settings.get("application", {}).get("racks")
    if not isinstance(racks, int) or racks < _RACKS:
        raise ScenarioError(
            f"application racks is {racks or 'not stated'}: a rack of fewer than {_RACKS} holds "
            "half of the brokers or more, and the rest cannot go on, being controllers too"
        )
    if int(settings["topic"]["replication.factor"]) == _FIVE and in_fullest_rack(_FIVE, racks) == 2:
        return Topology(_FIVE, _FIVE, note="two of the five brokers of the run stand for a rack")
    return replace(_one_rack_each(settings), note="each broker of the run stands for a rack")


def _play(stage: Stage, seconds: Durations) -> None:
    stage.go_on(seconds["lead_in_s"])
    fall_behind(stage, seconds)
    stage.do(kill, minority(TOPIC))
    stage.do(wipe, killed())
    elect_lagging_replica(stage, seconds)


SCENARIO = Scenario(
    name="rack-lost",
    title="A rack is lost with the leader in it",
    story=(
        "One of three racks loses its broker for good, which leads the partition, disk included, "
        "while the in-sync followers in the other racks are a second behind. One of these leads; "
        "later a new machine with an empty disk takes the place of the lost one. Of five brokers "
        "two are in the rack that is lost."
    ),
    shows=("lost_write", "unavailable"),
    topology=_topology,
    durations={
        "lead_in_s": (1.5, 2.5),
        "behind_s": (0.8, 1.2),
        "under_new_leader_s": (1.0, 1.5),
        "healed_s": (0.5, 1.0),
    },
    play=_play,
    rarely={
        "lost_write": "with acks=all the leader acknowledges nothing while the others, all of them "
        "in sync, are behind; it can be alone only where they have left",
        "duplicate": BLIND_RETRY,
        "reordered": BLIND_RETRY,
    },
    given_up_breaks=True,
    measured=(Rate("lost_write", 10, 10),),
)
