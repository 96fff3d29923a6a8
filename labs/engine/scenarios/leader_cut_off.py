"""The leader is cut off from the other nodes, but not from its clients.

The controllers fence it and elect another leader. The old leader does not know this and continues.
With acks=1 it acknowledges records alone to the clients that still reach it, until the network
heals and it follows the new leader. With acks=all it acknowledges nothing alone, not even with
min.insync.replicas=1, because only the controllers can remove the others from the in-sync set
(KIP-497). A client stays with the old leader because librdkafka requests metadata again only after
an error, or every five minutes (topic.metadata.refresh.interval.ms).
"""

from __future__ import annotations

from labs.engine.faults.links import cut, mend
from labs.engine.faults.roles import impaired, leader
from labs.engine.scenarios.conditions import ANOTHER_LEADS, all_in_sync
from labs.engine.scenarios.model import TOPIC, Durations, Rate, Scenario, Stage
from labs.engine.scenarios.topologies import up_to_five


def _play(stage: Stage, seconds: Durations) -> None:
    stage.do(cut, leader(TOPIC), "nodes")
    if stage.topology.replication_factor > 1:
        stage.wait(ANOTHER_LEADS, limit_s=60)
    stage.let_run(seconds["two_leaders_s"])
    stage.heal(mend, impaired())
    stage.wait(all_in_sync(stage.topology), limit_s=60)


SCENARIO = Scenario(
    name="leader-cut-off",
    title="The leader is cut off from the other brokers",
    story=(
        "The network between the leader and all other brokers and controllers goes silent, while "
        "clients still reach every broker. The others elect a new leader, so for a while there are "
        "two. Then the network heals, and the old leader follows the new one."
    ),
    shows=("lost_write", "unavailable", "blocked"),
    topology=up_to_five,
    durations={"lead_in_s": (1.0, 2.0), "two_leaders_s": (1.0, 1.5), "healed_s": (0.5, 1.0)},
    play=_play,
    rarely={
        "duplicate": "a batch that only the old leader had is gone before it is written again",
        "reordered": "a batch that only the old leader had is gone before it is written again",
        "given_up": "clients reach the leader that is cut off, which still acknowledges acks=1",
    },
    given_up_breaks=True,
    linked=True,
    measured=(Rate("lost_write", 10, 10),),
    zookeeper=True,
)
