"""A setting of a client that Kafka Streams overrules.

What it is
    A setting of the producer or consumer inside a Streams application that StreamsConfig sets
    itself: enable.auto.commit always, enable.idempotence and isolation.level with exactly-once.

Why it matters
    The value in the file is not the value in force. Only a line in the log says so.

Use instead
    Leave it unset. processing.guarantee decides.
"""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.catalog.streams_overrides import overruled
from advisor.reasoning.finding import Rule, Severity
from advisor.reasoning.pipeline import Pipeline


def check(pipeline: Pipeline) -> str | None:
    """Reports settings that are stated and not in force."""
    results = overruled(pipeline.settings) if pipeline.family is Family.STREAMS else []
    if not results:
        return None
    text = "; ".join(
        f"{row.name}={str(row.stated).lower()} becomes {str(row.in_force).lower()}"
        for row in results
    )
    return f"{text}: Kafka Streams sets it itself."


RULE = Rule(
    code="S003",
    name="settings-overruled-by-streams",
    severity=Severity.LOW,
    component=Component.STREAMS,
    setting="processing.guarantee",
    check=check,
    sources=("apache/kafka StreamsConfig.java (non-configurable settings, EOS overrides)",),
    valid=(
        {"family": "streams", "producer.enable.idempotence": "false"},
        {"family": "java", "consumer.enable.auto.commit": "true"},
    ),
    invalid=(
        {"family": "streams", "consumer.enable.auto.commit": "true"},
        {
            "family": "streams",
            "streams.processing.guarantee": "exactly_once_v2",
            "consumer.isolation.level": "read_uncommitted",
        },
    ),
)
