"""The broker that coordinates the group is killed, and for a while nobody can be told of commits.

A run's offsets are on three brokers where there are as many, so that another coordinates as soon
as the dead one is fenced. Members go on until their session ends without a word from the group
(session.timeout.ms); then they give their partitions up, and what they processed meanwhile comes
again from the last commit. A session is shorter here than that takes; a team's is longer, and ends
in the same way where no other broker has the offsets. The broker may lead the topic as well.
"""

from __future__ import annotations

from labs.engine.clients.translate import Pinned
from labs.engine.faults import coordinator, dead
from labs.engine.scenarios.model import Durations, Scenario, Stage
from labs.engine.scenarios.topologies import up_to_five
from labs.engine.workloads.group import GROUP

_ENDS = "the group's session ends before another broker coordinates it"
_SESSION = {
    "session.timeout.ms": Pinned(2000, 45000, _ENDS),
    "heartbeat.interval.ms": Pinned(500, 3000, _ENDS),
}


def _play(stage: Stage, seconds: Durations) -> None:
    stage.go_on(seconds["lead_in_s"])
    stage.await_position(limit_s=15)
    stage.kill(coordinator(GROUP))
    stage.go_on(seconds["away_s"])
    stage.restart(dead())
    stage.await_in_sync(limit_s=60)
    stage.go_on(seconds["healed_s"])


SCENARIO = Scenario(
    name="group-coordinator-away",
    title="The broker that coordinates the group dies",
    story=(
        "The broker that keeps the group's offsets is killed and is away for some seconds. The "
        "group can commit nothing until another broker coordinates it, and by then its session "
        "has ended."
    ),
    shows=("redelivery", "effect_duplicated", "blocked"),
    topology=up_to_five,
    durations={"lead_in_s": (1.0, 2.0), "away_s": (7.0, 8.0), "healed_s": (1.0, 1.5)},
    play=_play,
    workload="consume-process-commit",
    pinned=_SESSION,
    given_up_breaks=True,
)
