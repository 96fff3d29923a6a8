"""Checksums that the consumer does not check.

What it is
    check.crcs=false, the default of librdkafka; the Java client looks at them unless told not to.

Why it matters
    What was damaged on a disk or on the way is handed to the application as if it were what
    was sent.

Use instead
    check.crcs=true, for a little processor time of the consumer.
"""

from __future__ import annotations

from advisor.catalog import Component
from advisor.reasoning.finding import Rule, Severity
from advisor.reasoning.pipeline import Pipeline


def check(pipeline: Pipeline) -> str | None:
    """librdkafka has it off by default; Spark's reader is not asked."""
    name = "check.crcs"
    if not pipeline.knows(Component.CONSUMER, name) or pipeline.flag(Component.CONSUMER, name):
        return None
    return "check.crcs=false: a damaged batch is delivered as if it were sound."


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
