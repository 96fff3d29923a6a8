"""Processing fails, and the outcome depends on what the application then does.

An application with automatic commits whose `finally` block closes the consumer thereby commits the
offsets of all delivered records, including those that failed (KafkaConsumer javadoc, "Automatic
Offset Committing"; by hand: 10 polled, the first failed, 10 committed). Its successor continues
after them. An application that retries keeps them, and one that continues without them states that
in its description.
"""

from __future__ import annotations

from labs.engine.faults.clients import fail, hold, replace_ended
from labs.engine.scenarios.conditions import POSITION_SAVED
from labs.engine.scenarios.model import Durations, Rate, Scenario, Stage
from labs.engine.scenarios.topologies import one_broker_and_polls_that_fail


def _play(stage: Stage, seconds: Durations) -> None:
    stage.wait(POSITION_SAVED, limit_s=15)
    stage.do(hold, "consumer", "handed")
    stage.do(fail, "consumer")
    stage.heal(replace_ended, "consumer")


SCENARIO = Scenario(
    name="exception-then-close",
    title="Processing fails, and the consumer is closed",
    story=(
        "The group's only member has received records and fails to process them, because of a bug "
        "or a call that is refused. Depending on its code, the application tries again, continues "
        "without them, or closes its consumer and is started again."
    ),
    shows=("skipped", "effect_missing"),
    topology=one_broker_and_polls_that_fail,
    durations={"lead_in_s": (1.0, 2.0), "healed_s": (1.0, 1.5)},
    play=_play,
    workload="consume-process-sink",
    rarely={
        "skipped": "the records were delivered to the group before it closed, so they are counted "
        "as effects that are missing",
    },
    measured=(Rate("effect_missing", 10, 10),),
    zookeeper=True,
)
