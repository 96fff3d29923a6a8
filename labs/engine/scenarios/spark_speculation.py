"""An executor is stopped in the middle of a task, and Spark starts a second attempt.

With `spark.speculation`, a task that takes much longer than the others gets a second attempt on
another host (Spark configuration.md). By then the Kafka sink has sent rows of the first attempt,
and it cannot undo that: its commit and abort do nothing (apache/spark KafkaStreamingWrite.scala).
"""

from __future__ import annotations

from labs.engine.faults.clients import pause_executor, resume_executor
from labs.engine.scenarios.model import Durations, Rate, Scenario, Stage
from labs.engine.scenarios.topologies import one_broker_and_a_query


def _play(stage: Stage, seconds: Durations) -> None:
    stage.do(pause_executor, "producer")
    stage.let_run(seconds["standing_s"])
    stage.heal(resume_executor, "producer")


SCENARIO = Scenario(
    name="spark-speculation",
    title="A slow Spark task is run twice at once",
    story=(
        "A Spark query writes to the topic with Spark's Kafka sink, on two machines. One of them "
        "pauses in the middle of a task, for longer than the other tasks take, and resumes later."
    ),
    shows=("duplicate",),
    topology=one_broker_and_a_query,
    # The other executor has at most nine tasks of 0.4 s to run before Spark checks this one.
    durations={"lead_in_s": (1.0, 2.0), "standing_s": (6.5, 8.0), "healed_s": (2.0, 3.0)},
    play=_play,
    rate_per_s=200,
    workload="spark-sink-on-workers",
    measured=(Rate("duplicate", 10, 10),),
    zookeeper=True,
)
