"""The leader dies while its in-sync followers are behind.

A follower stays in the ISR for `replica.lag.time.max.ms` (30 s) after it stopped fetching
(KIP-16; Partition.scala, `maybeShrinkIsr`), and any member of the ISR may be elected without
being "unclean". What only the leader has by then is gone when it dies: with acks=1 it was
acknowledged, with acks=all it was not. By hand on 4.3.1: 4,985 of 59,996 lost against 0.
"""

from __future__ import annotations

from labs.engine.faults import dead, followers, leader, paused
from labs.engine.scenarios.model import TOPIC, Durations, Scenario, Stage
from labs.engine.scenarios.steps import BLIND_RETRY
from labs.engine.scenarios.topologies import up_to_five


def _play(stage: Stage, seconds: Durations) -> None:
    alone = stage.topology.replication_factor == 1
    stage.go_on(seconds["lead_in_s"])
    if alone:
        stage.not_applicable(
            "pause", "follower", "replication.factor is 1: there are no followers to fall behind"
        )
    else:
        stage.pause(followers(TOPIC))
    stage.go_on(seconds["behind_s"])
    stage.kill(leader(TOPIC))
    if not alone:
        stage.resume(paused())
        stage.await_new_leader(limit_s=40)
    stage.go_on(seconds["under_new_leader_s"])
    stage.restart(dead())
    stage.await_in_sync(limit_s=60)
    stage.go_on(seconds["healed_s"])


SCENARIO = Scenario(
    name="leader-killed-followers-behind",
    title="The leader dies while its followers are behind",
    story=(
        "The followers of a partition stop for about a second: a long garbage collection, a "
        "disk that hangs. They are still in the in-sync set, because half a minute of silence "
        "is allowed. The leader takes messages alone, and then its machine dies. One of the "
        "followers becomes leader, by a clean election, without what the dead leader took alone."
    ),
    shows=("lost_write", "unavailable"),
    topology=up_to_five,
    durations={
        "lead_in_s": (1.5, 2.5),
        "behind_s": (0.8, 1.2),
        "under_new_leader_s": (1.0, 1.5),
        "healed_s": (0.5, 1.0),
    },
    play=_play,
    rarely={
        "duplicate": BLIND_RETRY,
        "reordered": BLIND_RETRY,
        "given_up": "the others lead again before most clients lose patience",
    },
    given_up_breaks=True,
)
