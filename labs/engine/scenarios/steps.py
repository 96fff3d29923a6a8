"""Steps that several scenarios share."""

from __future__ import annotations

from labs.engine.faults import a_follower
from labs.engine.scenarios.model import TOPIC, Stage


def leave_leader_alone(stage: Stage) -> None:
    """Stops the followers cleanly, one after the other, until the leader alone is in sync.

    Each must have left the in-sync set before the next is stopped: the controllers shrink it,
    and with the last follower their majority is gone.
    """
    replicas = stage.topology.replication_factor
    if replicas == 1:
        stage.not_applicable(
            "terminate", "follower", "replication.factor is 1: the leader is alone from the start"
        )
    for left in range(replicas - 1, 0, -1):
        stage.terminate(a_follower(TOPIC))
        stage.await_isr(left, limit_s=20)
