"""The leader's process dies while its followers keep up.

Sends wait until the dead broker is fenced (`broker.session.timeout.ms`, KIP-631). With acks=0 the
records in flight are lost, and no error says so: 616 of 239,994 at 20,000 a second by hand, and 69
of 37,205 at the lab's rate, Kafka 4.3.1. With acks=1 the loss is a race, because followers that
keep up lack only the records that they had not fetched when the leader died (by hand: 0 of
240,000); `leader-killed-followers-behind` makes it certain. A duplicate from a retry without
idempotence is a race too: it needs a batch that was written and not yet acknowledged.
"""

from __future__ import annotations

from labs.engine.faults.kill import kill
from labs.engine.faults.roles import leader
from labs.engine.scenarios.model import TOPIC, Durations, Rate, Scenario, Stage
from labs.engine.scenarios.steps import BLIND_RETRY, run_under_new_leader
from labs.engine.scenarios.topologies import up_to_five


def _play(stage: Stage, seconds: Durations) -> None:
    stage.do(kill, leader(TOPIC))
    run_under_new_leader(stage, seconds)


SCENARIO = Scenario(
    name="leader-killed",
    title="The leader's process dies",
    story=(
        "The broker that leads the partition is killed while its followers keep up. There is no "
        "leader until the failure is noticed. Then another in-sync replica leads, and the broker "
        "comes back."
    ),
    shows=("unavailable", "blocked", "lost_write", "given_up"),
    topology=up_to_five,
    durations={
        "lead_in_s": (1.5, 2.5),
        "under_new_leader_s": (1.0, 1.5),
        "healed_s": (0.5, 1.0),
    },
    play=_play,
    rarely={
        "lost_write": "followers that keep up lack only what they had not fetched at its death",
        "duplicate": BLIND_RETRY,
        "reordered": BLIND_RETRY,
        "given_up": "another replica leads before most clients time out",
    },
    given_up_breaks=True,
    zookeeper=True,
    measured=(Rate("lost_write", 10, 10),),
)
