"""A Kafka Streams instance is lost with its local state, and another one must work without it.

A logged state is restored from its changelog topic before the next instance continues, which takes
time and loses nothing. A state that is not logged has no other copy (Kafka Streams developer guide,
"Interactive queries and fault-tolerant state stores"). The instance is stopped in an orderly way:
it commits what it has processed, so that nothing is processed, and counted, again. Kafka Streams
does not leave its group when it closes, so the next instance waits for its session to end.
"""

from __future__ import annotations

from labs.engine.faults.clients import start_successor, stop_client
from labs.engine.scenarios.conditions import POSITION_SAVED
from labs.engine.scenarios.model import Durations, Rate, Scenario, Stage
from labs.engine.scenarios.steps import SHORT_SESSION
from labs.engine.scenarios.topologies import one_broker_and_state


def _play(stage: Stage, seconds: Durations) -> None:
    stage.wait(POSITION_SAVED, limit_s=15)
    stage.do(stop_client, "consumer")
    stage.heal(start_successor, "consumer")


SCENARIO = Scenario(
    name="streams-state-lost",
    title="The local state of a Kafka Streams instance is lost",
    story=(
        "A Kafka Streams application counts the messages that it reads. Its only instance is "
        "stopped, and its local state is gone with it. Another instance takes its place. At the "
        "end its state is checked for every message."
    ),
    shows=("state_lost", "effect_missing", "blocked"),
    topology=one_broker_and_state,
    durations={"lead_in_s": (1.0, 2.0), "healed_s": (0.5, 1.0)},
    play=_play,
    rate_per_s=1000,
    workload="streams-state",
    consumer_pins=SHORT_SESSION,
    measured=(Rate("effect_missing", 10, 10),),
    zookeeper=True,
)
