"""The broker that leads is down for some seconds, and comes back with its disk.

If it has the only copy, no other broker can replace it. The outage is as long as its absence, and
nothing is lost, because after kill -9 the kernel still writes the page cache. By hand on 4.3.1 with
a delivery timeout of 4 s: 15,247 of 23,998 acknowledged, none lost. If followers are in sync, one
of them leads as soon as the dead broker is fenced. The broker stays down for longer than that took
on an overloaded machine, 10.2 s.
"""

from __future__ import annotations

from labs.engine.faults.kill import kill
from labs.engine.faults.roles import leader
from labs.engine.scenarios.model import TOPIC, Durations, Rate, Scenario, Stage
from labs.engine.scenarios.steps import restart_dead
from labs.engine.scenarios.topologies import up_to_five


def _play(stage: Stage, seconds: Durations) -> None:
    stage.do(kill, leader(TOPIC))
    stage.let_run(seconds["down_s"])
    restart_dead(stage)


SCENARIO = Scenario(
    name="only-replica-down",
    title="The broker with the only copy is down",
    story=(
        "The broker that leads the partition is killed and is down for some seconds. If no other "
        "broker has the partition, everybody waits for it. Its log is still on its disk."
    ),
    shows=("unavailable", "blocked", "given_up"),
    topology=up_to_five,
    durations={"lead_in_s": (1.5, 2.5), "down_s": (12.0, 14.0), "healed_s": (0.5, 1.0)},
    play=_play,
    given_up_breaks=True,
    zookeeper=True,
    measured=(Rate("unavailable", 10, 10),),
)
