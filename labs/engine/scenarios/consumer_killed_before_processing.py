"""The consumer dies with records in hand that it has not processed.

They are gone for the group if its position is already past them: the application committed
first, or the client did it by itself. librdkafka stores an offset when it hands the record out
and commits it within auto.commit.interval.ms (INTRODUCTION.md, "At-least-once processing"); the
Java client does it at the next poll, which an application that polls on while other threads work
comes to at once (KafkaConsumer javadoc, "Detecting Consumer Failures"). So the member stands for
longer than the five seconds which that interval has by default.
"""

from __future__ import annotations

from labs.engine.scenarios.model import Rate, Scenario
from labs.engine.scenarios.steps import SHORT_SESSION, killing_consumer_at
from labs.engine.scenarios.topologies import one_broker

SCENARIO = Scenario(
    name="consumer-killed-before-processing",
    title="The consumer dies with records not yet processed",
    story=(
        "The group's only member was handed records and works on them for some seconds, because of "
        "a slow call or a lock. It is killed before any of them has an effect in the database. "
        "Another member takes its place and starts at the group's position."
    ),
    shows=("skipped", "effect_missing", "redelivery"),
    topology=one_broker,
    durations={"lead_in_s": (1.0, 2.0), "standing_s": (5.5, 6.5), "healed_s": (0.5, 1.0)},
    play=killing_consumer_at("handed"),
    workload="consume-process-commit",
    consumer_pins=SHORT_SESSION,
    rarely={
        "skipped": "the group was handed the records before its member died, so they are counted "
        "as effects that are missing",
    },
    zookeeper=True,
    measured=(Rate("effect_missing", 11, 11),),
)
