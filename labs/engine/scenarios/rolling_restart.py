"""Brokers are stopped in turn, each while the previous ones are still down, the last by SIGKILL.

Each leader is stopped with SIGTERM and transfers leadership to a replica in sync (controlled
shutdown, Kafka operations/basic-kafka-operations.md, "Graceful shutdown"). The last one is alone in
sync. It is killed, as an orchestrator does when a grace period is over; here immediately, because a
broker that accepts messages until then is the worst case. The replicas that were stopped cleanly
come back first. With eligible leader replicas (KIP-966) one of them leads, without the records that
the last one alone acknowledged with acks=1. With unclean elections any of them may lead.
"""

from __future__ import annotations

from labs.engine.faults.roles import leader
from labs.engine.scenarios.model import TOPIC, Rate, Scenario
from labs.engine.scenarios.steps import (
    RARELY_WHEN_ALONE,
    kill_leader,
    leader_alone_durations,
    losing_last_in_sync,
)
from labs.engine.scenarios.topologies import with_controllers

SCENARIO = Scenario(
    name="rolling-restart",
    title="A rolling restart that does not wait",
    story=(
        "The brokers of a partition are restarted in turn, each before the previous one is back in "
        "sync. All but the last are shut down cleanly and hand over leadership. The last one is "
        "killed when its grace period is over. The others come back first."
    ),
    shows=("lost_write", "unavailable", "blocked"),
    topology=with_controllers(1),
    durations=leader_alone_durations((1.5, 2.0)),
    play=losing_last_in_sync(kill_leader, stopped=leader(TOPIC)),
    given_up_breaks=True,
    rarely=RARELY_WHEN_ALONE,
    zookeeper=True,
    measured=(Rate("lost_write", 10, 10),),
)
