"""The topic is deleted and created again, while its clients run or after they were stopped.

Brokers delete the committed offsets of every group with the topic. Records that no consumer had
fetched are lost. The reader's process is paused for some seconds here, because librdkafka fetches
far ahead (a reader that was held during processing lost nothing, seed 1). Clients that are stopped
first, the reader after it has read everything, lose nothing if they start at the beginning.
"""

from __future__ import annotations

from labs.engine.faults.admin import recreate
from labs.engine.faults.clients import prepare_deletion, resume_clients
from labs.engine.scenarios.conditions import POSITION_SAVED
from labs.engine.scenarios.model import TOPIC, Durations, Rate, Scenario, Stage
from labs.engine.scenarios.steps import SHORT_SESSION
from labs.engine.scenarios.topologies import one_broker_and_a_group


def _play(stage: Stage, seconds: Durations) -> None:
    stage.wait(POSITION_SAVED, limit_s=15)
    stage.do(prepare_deletion)
    stage.let_run(seconds["behind_s"])
    stage.do(recreate, TOPIC)
    stage.let_run(seconds["anew_s"])
    stage.heal(resume_clients)


SCENARIO = Scenario(
    name="topic-recreated",
    title="The topic is deleted and created again",
    story=(
        "An operator deletes the topic and creates it again under the same name. The clients are "
        "stopped first, or they keep running, as you described. If they keep running, the reader "
        "is some seconds behind and resumes when the new topic has records."
    ),
    shows=("effect_missing", "skipped", "given_up", "lost_write", "blocked"),
    topology=one_broker_and_a_group,
    durations={
        "lead_in_s": (1.0, 2.0), "behind_s": (1.0, 1.5), "anew_s": (2.5, 3.5),
        "healed_s": (1.5, 2.0),
    },
    play=_play,
    measured=(Rate("effect_missing", 6, 6),),
    workload="consume-process-sink",
    consumer_pins=SHORT_SESSION,
    zookeeper=True,
)  # fmt: skip
