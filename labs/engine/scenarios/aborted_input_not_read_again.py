"""Processing fails inside a transaction, which is aborted, and the application continues.

An abort undoes the writes and the offset commits of the transaction. It does not
reset the consumer's position in memory. That position is after the input of the aborted
transaction, and the next commit stores it (Kafka design.md, "Using Transactions"). Only an
application that seeks back reads the input again.
"""

from __future__ import annotations

from labs.engine.faults.clients import fail, hold
from labs.engine.scenarios.conditions import POSITION_SAVED
from labs.engine.scenarios.model import Durations, Rate, Scenario, Stage
from labs.engine.scenarios.topologies import one_broker_and_offsets_in_transactions


def _play(stage: Stage, seconds: Durations) -> None:
    stage.wait(POSITION_SAVED, limit_s=15)
    stage.do(hold, "consumer", "processed")
    stage.do(fail, "consumer")


SCENARIO = Scenario(
    name="aborted-input-not-read-again",
    title="A transaction is aborted, and its input is not read again",
    story=(
        "An application reads messages and writes results to another topic. The results of each "
        "poll are in one transaction with its offsets. In the middle of a transaction the work "
        "fails. The application aborts the transaction and continues to poll."
    ),
    shows=("skipped", "effect_missing"),
    topology=one_broker_and_offsets_in_transactions,
    durations={"lead_in_s": (1.0, 2.0), "healed_s": (1.5, 2.0)},
    play=_play,
    workload="consume-transform-produce",
    rarely={
        "skipped": "the records were delivered to the group before the abort, so they are counted "
        "as effects that are missing",
    },
    measured=(Rate("effect_missing", 10, 10),),
    zookeeper=True,
)
