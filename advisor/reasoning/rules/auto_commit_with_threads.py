"""Automatic commits while threads are still working.

What it is
    application.processing=asynchronous, and the client commits the offsets of what it has
    delivered.

Why it matters
    The client cannot know what the threads have finished. When the process dies, the group
    continues after messages that no thread finished.

Use instead
    enable.auto.commit=false, and a commit of what is processed, in the order of the offsets.
"""

from __future__ import annotations

from advisor.catalog import Component
from advisor.reasoning.behaviour.group import Group
from advisor.reasoning.finding import Rule, Severity
from advisor.reasoning.pipeline import Pipeline


def check(pipeline: Pipeline) -> str | None:
    """Reports automatic commits, which do not wait for threads."""
    group = Group.of(pipeline)
    if group is None or not (group.asynchronous and group.commits_position):
        return None
    return (
        "enable.auto.commit=true with application.processing=asynchronous: messages are committed "
        "before the threads have processed them."
    )


RULE = Rule(
    code="C006",
    name="automatic-commit-beside-threads",
    severity=Severity.HIGH,
    component=Component.CONSUMER,
    setting="enable.auto.commit",
    check=check,
    sources=("KafkaConsumer javadoc, Detecting Consumer Failures",),
    valid=(
        {"family": "java"},
        {
            "family": "java",
            "application.processing": "asynchronous",
            "consumer.enable.auto.commit": "false",
        },
    ),
    invalid=({"family": "java", "application.processing": "asynchronous"},),
)
