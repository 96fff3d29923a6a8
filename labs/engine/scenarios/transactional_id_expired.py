"""A transactional producer has nothing to write for longer than its id is retained.

The coordinator forgets a transactional.id without a transaction after
transactional.id.expiration.ms (KIP-98). The next transaction is then refused. librdkafka, and
Java's client before 4.0, abort it and continue (KIP-360). For Java's client since 4.0 the error is
fatal (KIP-1050): it cannot even abort, so the application ends, and its input is not read until
somebody starts it again, here after some seconds. If the producer may be idle for longer than its
id is retained, days pass in seconds; otherwise the id is retained as described.
"""

from __future__ import annotations

from collections.abc import Mapping

from labs.engine.clients.translate import Pinned
from labs.engine.faults.clients import replace_ended, start_successor, stop_client
from labs.engine.plan.spec import Settings
from labs.engine.scenarios.conditions import POSITION_SAVED
from labs.engine.scenarios.model import Durations, Rate, Scenario, Stage
from labs.engine.scenarios.topologies import one_broker_and_offsets_in_transactions

_EXPIRATION = "transactional.id.expiration.ms"
_WHY_SHORTER = "days pass in seconds, and nothing arrives for a little longer than that"


def _broker_pins(settings: Settings) -> Mapping[str, Pinned]:
    idle_ms = settings["application"].get("idle.ms")
    if idle_ms is not None and int(idle_ms) < int(settings["broker"][_EXPIRATION]):
        return {}
    return {
        _EXPIRATION: Pinned(2000, 604_800_000, _WHY_SHORTER),
        "transaction.remove.expired.transaction.cleanup.interval.ms": Pinned(
            500, 3_600_000, _WHY_SHORTER
        ),
    }


def _play(stage: Stage, seconds: Durations) -> None:
    stage.wait(POSITION_SAVED, limit_s=15)
    stage.do(stop_client, "producer")
    stage.let_run(seconds["idle_s"])
    stage.heal(start_successor, "producer")
    stage.let_run(seconds["unnoticed_s"])
    stage.heal(replace_ended, "consumer")


SCENARIO = Scenario(
    name="transactional-id-expired",
    title="A transactional producer was idle for too long",
    story=(
        "An application reads messages and writes its results in transactions. For a while no "
        "messages arrive, and the brokers forget the application's transactional.id. Then messages "
        "arrive again. If this ends the application, it is started again some seconds later."
    ),
    shows=("blocked",),
    topology=one_broker_and_offsets_in_transactions,
    durations={
        "lead_in_s": (1.0, 2.0), "idle_s": (5.0, 6.0), "unnoticed_s": (4.0, 5.0),
        "healed_s": (1.5, 2.0),
    },
    play=_play,
    rate_per_s=500,
    workload="consume-transform-produce",
    broker_pins=_broker_pins,
    client_decides=True,
    measured=(Rate("blocked", 10, 10),),
    zookeeper=True,
)  # fmt: skip
