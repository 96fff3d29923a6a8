"""The broker pauses, and the producer's buffer is full long before it resumes.

The Java client's send() then waits for up to max.block.ms, and gives the record up (ProducerConfig,
buffer.memory). librdkafka's produce() fails immediately, and the application waits and retries, or
drops the record (CONFIGURATION.md, queue.buffering.max.messages). The buffer is small here because
a run is short. If librdkafka runs a Java team's producer, its process waits for max.block.ms.
"""

from __future__ import annotations

from labs.engine.clients.translate import Pinned
from labs.engine.faults.pause import pause, resume
from labs.engine.faults.roles import leader, paused
from labs.engine.scenarios.model import TOPIC, Durations, Rate, Scenario, Stage
from labs.engine.scenarios.topologies import one_broker

_FULL_SOON = "the buffer is full after half a second, not after a minute"


def _play(stage: Stage, seconds: Durations) -> None:
    stage.do(pause, leader(TOPIC))
    stage.let_run(seconds["paused_s"])
    stage.do(resume, paused())


SCENARIO = Scenario(
    name="producer-buffer-full",
    title="The producer's buffer is full",
    story=(
        "The broker pauses for about four seconds, and the application continues to send. The "
        "client's buffer fills up. What happens to the next record depends on the client and on "
        "the application's code."
    ),
    shows=("given_up", "unavailable"),
    topology=one_broker,
    durations={"lead_in_s": (1.0, 2.0), "paused_s": (3.5, 4.5), "healed_s": (1.5, 2.0)},
    play=_play,
    given_up_breaks=True,
    producer_pins={
        "queue.buffering.max.messages": Pinned(1000, 100_000, _FULL_SOON),
        "buffer.memory": Pinned(65_536, 33_554_432, _FULL_SOON),
    },
    rarely={
        "given_up": "max.block.ms is longer than the four seconds, or with acks=0 the network "
        "accepts more records than the buffer",
    },
    measured=(Rate("given_up", 10, 10),),
    zookeeper=True,
)
