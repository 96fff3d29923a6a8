"""Records that a group has read and not committed are deleted, and it returns to a missing offset.

The member is held with effects in the sink and no commit, and exactly the records that it has read
are deleted (DeleteRecords, KIP-107). Its successor starts at the committed offset, which is before
the log start offset. `auto.offset.reset` decides although the group has a position (ConfigDef,
auto.offset.reset). With `earliest` it continues at the first record that is left, which here is the
next one; with `latest` it skips the records that arrived in the meantime; with `none` it stops.
"""

from __future__ import annotations

from labs.engine.faults.admin import delete_read_records
from labs.engine.faults.clients import hold, kill_client, start_successor
from labs.engine.scenarios.conditions import POSITION_SAVED
from labs.engine.scenarios.model import TOPIC, Durations, Rate, Scenario, Stage
from labs.engine.scenarios.steps import SHORT_SESSION
from labs.engine.scenarios.topologies import one_broker_and_a_group


def _play(stage: Stage, seconds: Durations) -> None:
    stage.wait(POSITION_SAVED, limit_s=15)
    stage.do(hold, "consumer", "processed")
    stage.do(delete_read_records, TOPIC)
    stage.do(kill_client, "consumer")
    stage.let_run(seconds["away_s"])
    stage.heal(start_successor, "consumer")


_DELETED = "records processed and not committed are deleted, so they are not read again"

SCENARIO = Scenario(
    name="offset-out-of-range",
    title="The reader's position is no longer in the log",
    story=(
        "The group's only member has processed what it received and has not committed it. "
        "Somebody deletes from the topic everything that was read, and the member dies. Its "
        "successor asks for an offset that no longer exists."
    ),
    shows=("skipped", "effect_missing", "blocked"),
    topology=one_broker_and_a_group,
    durations={"lead_in_s": (1.0, 2.0), "away_s": (1.0, 1.5), "healed_s": (1.0, 1.5)},
    play=_play,
    workload="consume-process-sink",
    consumer_pins=SHORT_SESSION,
    rarely={"redelivery": _DELETED, "effect_duplicated": _DELETED},
    measured=(Rate("effect_missing", 10, 10),),
    zookeeper=True,
)
