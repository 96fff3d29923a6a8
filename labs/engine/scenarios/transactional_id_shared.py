"""An application is frozen, its successor takes over under the same name, and it resumes.

The group notices that its member is dead when its session ends, and the successor receives the same
input. With a transactional.id, the start of the successor aborts the transaction of the frozen
application and fences it (KIP-98): when it resumes, its commit is refused, and it stops. Without
one its output stays, next to the successor's output for the same input.
"""

from __future__ import annotations

from labs.engine.faults.clients import hold, pause_client, resume_client, start_successor
from labs.engine.scenarios.conditions import POSITION_SAVED
from labs.engine.scenarios.model import Durations, Rate, Scenario, Stage
from labs.engine.scenarios.steps import SHORT_SESSION
from labs.engine.scenarios.topologies import one_broker


def _play(stage: Stage, seconds: Durations) -> None:
    stage.wait(POSITION_SAVED, limit_s=15)
    stage.do(hold, "consumer", "processed")
    stage.do(pause_client, "consumer")
    stage.heal(start_successor, "consumer")
    stage.let_run(seconds["both_s"])
    stage.do(resume_client, "consumer")


SCENARIO = Scenario(
    name="transactional-id-shared",
    title="An application that was thought dead comes back (a zombie)",
    story=(
        "An application reads messages and writes results to another topic. It is paused after its "
        "output is written and before its offsets are committed. It is believed to be dead, and a "
        "second one with the same configuration takes over its input. Then the first one "
        "continues where it stopped."
    ),
    shows=("unavailable", "redelivery", "effect_duplicated"),
    topology=one_broker,
    durations={"lead_in_s": (1.0, 2.0), "both_s": (0.5, 1.0), "healed_s": (1.0, 1.5)},
    play=_play,
    workload="consume-transform-produce",
    copier=True,
    consumer_pins=SHORT_SESSION,
    measured=(Rate("effect_duplicated", 10, 10),),
    zookeeper=True,
)
