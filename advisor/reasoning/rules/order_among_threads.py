"""Order that is required, and threads that process messages at the same time.

What it is
    Order is required, and application.processing=asynchronous: the polling thread hands messages
    to others.

Why it matters
    No setting prevents two threads from processing messages of one key at the same time. The answer
    assumes that the code gives all messages of a key to one thread.

Use instead
    One worker for each key or partition, or process on the polling thread.
"""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.behaviour.group import Group
from advisor.reasoning.finding import Rule, Severity
from advisor.reasoning.pipeline import Pipeline


def check(pipeline: Pipeline) -> str | None:
    """Threads beside each other where order is required."""
    group = Group.of(pipeline)
    if group is None or not (group.asynchronous and pipeline.requirement.ordering):
        return None
    return (
        "application.processing=asynchronous: the order of a key holds only if one thread "
        "processes all its messages. The answer assumes that."
    )


RULE = Rule(
    code="C012",
    name="order-rests-on-the-threads",
    severity=Severity.MEDIUM,
    component=Component.APPLICATION,
    setting="processing",
    check=check,
    sources=("KafkaConsumer javadoc, Multi-threaded Processing",),
    valid=(
        {"family": "java", "need.ordering": "on"},
        {"family": "java", "application.processing": "asynchronous"},
        {"family": Family.SPARK, "need.ordering": "on"},
    ),
    invalid=(
        {
            "family": "java",
            "need.ordering": "on",
            "application.processing": "asynchronous",
            "consumer.enable.auto.commit": "false",
        },
    ),
)
