"""The broker with the group's committed offsets is lost, including its disk.

__consumer_offsets has as many copies here as described (offsets.topic.replication.factor). With
more than one copy, another broker coordinates the group and knows its offsets. With one copy, no
broker does until that broker is back, and on its empty disk the group has no position: its member
joins again, and auto.offset.reset decides where it continues. If the controllers then leave the
topic without a leader (docs/decisions/0010), an operator has one elected. A team that never gets
the broker back has to create the topic again, with the same result.
"""

from __future__ import annotations

from labs.engine.faults.admin import elect
from labs.engine.faults.kill import kill, restart
from labs.engine.faults.roles import coordinator, dead, killed
from labs.engine.faults.wipe import wipe
from labs.engine.scenarios.conditions import POSITION_SAVED, all_in_sync
from labs.engine.scenarios.model import Durations, Rate, Scenario, Stage
from labs.engine.scenarios.steps import SHORT_SESSION
from labs.engine.scenarios.topologies import OFFSETS, OFFSETS_COPIES, with_offsets_topic
from labs.engine.workloads.group import GROUP


def _play(stage: Stage, seconds: Durations) -> None:
    stage.wait(POSITION_SAVED, limit_s=15)
    stage.do(kill, coordinator(GROUP))
    stage.do(wipe, killed())
    stage.let_run(seconds["away_s"])
    stage.heal(restart, dead())
    stage.wait(all_in_sync(stage.topology), limit_s=60)
    stage.heal(elect, OFFSETS)
    stage.wait(POSITION_SAVED, limit_s=30)


SCENARIO = Scenario(
    name="offsets-topic-lost",
    title="The broker with the committed offsets is lost",
    story=(
        "The broker that coordinates the group is lost, and its disk with it, which had a copy of "
        "the group's committed offsets. Some seconds later the broker is back on an empty disk. "
        "The topic itself has copies on the other brokers and loses nothing."
    ),
    shows=("skipped", "effect_missing", "redelivery", "effect_duplicated", "blocked"),
    topology=with_offsets_topic,
    durations={"lead_in_s": (1.0, 2.0), "away_s": (5.0, 6.0), "healed_s": (1.0, 1.5)},
    play=_play,
    workload="consume-process-sink",
    consumer_pins=SHORT_SESSION,
    kept_broker_settings=(OFFSETS_COPIES,),
    given_up_breaks=True,
    measured=(Rate("effect_missing", 10, 10),),
    zookeeper=True,
)
