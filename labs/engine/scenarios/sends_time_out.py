"""Replicas are slow for longer than the client waits, and it reports records as failed.

With acks=all the leader has written records that its followers do not fetch. The client cannot know
this and gives them up after delivery.timeout.ms (KIP-91). Each such record that the application
sends again is then in the log twice, because idempotence recognizes duplicates only within one send
(KafkaProducer javadoc). A record that it does not send again is lost if it was still in the
client's queue. With a replication factor of three, two of the three controllers pause with the
followers: the followers cannot be removed from the in-sync set, and the same replicas continue.
With ZooKeeper they stay in it until their sessions end, after 18 s by default
(zookeeper.session.timeout.ms).
"""

from __future__ import annotations

from labs.engine.faults.pause import pause, resume
from labs.engine.faults.roles import followers, leader, paused
from labs.engine.scenarios.conditions import all_in_sync
from labs.engine.scenarios.model import TOPIC, Durations, Rate, Scenario, Stage
from labs.engine.scenarios.topologies import up_to_five


def _play(stage: Stage, seconds: Durations) -> None:
    alone = stage.topology.replication_factor == 1
    stage.do(pause, leader(TOPIC) if alone else followers(TOPIC))
    stage.let_run(seconds["slow_s"])
    stage.do(resume, paused())
    stage.wait(all_in_sync(stage.topology), limit_s=60)


SCENARIO = Scenario(
    name="sends-time-out",
    title="Sends time out while replicas are slow",
    story=(
        "The followers of the partition pause for about five seconds, and the leader waits for "
        "them. A client that waits for a shorter time gives up on records that may or may not have "
        "been written. The application decides what to do with them."
    ),
    shows=("given_up", "duplicate", "reordered", "effect_duplicated", "unavailable", "blocked"),
    topology=up_to_five,
    durations={"lead_in_s": (1.5, 2.5), "slow_s": (4.5, 5.5), "healed_s": (1.5, 2.0)},
    play=_play,
    given_up_breaks=True,
    workload="consume-process-sink",
    rarely={
        "given_up": "the number of retries has no effect here: no response is an error, and "
        "request.timeout.ms is longer than the pause unless it is stated",
        **dict.fromkeys(
            ("duplicate", "effect_duplicated", "reordered"),
            "a client that waits for its usual two minutes gives up nothing here, so the "
            "application sends nothing again",
        ),
    },
    measured=(Rate("effect_duplicated", 10, 10),),
    zookeeper=True,
    kept_broker_settings=("zookeeper.session.timeout.ms",),
)
