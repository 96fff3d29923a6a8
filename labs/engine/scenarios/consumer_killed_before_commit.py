"""The consumer dies between processing and the commit that would have said so.

Its successor starts where the group's position is: at the last commit. What was processed since
is handed out again, and a sink that does not know it applies it again (Kafka design.md, "Message
Delivery Semantics"). A group that commits first has nothing left to repeat at this point. Who
commits in the producer's transaction has a topic for a sink: what the dead one wrote there is
aborted when its successor begins, and is nothing to readers of committed records.
"""

from __future__ import annotations

from labs.engine.scenarios.model import Rate, Scenario
from labs.engine.scenarios.steps import SHORT_SESSION, killing_consumer_at
from labs.engine.scenarios.topologies import one_broker

SCENARIO = Scenario(
    name="consumer-killed-before-commit",
    title="The consumer dies after processing, before the commit",
    story=(
        "The group's only member has processed what it was handed: the effects are in a database, "
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
