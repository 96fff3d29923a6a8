"""The checkpoint of a Spark query is lost, and with it the query's position.

The consumer group of its source has no committed offsets, because Spark commits nothing to Kafka. A
query that is started without its checkpoint is a new one, and `startingOffsets` decides where it
begins: with `latest` it skips the records that were sent while nobody read, with `earliest` it
reads all records of the topic again (Spark structured-streaming-kafka-integration.md). A checkpoint
on storage that outlives the machine is not lost with it.
"""

from __future__ import annotations

from labs.engine.faults.clients import hold, kill_client, lose_checkpoint, start_successor
from labs.engine.scenarios.conditions import POSITION_SAVED
from labs.engine.scenarios.model import Durations, Rate, Scenario, Stage
from labs.engine.scenarios.steps import SHORT_FETCH_WAIT
from labs.engine.scenarios.topologies import one_broker_and_a_query


def _play(stage: Stage, seconds: Durations) -> None:
    stage.wait(POSITION_SAVED, limit_s=15)
    stage.do(hold, "consumer", "polling")
    stage.do(kill_client, "consumer")
    stage.do(lose_checkpoint)
    stage.heal(start_successor, "consumer")


SCENARIO = Scenario(
    name="spark-checkpoint-lost",
    title="The checkpoint of the Spark query is lost",
    story=(
        "The machine of a Spark query's driver is lost with its disk. A checkpoint on that disk is "
        "lost, too. Messages keep coming. Then the query is started on another machine."
    ),
    shows=("skipped", "effect_missing", "redelivery", "effect_duplicated"),
    topology=one_broker_and_a_query,
    durations={"lead_in_s": (1.0, 2.0), "healed_s": (0.5, 1.0)},
    play=_play,
    rate_per_s=500,
    workload="spark-query",
    consumer_pins=SHORT_FETCH_WAIT,
    measured=(
        Rate("effect_missing", 10, 10),
        Rate("effect_duplicated", 10, 10),
    ),
    zookeeper=True,
)
