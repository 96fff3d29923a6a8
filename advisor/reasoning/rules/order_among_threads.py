"""Order that is required, and threads that process messages of one key at the same time.

What it is
    Order is required, several threads process messages (application.processing=parallel or
    asynchronous), and any of them takes the next one (application.processing.order=any).

Why it matters
    A thread that has a later message of a key may finish it before another has finished an
    earlier one. No setting of Kafka prevents that.

Use instead
    application.processing.order=by-key, with one worker for each key or partition; or process on
    the polling thread.
"""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.behaviour.group import THREADS_ORDER, Group
from advisor.reasoning.finding import Rule, Severity
from advisor.reasoning.pipeline import Pipeline


def check(pipeline: Pipeline) -> str | None:
    """Reports threads that process one key at the same time although order is required."""
    group = Group.of(pipeline)
    return group.unordered or None if group and pipeline.requirement.ordering else None


RULE = Rule(
    code="C012",
    name="order-rests-on-the-threads",
    severity=Severity.HIGH,
    component=Component.APPLICATION,
    setting=THREADS_ORDER,
    check=check,
    sources=("KafkaConsumer javadoc, Multi-threaded Processing",),
    valid=(
        {"family": "java", "need.ordering": "on"},
        {"family": "java", "application.processing": "asynchronous"},
        {
            "family": "java",
            "need.ordering": "on",
            "application.processing": "parallel",
            "application.processing.order": "by-key",
        },
        {"family": Family.SPARK, "need.ordering": "on"},
    ),
    invalid=(
        {"family": "java", "need.ordering": "on", "application.processing": "parallel"},
        {
            "family": "java",
            "need.ordering": "on",
            "application.processing": "asynchronous",
            "consumer.enable.auto.commit": "false",
        },
    ),
)
