"""librdkafka commits what the application has not processed.

What it is
    enable.auto.commit=true with enable.auto.offset.store=true, the defaults of librdkafka.

Why it matters
    The offset is stored when the message is delivered, and a background thread commits it. A
    crash during processing skips the message; a crash before the next commit repeats others. In a
    test, a consumer was killed after 9 s of work on the one message that it had polled, and the
    message was committed.

Use instead
    enable.auto.offset.store=false and store_offsets() after processing; or
    enable.auto.commit=false and a commit after processing.
"""

from __future__ import annotations

from advisor.catalog import Component
from advisor.reasoning.behaviour.group import Group
from advisor.reasoning.finding import Rule, Severity
from advisor.reasoning.pipeline import Pipeline


def check(pipeline: Pipeline) -> str | None:
    """Reports commits of offsets that are stored before processing."""
    group = Group.of(pipeline)
    if group is None or not group.commits_in_background:
        return None
    return (
        "enable.auto.offset.store=true with enable.auto.commit=true: offsets are "
        f"committed {group.commit_pace}, whether their messages were processed or not; after a "
        "crash, this group never gets those that were not."
    )


RULE = Rule(
    code="C002",
    name="offset-stored-before-processing",
    severity=Severity.HIGH,
    component=Component.CONSUMER,
    setting="enable.auto.offset.store",
    check=check,
    sources=("librdkafka INTRODUCTION.md, At-least-once processing",),
    valid=(
        {"family": "java"},
        {"family": "librdkafka", "consumer.enable.auto.offset.store": "false"},
        {"family": "librdkafka", "consumer.enable.auto.commit": "false"},
    ),
    invalid=({"family": "librdkafka"},),
)
