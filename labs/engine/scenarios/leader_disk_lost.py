"""The leader's disk is lost at the worst moment: while it is the only replica in sync.

Records that only this replica had are lost for good. They were acknowledged if one copy was enough:
with min.insync.replicas=1, or with acks=1 whatever the minimum is. A replaced disk is formatted
(KIP-858: with a new directory id); it brings back the broker without its records.

If one copy was enough and there is no unclean election, the loss is larger. There is no leader
until the broker is back. Then it leads, as the last known leader (KIP-966), and the others truncate
to its empty log.

That is the usual case. The controller elects it when it is unfenced, and only if it knows by then
that the partition is in the new directory. On a busy machine the broker's report of that
(AssignReplicasToDirs) may be refused with STALE_BROKER_EPOCH and repeated too late. Then there is
no leader until an operator has one elected, which happens after ten seconds in a run: a replica
that was behind leads, and less is lost. The same may happen to the topic __consumer_offsets,
whatever the settings are (docs/decisions/0010).
"""

from __future__ import annotations

from labs.engine.faults.roles import killed
from labs.engine.faults.wipe import wipe
from labs.engine.scenarios.model import Rate, Scenario, Stage
from labs.engine.scenarios.steps import (
    LEADERLESS_TOPICS,
    kill_leader,
    leader_alone_durations,
    losing_last_in_sync,
)
from labs.engine.scenarios.topologies import up_to_three


def _lose(stage: Stage) -> None:
    kill_leader(stage)
    stage.do(wipe, killed())


SCENARIO = Scenario(
    name="leader-disk-lost",
    title="The leader's disk is lost while it is alone in sync",
    story=(
        "The followers of a partition are stopped one after the other, and the leader works "
        "alone as far as the settings allow. Then its machine is lost with its disk. The followers "
        "come back first, and the old leader last, on an empty disk."
    ),
    shows=("lost_write", "unavailable", "blocked"),
    topology=up_to_three,
    durations=leader_alone_durations((1.0, 1.5)),
    play=losing_last_in_sync(_lose, elections=LEADERLESS_TOPICS),
    given_up_breaks=True,
    zookeeper=True,
    measured=(Rate("lost_write", 10, 10),),
)
