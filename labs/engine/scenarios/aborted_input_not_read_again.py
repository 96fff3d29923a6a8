"""Processing fails inside a transaction; it is aborted, and the application goes on.

An abort takes back what was written and the offsets in it. It does not take back how far the
consumer has read: its place in memory is behind the input of the aborted transaction, and the next
commit says so (Kafka design.md, "Using Transactions"). Only an application that seeks back reads
that input again.
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
        "fails. The application aborts the transaction and polls on."
    ),
    shows=("skipped", "effect_missing"),
    topology=one_broker_and_offsets_in_transactions,
    durations={"lead_in_s": (1.0, 2.0), "healed_s": (1.5, 2.0)},
    play=_play,
    workload="consume-transform-produce",
    rarely={
        "skipped": "the group was handed the records before the abort, so they are counted as "
        "effects that are missing",
    },
    measured=(Rate("effect_missing", 10, 10),),
    zookeeper=True,
)
