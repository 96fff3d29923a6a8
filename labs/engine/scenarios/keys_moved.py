"""Partitions are added to a topic with keys while an old partition has a backlog.

The partition of a key is its hash modulo the number of partitions, so most keys move (Kafka
operations/basic-kafka-operations.md, Modifying topics). The new records of a key are read from its
new partition, by another member of the group, before the old ones are read from its old partition.
"""

from __future__ import annotations

from labs.engine.clients.translate import Pinned
from labs.engine.faults.admin import widen
from labs.engine.faults.clients import hold, join, resume_client
from labs.engine.scenarios.conditions import POSITION_SAVED
from labs.engine.scenarios.model import TOPIC, Durations, Rate, Scenario, Stage
from labs.engine.scenarios.topologies import on_one_broker

_SOON = "a new partition is found earlier"


def _play(stage: Stage, seconds: Durations) -> None:
    stage.wait(POSITION_SAVED, limit_s=15)
    stage.do(join)
    stage.do(hold, "consumer", "processed")
    stage.let_run(seconds["behind_s"])
    stage.do(widen, TOPIC)
    stage.let_run(seconds["moved_s"])
    stage.do(resume_client, "consumer")
    stage.do(join)


SCENARIO = Scenario(
    name="keys-moved",
    title="Partitions are added to a topic with keys",
    story=(
        "Messages are updates for a hundred keys. One of the group's two members is busy for some "
        "seconds and falls behind. The topic's two partitions become three, so that a third member "
        "can help. From then on most keys go to another partition."
    ),
    shows=("key_reordered",),
    topology=on_one_broker(partitions=2),
    durations={
        "lead_in_s": (1.0, 2.0), "behind_s": (1.5, 2.0), "moved_s": (1.5, 2.0),
        "healed_s": (2.0, 2.5),
    },
    play=_play,
    workload="shared-keys-sink",
    producer_pins={"topic.metadata.refresh.interval.ms": Pinned(500, 300_000, _SOON)},
    measured=(Rate("key_reordered", 10, 10),),
    zookeeper=True,
)  # fmt: skip
