"""A static member is stopped, and no member with its group.instance.id comes back.

A member with a group.instance.id does not leave the group when it stops (KIP-345). Its partitions
are not read until its session ends, although there is another member. A member without one leaves,
and the other one gets its partitions with the next heartbeat. With group.protocol=consumer
(KIP-848) the brokers define the session, which is shorter here than their default.
"""

from __future__ import annotations

from collections.abc import Mapping

from labs.engine.clients.translate import Pinned
from labs.engine.faults.clients import join, stop_client
from labs.engine.plan.spec import Settings
from labs.engine.scenarios.conditions import POSITION_SAVED
from labs.engine.scenarios.model import Durations, Rate, Scenario, Stage
from labs.engine.scenarios.steps import SHORT_SESSION
from labs.engine.scenarios.topologies import one_broker_and_a_group


def _broker_pins(settings: Settings) -> Mapping[str, Pinned]:
    if settings["consumer"].get("group.protocol") != "consumer":
        return {}
    why = "the group notices a dead member earlier"
    return {
        "group.consumer.min.session.timeout.ms": Pinned(1000, 45000, why),
        "group.consumer.session.timeout.ms": Pinned(3000, 45000, why),
        "group.consumer.min.heartbeat.interval.ms": Pinned(500, 5000, why),
        "group.consumer.heartbeat.interval.ms": Pinned(500, 5000, why),
    }


def _play(stage: Stage, seconds: Durations) -> None:
    stage.wait(POSITION_SAVED, limit_s=15)
    stage.do(join)
    stage.let_run(seconds["together_s"])
    stage.do(stop_client, "consumer")
    stage.let_run(seconds["away_s"])


SCENARIO = Scenario(
    name="static-member-lost",
    title="A static member of the group is stopped for good",
    story=(
        "The group has two members, and the topic has one partition. The member that reads it is "
        "shut down cleanly and does not come back. The other member waits for the partition."
    ),
    shows=("blocked",),
    topology=one_broker_and_a_group,
    durations={"lead_in_s": (1.0, 2.0), "together_s": (1.5, 2.0), "away_s": (6.0, 7.0)},
    play=_play,
    workload="static-members-sink",
    consumer_pins=SHORT_SESSION,
    broker_pins=_broker_pins,
    measured=(Rate("blocked", 20, 20),),
    zookeeper=True,
)
