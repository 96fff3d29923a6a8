"""The producing process dies with records in its memory.

A client accepts records faster than a paused broker does, so they wait in its buffer, and are lost
with the process (KafkaProducer javadoc, close(); librdkafka INTRODUCTION.md, "Message
reliability"). Records in flight are different: the broker reads them from its socket when it
resumes. So an application that restarts and sends all unacknowledged records again causes
duplicates, because a new session has a new producer id (KIP-98). One that does not leaves gaps.
"""

from __future__ import annotations

from labs.engine.faults.clients import kill_client, start_successor
from labs.engine.faults.pause import pause, resume
from labs.engine.faults.roles import leader, paused
from labs.engine.scenarios.model import TOPIC, Durations, Rate, Scenario, Stage
from labs.engine.scenarios.topologies import one_broker


def _play(stage: Stage, seconds: Durations) -> None:
    stage.do(pause, leader(TOPIC))
    stage.let_run(seconds["filling_s"])
    stage.do(kill_client, "producer")
    stage.do(resume, paused())
    stage.heal(start_successor, "producer")


SCENARIO = Scenario(
    name="producer-killed",
    title="The producing process dies with unsent records",
    story=(
        "The broker pauses for about a second, and the producer continues to put records into its "
        "buffer. Then the producer's process is killed, with records that were not acknowledged. "
        "The broker resumes. The application starts again and does what you described for a "
        "restart."
    ),
    shows=("given_up", "duplicate", "effect_duplicated", "unavailable"),
    topology=one_broker,
    durations={"lead_in_s": (1.0, 2.0), "filling_s": (0.8, 1.2), "healed_s": (1.0, 1.5)},
    play=_play,
    given_up_breaks=True,
    workload="consume-process-sink",
    zookeeper=True,
    measured=(Rate("given_up", 10, 10),),
)
