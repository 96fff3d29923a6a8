"""A Streams application whose messages get their time from a class of its own.

What it is
    default.timestamp.extractor names a class that is not Kafka's own.

Why it matters
    Kafka Streams drops each message for which the class returns a negative timestamp, with
    exactly_once_v2 too. Delivery Lab cannot see the class, and assumes that it never does so.

Use instead
    If a message has no timestamp of its own, return the partitionTime that extract() receives.
    Throw an exception if the application should stop.
"""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.behaviour.streams import EXTRACTOR, PROCESSOR
from advisor.reasoning.finding import Rule, Severity
from advisor.reasoning.pipeline import Pipeline


def check(pipeline: Pipeline) -> str | None:
    """Reports a timestamp extractor that is not Kafka's."""
    if pipeline.family is not Family.STREAMS:
        return None
    value = pipeline.text(Component.STREAMS, EXTRACTOR)
    if value.startswith(PROCESSOR):
        return None
    return (
        f"{EXTRACTOR}={value} is a class of your own: Kafka Streams drops each message for which "
        "it returns a negative timestamp. The answer assumes that it never does."
    )


RULE = Rule(
    code="S006",
    name="timestamps-by-a-class-of-your-own",
    severity=Severity.LOW,
    component=Component.STREAMS,
    setting=EXTRACTOR,
    check=check,
    sources=("Kafka Streams RecordQueue.updateHead", "TimestampExtractor javadoc"),
    valid=(
        {"family": "streams"},
        {
            "family": "streams",
            "streams.default.timestamp.extractor": "org.apache.kafka.streams.processor."
            "WallclockTimestampExtractor",
        },
        {"family": "spark"},
    ),
    invalid=({"family": "streams", "streams.default.timestamp.extractor": "com.example.Time"},),
)
