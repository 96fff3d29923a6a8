"""The followers receive everything late, over a slow link, and stay in sync.

A follower is in sync unless it has not caught up for `replica.lag.time.max.ms` (30 s; KIP-16). As
long as it is in sync, acks=all waits for it, and readers see no record that it lacks, whatever acks
is. A client whose request.timeout.ms is shorter than the delay sends records again that are already
in the log.
"""

from __future__ import annotations

from labs.engine.faults.links import mend, slow
from labs.engine.faults.roles import followers, impaired
from labs.engine.scenarios.conditions import all_in_sync
from labs.engine.scenarios.model import TOPIC, Durations, Rate, Scenario, Stage
from labs.engine.scenarios.topologies import up_to_five

_BYTES_PER_S = 200_000
_IN_TIME = "followers that are 2 s late respond before most clients time out"


def _play(stage: Stage, seconds: Durations) -> None:
    if stage.topology.replication_factor == 1:
        stage.not_applicable(
            "slow", "follower", "replication.factor is 1: there are no followers to slow down"
        )
    else:
        stage.do(slow, followers(TOPIC), seconds["late_s"], _BYTES_PER_S)
    stage.let_run(seconds["slow_s"])
    if stage.topology.replication_factor > 1:
        stage.heal(mend, impaired())
        stage.wait(all_in_sync(stage.topology), limit_s=60)


SCENARIO = Scenario(
    name="followers-slow",
    title="The followers are slow",
    story=(
        "For some seconds the network between the leader and its followers is slow and narrow. "
        "What the followers fetch arrives more than a second late. No broker fails, and no replica "
        "leaves the in-sync set."
    ),
    shows=("blocked", "unavailable", "duplicate"),
    topology=up_to_five,
    durations={
        "lead_in_s": (1.0, 2.0),
        "late_s": (1.5, 2.0),
        "slow_s": (5.0, 6.0),
        "healed_s": (0.5, 1.0),
    },
    play=_play,
    rarely={
        "duplicate": _IN_TIME,
        "reordered": _IN_TIME,
        "given_up": _IN_TIME,
    },
    given_up_breaks=True,
    linked=True,
    measured=(Rate("duplicate", 10, 10),),
    zookeeper=True,
)
