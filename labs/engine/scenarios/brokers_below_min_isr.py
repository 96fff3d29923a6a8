"""All followers are down for a few seconds: fewer replicas are in sync than the topic requires.

With acks=all and min.insync.replicas=2 the leader refuses every write (NOT_ENOUGH_REPLICAS) and the
client retries until delivery.timeout.ms. No acknowledged record is lost. A client with a timeout
shorter than the outage gives records up, and some of these are in the log nevertheless: 4,788 of
9,902, measured by hand on 4.3.1.
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
        "seconds. The leader is up and intact, but alone: too few for a topic that requires two "
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
