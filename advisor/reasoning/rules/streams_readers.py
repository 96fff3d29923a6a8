"""Exactly-once output whose readers possibly do not wait for the commit.

What it is
    A Streams application with exactly-once, and readers of its output topics that do not have
    isolation.level=read_committed, or whose isolation level was not stated.

Why it matters
    read_uncommitted is the default of the Java client and of Spark. Such a reader gets the results
    of aborted transactions and also the results that replace them: it counts twice what Streams
    counted once.

Use instead
    isolation.level=read_committed in every reader of the output.
"""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.behaviour.streams import Streams
from advisor.reasoning.finding import Confidence, Rule, Severity
from advisor.reasoning.pipeline import Pipeline


def check(pipeline: Pipeline) -> str | None:
    """Reports exactly-once output whose readers are not known to use read_committed."""
    if pipeline.family is not Family.STREAMS or not Streams(pipeline).exactly_once:
        return None
    readers = pipeline.text(Component.APPLICATION, "readers")
    if readers == "read_committed":
        return None
    return (
        f"application.readers={readers or 'unknown'} with {Streams(pipeline).guarantee_setting}: "
        "only readers with isolation.level=read_committed see each result once."
    )


RULE = Rule(
    code="S005",
    name="output-read-before-it-is-committed",
    severity=Severity.MEDIUM,
    component=Component.APPLICATION,
    setting="readers",
    check=check,
    sources=(
        "Kafka Streams core concepts, Processing guarantees",
        "Kafka ConfigDef, isolation.level",
    ),
    valid=(
        {"family": "streams"},
        {
            "family": "streams",
            "streams.processing.guarantee": "exactly_once_v2",
            "application.readers": "read_committed",
        },
    ),
    invalid=({"family": "streams", "streams.processing.guarantee": "exactly_once_v2"},),
    confidence=Confidence.MEDIUM,
)
