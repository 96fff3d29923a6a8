"""The leader's disk accepts no more writes, and the broker shuts down; its disk is replaced.

A broker whose last log directory failed stops (KIP-112), as if it had been killed: it leaves the
in-sync set only when it is fenced. Records that were acknowledged while it was the only replica in
sync are lost with the disk, as in `leader-disk-lost`; it does not help that the disk failed
visibly. As there, an operator elects a leader if there is none.
"""

from __future__ import annotations

from labs.engine.faults.read_only import read_only
from labs.engine.faults.roles import failed, leader
from labs.engine.faults.wipe import wipe
from labs.engine.scenarios.model import TOPIC, Rate, Scenario, Stage
from labs.engine.scenarios.steps import (
    LEADERLESS_TOPICS,
    leader_alone_durations,
    losing_last_in_sync,
)
from labs.engine.scenarios.topologies import up_to_three


def _lose(stage: Stage) -> None:
    stage.do(read_only, leader(TOPIC))
    stage.do(wipe, failed())


SCENARIO = Scenario(
    name="leader-disk-fails",
    title="The leader's disk accepts no more writes, and is replaced",
    story=(
        "The followers of a partition are stopped one after the other, and the leader works "
        "alone as far as the settings allow. Then its disk accepts no more writes (simulated), and "
        "the broker shuts itself down. The followers come back first, and the old leader last, on "
        "a new disk."
    ),
    shows=("lost_write", "unavailable", "blocked"),
    topology=up_to_three,
    durations=leader_alone_durations((1.0, 1.5)),
    play=losing_last_in_sync(_lose, elections=LEADERLESS_TOPICS),
    given_up_breaks=True,
    measured=(Rate("lost_write", 10, 10),),
    zookeeper=True,
)
