"""The group's committed offsets are gone, and its next member starts without a position.

Offsets expire after `offsets.retention.minutes` without a member, which is at least a minute. Here
they are deleted with the group instead (DeleteGroups, KIP-229), with the same result.
`auto.offset.reset` decides where the next member starts: with `latest` it skips the records that
were sent while nobody read, with `earliest` it reads all records of the topic again.
"""

from __future__ import annotations

from labs.engine.faults.admin import forget_group
from labs.engine.faults.clients import hold, kill_client, start_successor
from labs.engine.scenarios.conditions import POSITION_SAVED
from labs.engine.scenarios.model import Durations, Rate, Scenario, Stage
from labs.engine.scenarios.steps import SHORT_SESSION
from labs.engine.scenarios.topologies import one_broker_and_a_group
from labs.engine.workloads.group import GROUP


def _play(stage: Stage, seconds: Durations) -> None:
    stage.wait(POSITION_SAVED, limit_s=15)
    stage.do(hold, "consumer", "polling")
    stage.do(kill_client, "consumer")
    stage.do(forget_group, GROUP)
    stage.heal(start_successor, "consumer")


SCENARIO = Scenario(
    name="no-committed-offset",
    title="The group's position is gone",
    story=(
        "The group's only member dies. While nobody reads, the group's committed offsets are "
        "deleted, as happens when they expire. Messages keep coming. Then a new member starts."
    ),
    shows=("skipped", "effect_missing", "redelivery", "effect_duplicated", "blocked"),
    topology=one_broker_and_a_group,
    durations={"lead_in_s": (1.0, 2.0), "healed_s": (1.0, 1.5)},
    play=_play,
    workload="consume-process-sink",
    consumer_pins=SHORT_SESSION,
    measured=(Rate("effect_missing", 10, 10),),
    zookeeper=True,
)
