"""The driver of a Spark query dies between the sink and the checkpoint.

Spark records the end offsets of a batch before it runs the batch, and its completion afterwards. A
batch in between is run again with the same offsets and the same batchId (Spark
structured-streaming-programming-guide.md, "Fault Tolerance Semantics"). A sink that does not
recognize a message applies it again.
"""

from __future__ import annotations

from labs.engine.scenarios.model import Rate, Scenario
from labs.engine.scenarios.steps import SHORT_FETCH_WAIT, killing_consumer_at
from labs.engine.scenarios.topologies import one_broker_and_a_query

SCENARIO = Scenario(
    name="spark-restarted",
    title="The Spark driver dies between the sink and the checkpoint",
    story=(
        "A Spark query has written a batch into a database, and its driver is killed before the "
        "checkpoint says that the batch is done. It is started again on the same checkpoint."
    ),
    shows=("redelivery", "effect_duplicated"),
    topology=one_broker_and_a_query,
    durations={"lead_in_s": (1.0, 2.0), "standing_s": (0.1, 0.3), "healed_s": (0.5, 1.0)},
    play=killing_consumer_at("processed"),
    rate_per_s=500,
    workload="spark-query",
    consumer_pins=SHORT_FETCH_WAIT,
    measured=(Rate("effect_duplicated", 10, 10),),
    zookeeper=True,
)
