"""The last replica in sync loses power, the others having been stopped cleanly. It is simulated.

What no flush had reached is cut off its log (`faults.cut_tail`); in so short a run that is all of
it. The others come back first, with all that was committed before they left. Without eligible
leader replicas they must wait for the one that was in sync last: it leads again with what its
disk kept, and they drop what it lacks. With them (KIP-966, on for new clusters since 4.1) and two
copies asked for, a replica that has every committed record leads, and nothing is lost. It must
not have been alone above the minimum: with min.insync.replicas=1 it was.
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
        "goes on alone as far as the settings allow. Then it is killed, and the end of its log "
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
