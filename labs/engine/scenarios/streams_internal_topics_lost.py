"""The broker with the changelog of a Kafka Streams application's state is lost, including its disk.

Its internal topics have as many copies as `replication.factor` of StreamsConfig says; -1 is the
brokers' default (KIP-733). The copies of the input do not matter. The instance is stopped in an
orderly way first, so the changelog is all that is left of its state. The broker comes back on an
empty disk. If it had the only copy, it leads with an empty log (docs/decisions/0010), and the next
instance restores nothing and continues.
"""

from __future__ import annotations

from labs.engine.faults.clients import start_successor, stop_client
from labs.engine.faults.kill import kill
from labs.engine.faults.roles import killed, leader
from labs.engine.faults.wipe import wipe
from labs.engine.scenarios.conditions import POSITION_SAVED
from labs.engine.scenarios.model import Durations, Rate, Scenario, Stage
from labs.engine.scenarios.steps import SHORT_SESSION, restart_dead
from labs.engine.scenarios.topologies import OFFSETS, three_brokers_and_state
from labs.engine.workloads.streams_state import CHANGELOG


def _play(stage: Stage, seconds: Durations) -> None:
    stage.wait(POSITION_SAVED, limit_s=15)
    stage.do(stop_client, "consumer")
    stage.do(kill, leader(CHANGELOG))
    stage.do(wipe, killed())
    stage.let_run(seconds["away_s"])
    restart_dead(stage, elections=(CHANGELOG, OFFSETS))
    stage.let_run(seconds["healed_s"])
    stage.heal(start_successor, "consumer")


SCENARIO = Scenario(
    name="streams-internal-topics-lost",
    title="The broker with a Kafka Streams application's changelog is lost",
    story=(
        "A Kafka Streams application counts the messages that it reads. Its only instance is "
        "stopped, and its local state is gone with it. The broker that leads the changelog topic "
        "of that state is lost with its disk and comes back on an empty one. Another instance "
        "restores the state from the changelog and continues."
    ),
    shows=("state_lost", "effect_missing", "unavailable", "blocked"),
    topology=three_brokers_and_state,
    durations={"lead_in_s": (1.0, 2.0), "away_s": (1.0, 1.5), "healed_s": (0.5, 1.0)},
    play=_play,
    rate_per_s=1000,
    workload="streams-state",
    consumer_pins=SHORT_SESSION,
    measured=(Rate("effect_missing", 10, 10),),
    zookeeper=True,
)
