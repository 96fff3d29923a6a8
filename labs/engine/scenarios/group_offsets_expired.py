"""The group has no members for longer than its committed offsets are retained.

Brokers delete the offsets of a group without members after offsets.retention.minutes, which is at
least one minute (KIP-186, KIP-211), and check every offsets.retention.check.interval.ms. If readers
may be away for longer than that, days pass in a minute here, in which nobody reads; otherwise the
offsets are retained as described. `no-committed-offset` shows the consequence within seconds.
"""

from __future__ import annotations

from collections.abc import Mapping

from labs.engine.clients.translate import Pinned
from labs.engine.faults.clients import start_successor, stop_client
from labs.engine.plan.spec import Settings
from labs.engine.scenarios.conditions import POSITION_SAVED
from labs.engine.scenarios.model import Durations, Rate, Scenario, Stage
from labs.engine.scenarios.steps import away_ms
from labs.engine.scenarios.topologies import one_broker_and_a_group

_RETENTION = "offsets.retention.minutes"
_WHY_SHORTER = "days pass in a minute, and nobody reads for a little longer than that"


def _broker_pins(settings: Settings) -> Mapping[str, Pinned]:
    if away_ms(settings) < int(settings["broker"][_RETENTION]) * 60_000:
        return {}
    return {
        _RETENTION: Pinned(1, 10_080, _WHY_SHORTER),
        "offsets.retention.check.interval.ms": Pinned(1000, 600_000, _WHY_SHORTER),
    }


def _play(stage: Stage, seconds: Durations) -> None:
    stage.wait(POSITION_SAVED, limit_s=15)
    stage.do(stop_client, "consumer")
    stage.let_run(seconds["away_s"])
    stage.heal(start_successor, "consumer")


SCENARIO = Scenario(
    name="group-offsets-expired",
    title="The group's offsets expire while it is away",
    story=(
        "The group's only member is shut down cleanly. Nobody reads for more than a minute, while "
        "messages keep coming. Then a new member starts."
    ),
    shows=("skipped", "effect_missing", "redelivery", "effect_duplicated", "blocked"),
    topology=one_broker_and_a_group,
    durations={"lead_in_s": (1.0, 2.0), "away_s": (64.0, 66.0), "healed_s": (1.0, 1.5)},
    play=_play,
    rate_per_s=500,
    workload="consume-process-sink",
    broker_pins=_broker_pins,
    measured=(Rate("effect_missing", 10, 10),),
    zookeeper=True,
)
