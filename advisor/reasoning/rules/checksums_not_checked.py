"""Checksums that the consumer does not check.

What it is
    check.crcs=false, the default of librdkafka. The Java client checks them by default.

Why it matters
    A message that was damaged on a disk or in transit is delivered to the application as if it were
    intact.

Use instead
    check.crcs=true. It costs the consumer a little processor time.
"""

from __future__ import annotations

from advisor.catalog import Component
from advisor.reasoning.finding import Rule, Severity
from advisor.reasoning.pipeline import Pipeline


def check(pipeline: Pipeline) -> str | None:
    """Reports checksums that are off: librdkafka's default. Spark's reader has no such setting."""
    name = "check.crcs"
    if not pipeline.knows(Component.CONSUMER, name) or pipeline.flag(Component.CONSUMER, name):
        return None
    return "check.crcs=false: a damaged batch is delivered as if it were intact."


RULE = Rule(
    code="C008",
    name="checksums-not-looked-at",
    severity=Severity.LOW,
    component=Component.CONSUMER,
    setting="check.crcs",
    check=check,
    sources=("librdkafka CONFIGURATION.md, check.crcs", "Kafka ConfigDef, check.crcs"),
    valid=(
        {"family": "java"},
        {"family": "librdkafka", "consumer.check.crcs": "true"},
    ),
    invalid=({"family": "librdkafka"}, {"family": "java", "consumer.check.crcs": "false"}),
)
