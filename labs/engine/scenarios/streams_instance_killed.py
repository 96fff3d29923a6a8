"""An instance of a Kafka Streams application dies with results written and nothing committed.

The next instance processes again what was processed since the last commit. With at_least_once the
results are then there twice. With exactly_once_v2 the dead instance's transaction is aborted after
transaction.timeout.ms, because the next one has its own transactional.id (KIP-447). Readers with
read_committed wait for that and never see its results; readers with read_uncommitted see them and
the results that replace them. Side effects of a processor in another system are not undone by any
transaction (Kafka Streams core concepts, "Processing guarantees").
"""

from __future__ import annotations

from collections.abc import Mapping

from labs.engine.clients.translate import Pinned
from labs.engine.plan.spec import Settings
from labs.engine.scenarios.model import Rate, Scenario
from labs.engine.scenarios.steps import SHORT_SESSION, killing_consumer_at
from labs.engine.scenarios.topologies import one_broker_and_streams


def _broker_pins(_: Settings) -> Mapping[str, Pinned]:
    pin = Pinned(500, 10_000, "a transaction that is open for too long is aborted earlier")
    return {"transaction.abort.timed.out.transaction.cleanup.interval.ms": pin}


SCENARIO = Scenario(
    name="streams-instance-killed",
    title="An instance of a Kafka Streams application dies before it commits",
    story=(
        "A Kafka Streams application writes a result for each message that it reads, to another "
        "topic or, from its processor, to another system. Its only instance is killed after it has "
        "written results and before it commits its position in the input. Another instance takes "
        "its place."
    ),
    shows=("redelivery", "effect_duplicated"),
    topology=one_broker_and_streams,
    durations={"lead_in_s": (1.0, 2.0), "standing_s": (0.5, 0.8), "healed_s": (0.5, 1.0)},
    play=killing_consumer_at("processed"),
    rate_per_s=1000,
    workload="streams",
    consumer_pins=SHORT_SESSION,
    broker_pins=_broker_pins,
    rarely={
        "duplicate": "duplicates are counted in the topic that is read; those in the output are "
        "effects that were applied twice",
        "aborted_read": "transactions are counted in the topic that is read; a record of an "
        "aborted transaction in the output is an effect that was applied twice",
    },
    measured=(Rate("effect_duplicated", 30, 30),),
    zookeeper=True,
)
