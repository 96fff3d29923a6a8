"""Processing fails with records in hand, and what the application does then decides.

An application whose `finally` block closes the consumer commits by that, with automatic commits,
how far the records were handed out, those that failed included (KafkaConsumer javadoc, "Automatic
Offset Committing"; by hand: 10 polled, the first failed, 10 committed). Its successor goes on
behind them. One that tries again keeps them; one that goes on without them says that it does.
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
        "The group's only member was handed records and fails to process them, because of a bug or "
        "a call that is refused. Depending on its code, the application tries again, goes on "
        "without them, or closes its consumer and is started again."
    ),
    shows=("skipped", "effect_missing"),
    topology=one_broker_and_polls_that_fail,
    durations={"lead_in_s": (1.0, 2.0), "healed_s": (1.0, 1.5)},
    play=_play,
    workload="consume-process-sink",
    rarely={
        "skipped": "the group was handed the records before it closed, so they are counted as "
        "effects that are missing",
    },
    measured=(Rate("effect_missing", 10, 10),),
    zookeeper=True,
)
