"""The topic gets a partition; its producer uses it immediately, its reader finds it later.

Both look for new partitions every five minutes (metadata.max.age.ms; librdkafka:
topic.metadata.refresh.interval.ms), and not at the same time. The group has no position in the new
partition. With `latest` it starts at the partition's end when it finds it, and skips the records
that were written there before (ConfigDef, auto.offset.reset).
"""

from __future__ import annotations

from labs.engine.clients.translate import Pinned
from labs.engine.faults.admin import widen
from labs.engine.faults.clients import hold, resume_client
from labs.engine.scenarios.conditions import POSITION_SAVED
from labs.engine.scenarios.model import TOPIC, Durations, Rate, Scenario, Stage
from labs.engine.scenarios.topologies import one_broker_and_a_group

_REFRESH = "topic.metadata.refresh.interval.ms"
_SOON = "a new partition is found earlier"


def _play(stage: Stage, seconds: Durations) -> None:
    stage.wait(POSITION_SAVED, limit_s=15)
    stage.do(hold, "consumer", "polling")
    stage.do(widen, TOPIC)
    stage.let_run(seconds["unknown_s"])
    stage.do(resume_client, "consumer")
    stage.let_run(seconds["found_s"])


SCENARIO = Scenario(
    name="partition-added",
    title="A partition is added while the topic is read",
    story=(
        "The topic gets one more partition. The producer learns of it within half a second and "
        "writes to it. The group's only member is busy for two seconds and finds it afterwards."
    ),
    shows=("skipped", "effect_missing"),
    topology=one_broker_and_a_group,
    durations={"lead_in_s": (1.0, 2.0), "unknown_s": (2.0, 2.5), "found_s": (3.0, 3.5)},
    play=_play,
    workload="consume-process-sink",
    consumer_pins={_REFRESH: Pinned(1000, 300_000, _SOON)},
    producer_pins={_REFRESH: Pinned(500, 300_000, _SOON)},
    measured=(Rate("effect_missing", 10, 10),),
    zookeeper=True,
)
