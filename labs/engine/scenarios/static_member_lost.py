"""A static member is stopped, and nothing of its name comes back.

Who has a group.instance.id does not leave the group when it stops (KIP-345): its partitions wait
for it until its session ends, although another member is there. Who has none says that it leaves,
and the other one has its part with the next heartbeat.
"""

from __future__ import annotations

from labs.engine.scenarios.model import Durations, Rate, Scenario, ScenarioError, Stage, Topology
from labs.engine.scenarios.steps import SHORT_SESSION
from labs.engine.scenarios.topologies import one_broker_and_a_group
from labs.engine.spec import Settings


def _topology(settings: Settings) -> Topology:
    if settings["consumer"].get("group.protocol") == "consumer":
        raise ScenarioError(
            "consumer group.protocol is consumer: the brokers decide on the session, which is "
            "longer than a run"
        )
    return one_broker_and_a_group(settings)


def _play(stage: Stage, seconds: Durations) -> None:
    stage.go_on(seconds["lead_in_s"])
    stage.await_position(limit_s=15)
    stage.join()
    stage.go_on(seconds["together_s"])
    stage.stop_client("consumer")
    stage.go_on(seconds["away_s"])


SCENARIO = Scenario(
    name="static-member-lost",
    title="A static member of the group is stopped for good",
    story=(
        "Two members are in the group, and the topic has one partition. The one that reads it is "
        "stopped in an orderly way and does not come back. The other one waits for its turn."
    ),
    shows=("blocked",),
    topology=_topology,
    durations={"lead_in_s": (1.0, 2.0), "together_s": (1.5, 2.0), "away_s": (6.0, 7.0)},
    play=_play,
    workload="static-members-sink",
    pinned=SHORT_SESSION,
    measured=(Rate("blocked", 2, 2),),
)
