"""The log is compacted while its reader is behind: only the latest record of each key remains.

The cleaner processes all segments but the newest, and removes records that have a later one with
the same key (Kafka design.md, Log Compaction). Messages share a hundred keys here, segments are
short, and the cleaner runs five times a second. A lag that is shorter than the readers' absence is
none here (KIP-58).
"""

from __future__ import annotations

from collections.abc import Mapping

from advisor.reasoning.behaviour.absence import COMPACTION_LAG
from labs.engine.clients.translate import Pinned
from labs.engine.faults.clients import start_successor
from labs.engine.plan.spec import Settings
from labs.engine.scenarios.model import Durations, Rate, Scenario, Stage
from labs.engine.scenarios.steps import SHORT_SESSION, away_ms, nobody_reads
from labs.engine.scenarios.topologies import one_broker_and_a_group

_SOON = "records that may be compacted are compacted earlier"


def _topic_pins(settings: Settings) -> Mapping[str, Pinned]:
    topic = settings["topic"]
    if "compact" not in str(topic["cleanup.policy"]):
        return {}
    pinned = {"segment.ms": Pinned(500, 604_800_000, _SOON)}
    if 0 < int(topic.get(COMPACTION_LAG, 0)) <= away_ms(settings):
        pinned[COMPACTION_LAG] = Pinned(0, 0, _SOON)
    return pinned


def _broker_pins(_: Settings) -> Mapping[str, Pinned]:
    return {"log.cleaner.backoff.ms": Pinned(200, 15_000, _SOON)}


def _play(stage: Stage, seconds: Durations) -> None:
    nobody_reads(stage, seconds)
    stage.heal(start_successor, "consumer")


SCENARIO = Scenario(
    name="log-compaction",
    title="Compaction overtakes the reader",
    story=(
        "Messages are updates for a hundred keys. The group's only member dies, and the log is "
        "compacted. Some seconds later a new member continues from the group's position."
    ),
    shows=("effect_missing",),
    topology=one_broker_and_a_group,
    durations={"lead_in_s": (1.0, 2.0), "away_s": (3.0, 4.0), "healed_s": (1.0, 1.5)},
    play=_play,
    workload="shared-keys-sink",
    consumer_pins=SHORT_SESSION,
    broker_pins=_broker_pins,
    topic_pins=_topic_pins,
    measured=(Rate("effect_missing", 10, 10),),
    zookeeper=True,
)
