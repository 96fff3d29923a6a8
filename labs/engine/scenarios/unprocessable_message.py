"""A message cannot be processed, however often it is tried, until the code is fixed.

An application that retries it is blocked by it, with all later messages of its partition. One that
skips it misses only that effect. If it closes its consumer, the consequences are those of
exception-then-close, and nothing is read until it is started again.
"""

from __future__ import annotations

from labs.engine.faults.clients import cure, hold, spoil
from labs.engine.scenarios.conditions import POSITION_SAVED
from labs.engine.scenarios.model import Durations, Rate, Scenario, Stage
from labs.engine.scenarios.topologies import one_broker_and_polls_that_fail


def _play(stage: Stage, seconds: Durations) -> None:
    stage.wait(POSITION_SAVED, limit_s=15)
    stage.do(hold, "consumer", "handed")
    stage.do(spoil, "consumer")
    stage.let_run(seconds["spoilt_s"])
    stage.heal(cure, "consumer")


SCENARIO = Scenario(
    name="unprocessable-message",
    title="A message cannot be processed",
    story=(
        "The group's only member comes to a message that makes its code fail each time. Depending "
        "on its code, it tries again, continues without it, or closes its consumer. After about "
        "three seconds somebody fixes the code."
    ),
    shows=("effect_missing", "blocked"),
    topology=one_broker_and_polls_that_fail,
    durations={"lead_in_s": (1.0, 2.0), "spoilt_s": (2.5, 3.5), "healed_s": (1.0, 1.5)},
    play=_play,
    workload="consume-process-sink",
    rarely={
        "skipped": "the messages were delivered to the group before it closed, so they are counted "
        "as effects that are missing",
    },
    measured=(Rate("effect_missing", 10, 10),),
    zookeeper=True,
)
