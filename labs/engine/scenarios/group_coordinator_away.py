"""The broker that coordinates the group is killed, and another one takes over.

A run's offsets are on three brokers where there are as many, so that another coordinates as soon
as the dead one is fenced. Until then nothing can be committed, and an application that waits for
its commit processes nothing. It may be that the same broker leads the topic.
"""

from __future__ import annotations

from labs.engine.faults import coordinator, dead
from labs.engine.scenarios.model import Durations, Scenario, Stage
from labs.engine.scenarios.topologies import up_to_five
from labs.engine.workloads.group import GROUP

_KEPT = "the group's session is longer than the wait, so its member keeps what it has"


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
        "group can commit nothing until another broker coordinates it."
    ),
    shows=("blocked",),
    topology=up_to_five,
    durations={"lead_in_s": (1.0, 2.0), "away_s": (7.0, 8.0), "healed_s": (1.0, 1.5)},
    play=_play,
    workload="consume-process-commit",
    rarely={"redelivery": _KEPT, "effect_duplicated": _KEPT},
    given_up_breaks=True,
)
