"""For some seconds clients may write only a part of what they send (quotas, KIP-13 and KIP-219).

A broker accepts a request, and then reads nothing from the connection until the client is within
its quota again. So records wait in the client, and those that wait for longer than
delivery.timeout.ms are given up. The quota in the lab is a quarter of what a run sends, and lasts
for some seconds.
"""

from __future__ import annotations

from labs.engine.faults.quota import lift_limit, limit_writes
from labs.engine.scenarios.model import Durations, Rate, Scenario, Stage
from labs.engine.scenarios.topologies import one_broker

BYTES_PER_S = 10_000


def _play(stage: Stage, seconds: Durations) -> None:
    stage.do(limit_writes, BYTES_PER_S)
    stage.let_run(seconds["throttled_s"])
    stage.heal(lift_limit)


SCENARIO = Scenario(
    name="quota-throttled",
    title="A quota holds the producer back",
    story=(
        "For some seconds the brokers allow each client a quarter of what the producer sends. The "
        "rest waits in the client. Then the quota is lifted."
    ),
    shows=("given_up", "duplicate", "reordered", "unavailable"),
    topology=one_broker,
    durations={"lead_in_s": (1.0, 2.0), "throttled_s": (7.0, 8.0), "healed_s": (2.0, 2.5)},
    play=_play,
    given_up_breaks=True,
    measured=(Rate("given_up", 1, 1),),
    rarely={
        "given_up": "a client that waits for its usual two minutes gives up nothing in these "
        "seconds, however many records wait in it",
        **dict.fromkeys(
            ("duplicate", "reordered"),
            "request.timeout.ms is longer than these seconds unless it is stated",
        ),
    },
    zookeeper=True,
)
