"""Nobody reads for longer than the topic retains messages, or more arrives than it retains.

Retention deletes whole segments by the timestamp of their newest record or by the size of the log,
whether they were read or not (TopicConfig, retention.ms, retention.bytes, segment.ms). Days pass in
seconds here. If readers may be away for longer than the retention time, it is two of the six
seconds in which nobody reads, and segments are short. If less is retained than may arrive in that
time, less is retained than arrives in these seconds. Otherwise nothing is deleted in a run.
"""

from __future__ import annotations

from collections.abc import Mapping

from advisor.reasoning.behaviour.sizes import KIB, QUEUE_KBYTES
from labs.engine.clients.translate import Pinned
from labs.engine.plan.spec import Settings
from labs.engine.scenarios.model import Rate, Scenario
from labs.engine.scenarios.steps import (
    SHORT_SESSION,
    away_ms,
    early_retention,
    nobody_reads_while_messages_expire,
)
from labs.engine.scenarios.topologies import one_broker_and_a_group

_WHY_SHORTER = "days pass in seconds, and nobody reads for six of them"
_FEW_BYTES = 50_000
"""A third of what is written in six seconds, if a record takes no more than fifteen bytes."""


def _topic_pins(settings: Settings) -> Mapping[str, Pinned]:
    topic = settings["topic"]
    retention_ms, kept_bytes = int(topic["retention.ms"]), int(topic.get("retention.bytes", -1))
    needed_bytes = _needed_bytes(settings)
    pinned = {}
    if 0 <= retention_ms <= away_ms(settings):
        pinned["retention.ms"] = Pinned(2000, 604_800_000, _WHY_SHORTER)
    if kept_bytes >= 0 and (needed_bytes is None or kept_bytes < needed_bytes):
        pinned["retention.bytes"] = Pinned(_FEW_BYTES, -1, _WHY_SHORTER)
    if not pinned or "delete" not in str(topic["cleanup.policy"]):
        return {}
    return {**pinned, "segment.ms": Pinned(500, 604_800_000, _WHY_SHORTER)}


def _needed_bytes(settings: Settings) -> int | None:
    """The bytes that must be retained for absent readers (`room` of the advisor's `absence`)."""
    application = settings["application"]
    if "rate" in application and "message.bytes" in application:
        load = int(application["rate"]) * int(application["message.bytes"])
        return load * away_ms(settings) // 1000 + 1
    if application.get("outage.ms") is not None:
        return None
    producer = settings.get("producer", {})
    return int(producer.get("buffer.memory", int(producer.get(QUEUE_KBYTES, KIB**2)) * KIB))


SCENARIO = Scenario(
    name="retention-overtakes-reader",
    title="Retention overtakes the reader",
    story=(
        "The group's only member dies. Nobody reads for a while, and messages keep coming. Then a "
        "new member starts at the group's position, or at the beginning of the log if that is "
        "later."
    ),
    shows=("effect_missing", "skipped"),
    topology=one_broker_and_a_group,
    durations={"lead_in_s": (1.0, 2.0), "away_s": (6.0, 6.5), "healed_s": (1.0, 1.5)},
    play=nobody_reads_while_messages_expire,
    workload="consume-process-sink",
    consumer_pins=SHORT_SESSION,
    broker_pins=early_retention,
    topic_pins=_topic_pins,
    measured=(Rate("effect_missing", 20, 20),),
    zookeeper=True,
)
