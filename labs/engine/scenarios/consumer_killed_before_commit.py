"""The consumer dies after processing and before it commits the offsets.

Its successor starts at the last committed offset. The records processed since then are delivered
again, and a sink that does not recognize them applies them again (Kafka design.md, "Message
Delivery Semantics"). A group that commits first has nothing to repeat at this point. An
application that commits offsets in the producer's transaction has a topic as its sink: the records
that it wrote there are aborted when its successor starts, and readers of committed records never
see them.
"""

from __future__ import annotations

from labs.engine.scenarios.model import Rate, Scenario
from labs.engine.scenarios.steps import SHORT_SESSION, killing_consumer_at
from labs.engine.scenarios.topologies import one_broker

SCENARIO = Scenario(
    name="consumer-killed-before-commit",
    title="The consumer dies after processing, before the commit",
    story=(
        "The group's only member has processed what it received: the effects are in a database, "
        "or the results are in another topic if it commits in a transaction. It is killed before "
        "it commits its offsets. Another member takes its place."
    ),
    shows=("redelivery", "effect_duplicated"),
    topology=one_broker,
    durations={"lead_in_s": (1.0, 2.0), "standing_s": (0.1, 0.3), "healed_s": (0.5, 1.0)},
    play=killing_consumer_at("processed"),
    workload="consume-process-commit",
    copier=True,
    consumer_pins=SHORT_SESSION,
    zookeeper=True,
    measured=(Rate("effect_duplicated", 20, 20),),
)
