"""Brokers are stopped in turn, each while those before it are still down, the last by SIGKILL.

Each that leads is stopped with SIGTERM and hands leadership to a replica in sync (controlled
shutdown, Kafka operations/basic-kafka-operations.md, "Graceful shutdown"). The last is alone in
sync. It is killed, as an orchestrator does when a grace period is over; here at once, because a
broker that takes messages until then is the worst case. Those that were stopped cleanly come back
first. With eligible leader replicas (KIP-966) one of them leads, without what acks=1 was told by
the last one alone; with unclean elections any of them does.
"""

from __future__ import annotations

from labs.engine.faults import leader
from labs.engine.scenarios.model import TOPIC, Durations, Rate, Scenario, Stage
from labs.engine.scenarios.steps import others_return_first
from labs.engine.scenarios.topologies import beside_controllers


def _hand_over(stage: Stage) -> None:
    """Stops whoever leads, cleanly, until one replica is left."""
    replicas = stage.topology.replication_factor
    if replicas == 1:
        stage.not_applicable(
            "terminate", "leader", "replication.factor is 1: nobody can take leadership over"
        )
    for left in range(replicas - 1, 0, -1):
        stage.terminate(leader(TOPIC))
        stage.await_isr(left, limit_s=20)


def _play(stage: Stage, seconds: Durations) -> None:
    stage.go_on(seconds["lead_in_s"])
    _hand_over(stage)
    stage.go_on(seconds["alone_s"])
    stage.kill(leader(TOPIC))
    others_return_first(stage, seconds)


SCENARIO = Scenario(
    name="rolling-restart",
    title="A rolling restart that does not wait",
    story=(
        "The brokers of a partition are restarted in turn, each before the one before it is back "
        "in sync. All but the last stop in an orderly way and hand leadership over; the last is "
        "killed when its grace period is over. The others come back first."
    ),
    shows=("lost_write", "unavailable", "blocked"),
    topology=beside_controllers(1),
    durations={
        "lead_in_s": (1.0, 2.0),
        "alone_s": (1.0, 1.5),
        "without_leader_s": (1.5, 2.0),
        "healed_s": (0.5, 1.0),
    },
    play=_play,
    given_up_breaks=True,
    rarely={
        "diverged": "below min.insync.replicas nothing can be read, and an eligible replica that "
        "has all that was read leads",
        "given_up": "an eligible replica leads that has the producer's last batches",
    },
    measured=(Rate("lost_write", 10, 10),),
)
