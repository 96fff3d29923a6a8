"""The in-sync set shrinks to the leader, the leader dies, and the others come back before it.

With min.insync.replicas=1 the leader continues to acknowledge alone, also with acks=all, which
waits only for the replicas that are *currently* in sync (Kafka design.md, "Availability and
Durability Guarantees"). With unclean election, another replica then leads without the records that
only the old leader has; otherwise there is no leader until it is back. Measured by hand on 4.3.1:
11,434 of 39,999 messages lost, and 0 without unclean election. With min.insync.replicas=2 a replica
that was stopped cleanly stays eligible (KIP-966, on for new clusters since 4.1) and leads
immediately, and records that were acknowledged with acks=1 in the meantime are lost.
"""

from __future__ import annotations

from labs.engine.scenarios.model import Rate, Scenario
from labs.engine.scenarios.steps import (
    RARELY_WHEN_ALONE,
    kill_leader,
    leader_alone_durations,
    losing_last_in_sync,
)
from labs.engine.scenarios.topologies import up_to_three

SCENARIO = Scenario(
    name="isr-shrunk-leader-killed",
    title="The in-sync set shrinks to the leader, then the leader dies",
    story=(
        "The followers of a partition are stopped one after the other, as in a rolling restart "
        "gone wrong. The leader is then the only replica in sync, and it dies. The followers come "
        "back first. Either one of them leads without the messages that the old leader took alone, "
        "or nobody leads until the old leader is back."
    ),
    shows=("lost_write", "unavailable", "blocked"),
    topology=up_to_three,
    durations=leader_alone_durations((1.5, 2.0)),
    play=losing_last_in_sync(kill_leader),
    given_up_breaks=True,
    rarely=RARELY_WHEN_ALONE,
    zookeeper=True,
    measured=(Rate("lost_write", 20, 20),),
)
