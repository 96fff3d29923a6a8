"""A producer whose retries may write twice.

What it is
    enable.idempotence=false, stated or by default (librdkafka, Java before 3.0), with retries; in
    librdkafka with acks=all also without retries.

Why it matters
    When an acknowledgement is lost or late, the client cannot know whether the batch was written.
    It sends it again, and the broker cannot recognise it as a copy. One message was written seven
    times in a test with a hung follower and request.timeout.ms=1000.

Use instead
    enable.idempotence=true. It costs next to nothing and needs acks=all.
"""

from __future__ import annotations

from advisor.catalog import Component
from advisor.reasoning.behaviour.session import Session
from advisor.reasoning.finding import Rule, Severity
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.rules.idempotence_silently_off import is_silent


def check(pipeline: Pipeline) -> str | None:
    """Reports idempotence that is visibly off in the configuration, if retries may duplicate."""
    session = Session(pipeline)
    if is_silent(pipeline):
        return None
    order = "" if session.in_flight == 1 else " and out of order"
    if session.retries_blindly:
        retries = f"retries={session.retries}"
        return f"enable.idempotence=false with {retries}: a retry may write twice{order}."
    if session.retries_uncounted:
        return (
            "enable.idempotence=false: when a leader moves, librdkafka sends again. It does not "
            f"count that as one of retries={session.retries}, and it may write twice{order}."
        )
    return None


RULE = Rule(
    code="P002",
    name="idempotence-off",
    severity=Severity.MEDIUM,
    component=Component.PRODUCER,
    setting="enable.idempotence",
    check=check,
    sources=(
        "KIP-98",
        "librdkafka INTRODUCTION.md, Idempotent Producer",
    ),
    valid=(
        {"family": "java"},
        {"family": "librdkafka", "producer.enable.idempotence": "true"},
        {"family": "librdkafka", "producer.retries": "0", "producer.acks": "1"},
        {"family": "java", "producer.acks": "1"},
    ),
    invalid=(
        {"family": "librdkafka"},
        {"family": "librdkafka", "producer.retries": "0"},
        {"family": "java", "producer.enable.idempotence": "false"},
    ),
)
