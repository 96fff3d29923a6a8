"""Records as large as the largest one described, and batches as large as they become.

The broker pauses, and the client's batches fill up. Then the broker accepts batches within
max.message.bytes, and refuses the others with an error that is not retriable. librdkafka reports
each message of a refused batch as failed (its issues 488 and 1716). Java's client splits the batch
(KIP-126), but before 4.2 only down to batch.size, and then sends the same batch until
delivery.timeout.ms is over (KAFKA-8350). A record that is too large by itself is refused by the
client or the broker, with or without a pause.
"""

from __future__ import annotations

from labs.engine.clients.translate import Pinned
from labs.engine.faults.pause import pause, resume
from labs.engine.faults.roles import leader, paused
from labs.engine.scenarios.model import TOPIC, Durations, Rate, Scenario, Stage
from labs.engine.scenarios.topologies import one_broker

_FULL_SOON = "records wait in the client immediately, not when the connection accepts no more"


def _play(stage: Stage, seconds: Durations) -> None:
    stage.do(pause, leader(TOPIC))
    stage.let_run(seconds["paused_s"])
    stage.heal(resume, paused())


SCENARIO = Scenario(
    name="record-too-large",
    title="Records and batches larger than the topic accepts",
    story=(
        "Some records are as large as the largest that you described. The broker pauses for a "
        "moment, so the client's batches fill up. A record or a batch that is over a limit is "
        "refused."
    ),
    shows=("given_up", "lost_write", "unavailable"),
    topology=one_broker,
    durations={"lead_in_s": (1.0, 2.0), "paused_s": (1.5, 2.0), "healed_s": (1.0, 1.5)},
    play=_play,
    rate_per_s=4000,
    given_up_breaks=True,
    workload="produce-large",
    measured=(Rate("given_up", 20, 20),),
    producer_pins={"max.in.flight.requests.per.connection": Pinned(1, 1_000_000, _FULL_SOON)},
    zookeeper=True,
)
