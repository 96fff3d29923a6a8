"""The consumer dies with records that it has received and not processed.

The group skips these records if its position is already after them, because the application or
the client committed first. librdkafka stores an offset when it delivers the record, and commits it
within auto.commit.interval.ms (INTRODUCTION.md, "At-least-once processing"). The Java client
commits at the next poll, which comes immediately in an application that polls while other threads
process (KafkaConsumer javadoc, "Detecting Consumer Failures"). The member therefore works for
longer than that interval's default, five seconds.
"""

from __future__ import annotations

from labs.engine.scenarios.model import Rate, Scenario
from labs.engine.scenarios.steps import SHORT_SESSION, killing_consumer_at
from labs.engine.scenarios.topologies import one_broker

SCENARIO = Scenario(
    name="consumer-killed-before-processing",
    title="The consumer dies with records not yet processed",
    story=(
        "The group's only member has received records and works on them for some seconds, because "
        "of a slow call or a lock. It is killed before any of them has an effect in the database. "
        "Another member takes its place and starts at the group's position."
    ),
    shows=("skipped", "effect_missing", "redelivery"),
    topology=one_broker,
    durations={"lead_in_s": (1.0, 2.0), "standing_s": (5.5, 6.5), "healed_s": (0.5, 1.0)},
    play=killing_consumer_at("handed"),
    workload="consume-process-commit",
    consumer_pins=SHORT_SESSION,
    rarely={
        "skipped": "the records were delivered to the group before its member died, so they are "
        "counted as effects that are missing",
    },
    zookeeper=True,
    measured=(Rate("effect_missing", 11, 11),),
)
