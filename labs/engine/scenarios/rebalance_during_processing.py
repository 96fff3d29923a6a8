"""A member processes for longer than it may between two polls, and another gets its records.

The application did not poll for max.poll.interval.ms, so its client leaves the group (KIP-62). The
new member starts at the last committed offset and processes the same records. When the first member
resumes, it finishes its records, and only its commit is refused. A member with a longer interval
keeps its partitions until it polls again, and the other one waits.
"""

from __future__ import annotations

from labs.engine.faults.clients import hold, join, resume_client
from labs.engine.scenarios.conditions import POSITION_SAVED
from labs.engine.scenarios.model import Durations, Rate, Scenario, Stage
from labs.engine.scenarios.steps import SHORT_SESSION
from labs.engine.scenarios.topologies import on_one_broker


def _play(stage: Stage, seconds: Durations) -> None:
    stage.wait(POSITION_SAVED, limit_s=15)
    stage.do(hold, "consumer", "handed")
    stage.do(join)
    stage.let_run(seconds["working_s"])
    stage.do(resume_client, "consumer")


SCENARIO = Scenario(
    name="rebalance-during-processing",
    title="The group is rebalanced in the middle of processing",
    story=(
        "The group's only member works on its records for eight seconds. Meanwhile a second "
        "member joins the group and asks for its share of two partitions. Then the first member "
        "finishes its work."
    ),
    shows=("redelivery", "effect_duplicated"),
    topology=on_one_broker(partitions=2),
    durations={"lead_in_s": (1.0, 2.0), "working_s": (7.5, 8.5), "healed_s": (2.0, 2.5)},
    play=_play,
    workload="consume-process-commit",
    consumer_pins=SHORT_SESSION,
    rarely=dict.fromkeys(
        ("redelivery", "effect_duplicated"),
        "a member keeps its partitions for max.poll.interval.ms, which is longer than eight "
        "seconds unless it is stated",
    ),
    measured=(Rate("effect_duplicated", 10, 10),),
    zookeeper=True,
)
