"""All followers are away for a few seconds: fewer replicas are in sync than the topic asks for.

With acks=all and min.insync.replicas=2 the leader refuses every write (NOT_ENOUGH_REPLICAS) and
the client tries again until delivery.timeout.ms; nothing that was acknowledged is lost by it. A
client that is less patient than the outage gives records up, and some of those are in the log
all the same: by hand on 4.3.1, 4,788 of 9,902.
"""

from __future__ import annotations

from labs.engine.faults.kill import restart
from labs.engine.faults.roles import terminated
from labs.engine.scenarios.conditions import all_in_sync
from labs.engine.scenarios.model import Durations, Rate, Scenario, Stage
from labs.engine.scenarios.steps import leave_leader_alone
from labs.engine.scenarios.topologies import up_to_three


def _play(stage: Stage, seconds: Durations) -> None:
    leave_leader_alone(stage)
    stage.let_run(seconds["below_s"])
    if stage.topology.replication_factor > 1:
        stage.heal(restart, terminated())
        stage.wait(all_in_sync(stage.topology), limit_s=60)


SCENARIO = Scenario(
    name="brokers-below-min-isr",
    title="Fewer replicas are in sync than min.insync.replicas",
    story=(
        "The followers of a partition are stopped one after the other and stay away for some "
        "seconds. The leader is up and intact, but alone: too few for a topic that asks for two "
        "copies. Then the followers come back."
    ),
    shows=("unavailable", "blocked", "given_up"),
    topology=up_to_three,
    durations={"lead_in_s": (1.0, 2.0), "below_s": (5.5, 6.5), "healed_s": (0.5, 1.0)},
    play=_play,
    given_up_breaks=True,
    zookeeper=True,
    measured=(Rate("given_up", 10, 10),),
)
