"""A task of a Spark query fails after some of its rows were sent, and Spark runs it again.

Spark's Kafka sink sends rows as they are produced, and its commit and abort do nothing
(apache/spark KafkaStreamingWrite.scala). The next attempt sends all rows of the task, including
those that the failed attempt sent. The failure is an error that the expression of one row raises,
once.
"""

from __future__ import annotations

from labs.engine.faults.clients import fail
from labs.engine.scenarios.model import Durations, Rate, Scenario, Stage
from labs.engine.scenarios.topologies import one_broker_and_a_query


def _play(stage: Stage, seconds: Durations) -> None:
    stage.do(fail, "producer")


SCENARIO = Scenario(
    name="spark-task-retried",
    title="A Spark task that writes to Kafka is run again",
    story=(
        "A Spark query writes to the topic with Spark's Kafka sink. In the middle of a batch a "
        "task fails when half of its rows are sent, and Spark runs the task again."
    ),
    shows=("duplicate",),
    topology=one_broker_and_a_query,
    durations={"lead_in_s": (1.0, 2.0), "healed_s": (2.0, 3.0)},
    play=_play,
    rate_per_s=500,
    workload="spark-sink",
    measured=(Rate("duplicate", 10, 10),),
    zookeeper=True,
)
