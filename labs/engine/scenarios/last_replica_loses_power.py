"""The last replica in sync loses power after the others were stopped cleanly. This is simulated.

The part of its log that was not flushed is cut off (`faults.cut_tail`), which is all of it in such
a short run. The others come back first, with every record that was committed before they left.
Without eligible leader replicas they must wait for the replica that was in sync last. It leads
again with what its disk kept, and they truncate to its log. With eligible leader replicas (KIP-966,
on for new clusters since 4.1) and min.insync.replicas=2, a replica that has every committed record
leads, and nothing is lost. With min.insync.replicas=1 records were committed that only the last
replica had.
"""

from __future__ import annotations

from labs.engine.faults.cut_tail import cut_tail
from labs.engine.faults.roles import killed
from labs.engine.scenarios.model import TOPIC, Rate, Scenario, Stage
from labs.engine.scenarios.steps import kill_leader, leader_alone_durations, losing_last_in_sync
from labs.engine.scenarios.topologies import up_to_three


def _lose(stage: Stage) -> None:
    kill_leader(stage)
    stage.do(cut_tail, killed(), {TOPIC: stage.topology.flush_messages})


SCENARIO = Scenario(
    name="last-replica-loses-power",
    title="The last replica in sync loses power (simulated)",
    story=(
        "The followers of a partition are stopped cleanly, one after the other, and the leader "
        "works alone as far as the settings allow. Then it is killed, and the end of its log "
        "that was not flushed is cut off. This simulates a power cut. The followers come back "
        "first, and the leader last."
    ),
    shows=("lost_write", "unavailable", "blocked"),
    topology=up_to_three,
    durations=leader_alone_durations((1.0, 1.5)),
    play=losing_last_in_sync(_lose),
    given_up_breaks=True,
    zookeeper=True,
    measured=(Rate("lost_write", 10, 10),),
)
