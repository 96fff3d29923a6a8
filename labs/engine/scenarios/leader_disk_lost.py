"""The leader's disk is lost at the worst moment: when it was the only replica in sync.

What only it had is gone for good, and it had acknowledged it if one copy was enough: with
min.insync.replicas=1, or with acks=1 whatever the minimum is. A replaced disk is formatted
(KIP-858: with a new directory id); it brings back the broker and none of its records.

With one copy and no unclean election the loss is larger than that. Nobody leads until the broker
is back; then it does, as the last known leader (KIP-966), and the others drop what they had.

That is the usual case. The controller elects it when it is unfenced, and only if it knows by then
that the partition is in the new directory. On a busy machine the broker's report of that
(AssignReplicasToDirs) may be refused with STALE_BROKER_EPOCH and come again too late; then nobody
leads until an operator has one elected, as the run does after ten seconds: one that was behind, and
less is lost. The topic of the groups' offsets fares like that too, whatever the settings are
(docs/decisions/0010).
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
        "The followers of a partition are stopped one after the other, and the leader goes on "
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
