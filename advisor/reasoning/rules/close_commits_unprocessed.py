"""A consumer that is closed after an error, and commits the failed message.

What it is
    application.processing.errors=close, and the client commits the offsets of what it has
    delivered.

Why it matters
    close() commits the position, which is past every message of the batch. In a run 10 were
    polled, the first failed, and close() committed 10.

Use instead
    enable.auto.commit=false, or no close() after an error, so that the group returns to its last
    commit.
"""

from __future__ import annotations

from advisor.catalog import Component
from advisor.reasoning.behaviour.group import Group
from advisor.reasoning.finding import Rule, Severity
from advisor.reasoning.pipeline import Pipeline


def check(pipeline: Pipeline) -> str | None:
    """Reports a close() after an error that commits the position."""
    group = Group.of(pipeline)
    if group is None or group.on_error != "close" or not group.commits_position:
        return None
    return (
        "enable.auto.commit=true with application.processing.errors=close: close() commits the "
        "message that failed and those after it."
    )


RULE = Rule(
    code="C007",
    name="close-commits-what-failed",
    severity=Severity.HIGH,
    component=Component.CONSUMER,
    setting="enable.auto.commit",
    check=check,
    sources=("KafkaConsumer javadoc, Automatic Offset Committing",),
    valid=(
        {"family": "java"},
        {
            "family": "librdkafka",
            "application.processing.errors": "close",
            "consumer.enable.auto.offset.store": "false",
        },
    ),
    invalid=({"family": "java", "application.processing.errors": "close"},),
)
