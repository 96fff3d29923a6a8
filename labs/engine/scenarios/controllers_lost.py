"""The majority of the controllers is killed, and then a broker.

Brokers continue without controllers, because the leaders of partitions are known. Only a controller
can change a leader or remove a dead follower from the in-sync set (KIP-497). acks=all therefore
waits for a dead follower until a majority of the controllers is back. The controllers are dedicated
here. Brokers with ZooKeeper have a controller that can change nothing without ZooKeeper, so
ZooKeeper is killed instead.
"""

from __future__ import annotations

from labs.engine.faults.kill import kill
from labs.engine.faults.roles import controller, leader, majority, one_follower
from labs.engine.scenarios.conditions import CONTROLLER_ACTIVE
from labs.engine.scenarios.model import TOPIC, Durations, Rate, Scenario, Stage
from labs.engine.scenarios.steps import restart_dead
from labs.engine.scenarios.topologies import with_controllers


def _play(stage: Stage, seconds: Durations) -> None:
    if not stage.topology.controllers:
        stage.do(kill, majority())
    for _ in range((stage.topology.controllers + 1) // 2):
        stage.wait(CONTROLLER_ACTIVE, limit_s=30)
        stage.do(kill, controller())
    stage.let_run(seconds["without_controller_s"])
    alone = stage.topology.replication_factor == 1
    stage.do(kill, leader(TOPIC) if alone else one_follower(TOPIC))
    stage.let_run(seconds["down_s"])
    restart_dead(stage)


SCENARIO = Scenario(
    name="controllers-lost",
    title="The majority of the controllers dies, and then a broker",
    story=(
        "The active controller is killed, and then its successor. One of three controllers is "
        "left, which is too few to decide anything. Reads and writes continue. Then a follower is "
        "killed as well. Without a controller it cannot be taken out of the in-sync set, so "
        "acks=all waits for it until the controllers are back. On brokers with ZooKeeper, "
        "ZooKeeper is killed instead of the controllers."
    ),
    shows=("unavailable", "blocked"),
    topology=with_controllers(3),
    durations={
        "lead_in_s": (1.0, 2.0),
        "without_controller_s": (1.5, 2.0),
        "down_s": (5.0, 6.0),
        "healed_s": (0.5, 1.0),
    },
    play=_play,
    given_up_breaks=True,
    measured=(Rate("unavailable", 10, 10),),
    zookeeper=True,
)
