"""A transactional producer dies in the middle of a transaction, and starts again.

Its records are in the log, neither committed nor aborted. Readers of committed records get nothing
after the last stable offset, which is the first of them, until the successor with the same
transactional.id aborts the open transaction (KIP-98). Without a successor that takes
transaction.timeout.ms. Readers of uncommitted records get them immediately, and get them again when
the application sends the same work in a new transaction.
"""

from __future__ import annotations

from labs.engine.faults.clients import hold, kill_client, start_successor
from labs.engine.scenarios.conditions import POSITION_SAVED
from labs.engine.scenarios.model import Durations, Rate, Scenario, Stage
from labs.engine.scenarios.topologies import one_broker_and_transactions


def _play(stage: Stage, seconds: Durations) -> None:
    stage.wait(POSITION_SAVED, limit_s=15)
    stage.do(hold, "producer", "in-transaction")
    stage.let_run(seconds["open_s"])
    stage.do(kill_client, "producer")
    stage.heal(start_successor, "producer")


SCENARIO = Scenario(
    name="transaction-left-open",
    title="A transaction is left open, then aborted",
    story=(
        "The producer stops in the middle of a transaction, with its records in the log, and is "
        "killed some seconds later. The application starts again with the same transactional.id, "
        "which aborts that transaction, and continues."
    ),
    shows=("blocked", "aborted_read", "effect_duplicated"),
    topology=one_broker_and_transactions,
    durations={"lead_in_s": (1.0, 2.0), "open_s": (2.5, 3.5), "healed_s": (1.0, 1.5)},
    play=_play,
    workload="transactions-sink",
    rarely={
        "effect_duplicated": "the application sends its work again only if it still has it after "
        "its restart (application.restart=resumes)",
    },
    measured=(Rate("effect_duplicated", 10, 10),),
    zookeeper=True,
)
