"""Nobody reads for longer than the topic keeps its messages.

Retention deletes whole segments by their newest record, read or not (TopicConfig, retention.ms,
segment.ms). Days pass in seconds here: where the readers may be away for longer than messages are
kept, they are kept for two of the six seconds in which nobody reads, and segments are short. Where
they are kept for longer than that, nothing is deleted in a run.
"""

from __future__ import annotations

from collections.abc import Mapping

from labs.engine.clients.translate import Pinned
from labs.engine.scenarios.model import Durations, Scenario, Stage
from labs.engine.scenarios.steps import SHORT_SESSION, nobody_reads, retention_soon
from labs.engine.scenarios.topologies import one_broker_and_a_group
from labs.engine.spec import Settings

_LAPSE = "days pass in seconds: nobody reads for six of them"


def _topic(settings: Settings) -> Mapping[str, Pinned]:
    kept_ms = int(settings["topic"]["retention.ms"])
    away_ms = settings["application"].get("outage.ms")
    deletes = "delete" in str(settings["topic"]["cleanup.policy"])
    if kept_ms < 0 or not deletes or (away_ms is not None and int(away_ms) < kept_ms):
        return {}
    return {
        "retention.ms": Pinned(2000, 604_800_000, _LAPSE),
        "segment.ms": Pinned(500, 604_800_000, _LAPSE),
    }


def _play(stage: Stage, seconds: Durations) -> None:
    nobody_reads(stage, seconds)
    stage.keep_all()
    stage.start_again("consumer")
    stage.go_on(seconds["healed_s"])


SCENARIO = Scenario(
    name="retention-overtakes-reader",
    title="Retention overtakes the reader",
    story=(
        "The group's only member dies, and nobody reads for a while; messages go on coming. Then "
        "a new member starts where the group's position is, or where the log begins if that is "
        "later."
    ),
    shows=("effect_missing", "skipped"),
    topology=one_broker_and_a_group,
    durations={"lead_in_s": (1.0, 2.0), "away_s": (6.0, 6.5), "healed_s": (1.0, 1.5)},
    play=_play,
    workload="consume-process-sink",
    pinned=SHORT_SESSION,
    brokers=retention_soon,
    topic=_topic,
)
