"""The broker that coordinates the group is away for longer than a session, with its disk.

__consumer_offsets has as many copies here as were described (offsets.topic.replication.factor).
With more than one another broker coordinates the group as soon as the dead one is fenced. With one
none does until it is back: nothing can be committed, a member without an answer from its
coordinator for its session timeout gives up its partitions, and what it had processed and not
committed is handed out again.
"""

from __future__ import annotations

from labs.engine.faults.kill import kill, restart
from labs.engine.faults.roles import coordinator, dead
from labs.engine.scenarios.model import Durations, Rate, Scenario, Stage
from labs.engine.scenarios.steps import SHORT_SESSION
from labs.engine.scenarios.topologies import OFFSETS_COPIES, with_offsets_topic
from labs.engine.workloads.group import GROUP


def _play(stage: Stage, seconds: Durations) -> None:
    stage.await_position(limit_s=15)
    stage.do(kill, coordinator(GROUP))
    stage.go_on(seconds["away_s"])
    stage.heal(restart, dead())
    stage.await_in_sync(limit_s=60)
    stage.await_position(limit_s=30)


SCENARIO = Scenario(
    name="group-coordinator-away",
    title="The broker that coordinates the group is away",
    story=(
        "The broker that keeps the group's offsets is killed and is away for some seconds. The "
        "topic has copies on the other brokers; whether the group's offsets have is for the "
        "settings to say."
    ),
    shows=("redelivery", "effect_duplicated", "blocked"),
    topology=with_offsets_topic,
    durations={"lead_in_s": (1.0, 2.0), "away_s": (9.0, 10.0), "healed_s": (2.0, 2.5)},
    play=_play,
    workload="consume-process-commit",
    copier=True,
    pinned=SHORT_SESSION,
    keeps=(OFFSETS_COPIES,),
    given_up_breaks=True,
    measured=(
        Rate("blocked", 10, 10),
        Rate("effect_duplicated", 10, 10),
    ),
)
