"""The leader dies while its in-sync followers are behind.

A follower stays in the ISR for `replica.lag.time.max.ms` (30 s) after it stopped fetching (KIP-16;
Partition.scala, `maybeShrinkIsr`), and any member of the ISR may be elected without an "unclean"
election. Records that only the leader has are lost when it dies. With acks=1 they were
acknowledged, with acks=all they were not. Measured by hand on 4.3.1: 4,985 of 59,996 messages lost
with acks=1, and 0 with acks=all.
"""

from __future__ import annotations

from labs.engine.faults.kill import kill
from labs.engine.faults.roles import leader
from labs.engine.scenarios.model import TOPIC, Durations, Rate, Scenario, Stage
from labs.engine.scenarios.steps import (
    BLIND_RETRY,
    FOLLOWERS_BEHIND_DURATIONS,
    elect_lagging_replica,
    fall_behind,
)
from labs.engine.scenarios.topologies import up_to_five


def _play(stage: Stage, seconds: Durations) -> None:
    fall_behind(stage, seconds)
    stage.do(kill, leader(TOPIC))
    elect_lagging_replica(stage, seconds)


SCENARIO = Scenario(
    name="leader-killed-followers-behind",
    title="The leader dies while its followers are behind",
    story=(
        "The followers of a partition pause for about a second, as in a long garbage collection. "
        "They are still in the in-sync set, because a follower may lag for half a minute. The "
        "leader takes messages alone, and then its machine dies. One of the followers becomes "
        "leader, by a clean election, without the messages that only the dead leader had."
    ),
    shows=("lost_write", "unavailable"),
    topology=up_to_five,
    durations=FOLLOWERS_BEHIND_DURATIONS,
    play=_play,
    rarely={
        "duplicate": BLIND_RETRY,
        "reordered": BLIND_RETRY,
        "given_up": "another replica leads before most clients time out",
    },
    given_up_breaks=True,
    zookeeper=True,
    measured=(Rate("lost_write", 10, 10),),
)
