"""Brokers are stopped in turn, each while those before it are still down, the last by SIGKILL.

Each that leads is stopped with SIGTERM and hands leadership to a replica in sync (controlled
shutdown, Kafka operations/basic-kafka-operations.md, "Graceful shutdown"). The last is alone in
sync. It is killed, as an orchestrator does when a grace period is over; here at once, because a
broker that takes messages until then is the worst case. Those that were stopped cleanly come back
first. With eligible leader replicas (KIP-966) one of them leads, without what acks=1 was told by
the last one alone; with unclean elections any of them does.
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
