"""The broker with the state of transactions is lost, including its disk, during a transaction.

__transaction_state has as many copies here as described, and one partition. With more than one
copy, another broker coordinates the transaction and ends it. With one copy, no broker does until
that broker is back, and then it knows nothing of the transaction. The commit is refused
(INVALID_PRODUCER_ID_MAPPING), and the client aborts and continues with a new producer id. The
marker that would end the transaction in the topic is never written. Readers of committed records
wait until an operator aborts the hanging transaction (KIP-664). Here that happens after some
seconds, like the election of a leader if the controllers leave the empty partition without one
(docs/decisions/0010).
"""

from __future__ import annotations

from collections.abc import Mapping

from labs.engine.clients.translate import Pinned
from labs.engine.faults.admin import elect
from labs.engine.faults.clients import hold, resume_client
from labs.engine.faults.hanging import abort_hanging
from labs.engine.faults.kill import kill, restart
from labs.engine.faults.roles import dead, killed, transaction_coordinator
from labs.engine.faults.wipe import wipe
from labs.engine.plan.spec import Settings
from labs.engine.scenarios.conditions import POSITION_SAVED, all_in_sync
from labs.engine.scenarios.model import TOPIC, Durations, Rate, Scenario, Stage
from labs.engine.scenarios.topologies import TRANSACTIONS_COPIES, with_transaction_log


def _broker_pins(_: Settings) -> Mapping[str, Pinned]:
    why = "one broker coordinates all transactions, so that it is known"
    return {"transaction.state.log.num.partitions": Pinned(1, 50, why)}


def _play(stage: Stage, seconds: Durations) -> None:
    stage.wait(POSITION_SAVED, limit_s=15)
    stage.do(hold, "producer", "in-transaction")  # between two transactions none is open
    stage.do(kill, transaction_coordinator())
    stage.do(wipe, killed())
    stage.do(resume_client, "producer")
    stage.let_run(seconds["away_s"])
    stage.heal(restart, dead())
    stage.wait(all_in_sync(stage.topology), limit_s=60)
    stage.heal(elect, "__transaction_state")
    stage.let_run(seconds["hanging_s"])
    stage.heal(abort_hanging, TOPIC)


SCENARIO = Scenario(
    name="transaction-log-lost",
    title="The broker with the state of transactions is lost",
    story=(
        "The broker that coordinates the producer's transactions is lost with its disk while a "
        "transaction is open. Some seconds later it is back on an empty disk. The topic itself has "
        "copies on the other brokers and loses nothing. At the end an operator aborts the "
        "transaction that is still open."
    ),
    shows=("blocked", "unavailable"),
    topology=with_transaction_log,
    durations={
        "lead_in_s": (1.0, 2.0),
        "away_s": (5.0, 6.0),
        "hanging_s": (6.0, 7.0),
        "healed_s": (1.0, 1.5),
    },
    play=_play,
    workload="transactions-sink",
    broker_pins=_broker_pins,
    kept_broker_settings=(TRANSACTIONS_COPIES, "transaction.state.log.min.isr"),
    rarely={
        "torn_transaction": "a run's transactions are in one partition, so none has a marker in "
        "one partition and not in another",
    },
    given_up_breaks=True,
    measured=(Rate("blocked", 10, 10),),
    zookeeper=True,
)
