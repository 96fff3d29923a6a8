"""Sends whose result is not checked.

What it is
    application.delivery.errors=ignored: no callback, no future, or a callback that drops the
    error or only logs it.

Why it matters
    send() does not throw for a timeout, a message that is too large or a full buffer: only the
    callback reports it. In a test, flush() returned 0 for a message that had timed out.

Use instead
    A callback on every send that keeps what failed, so that it is sent again, or that ends the
    program; and flush() or close() before the end.
"""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.behaviour.session import Session
from advisor.reasoning.finding import Rule, Severity
from advisor.reasoning.pipeline import Pipeline


def check(pipeline: Pipeline) -> str | None:
    """Reports delivery errors that the application does not check."""
    # For Kafka Streams, whose handler may drop results, there is rule S002.
    session = Session(pipeline)
    is_checked = session.errors_handled or session.aborts_with_input
    if is_checked or pipeline.family is Family.STREAMS:
        return None
    return "application.delivery.errors=ignored: a send that failed looks like one that succeeded."


RULE = Rule(
    code="A001",
    name="delivery-errors-ignored",
    severity=Severity.HIGH,
    component=Component.APPLICATION,
    setting="delivery.errors",
    check=check,
    sources=(
        "KafkaProducer javadoc, send()",
        "librdkafka INTRODUCTION.md, Message reliability",
    ),
    valid=(
        {"family": "java"},
        {"family": "spark"},
    ),
    invalid=({"family": "java", "application.delivery.errors": "ignored"},),
)
