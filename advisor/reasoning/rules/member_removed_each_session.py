"""A member that leaves its group after each session timeout.

What it is
    heartbeat.interval.ms of librdkafka is as long as session.timeout.ms or longer, in a group whose
    members assign the partitions (group.protocol=classic). The Java client refuses to start with
    such a value; librdkafka starts.

Why it matters
    The coordinator gets no heartbeat for the whole session and removes the member from the group.
    The client notices this, gives up its partitions, and joins again. So the group stops and starts
    again with each session, and what was not committed by then is processed again.

Use instead
    At most a third of session.timeout.ms; the default is 3,000 ms.
"""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.behaviour.group import assigned_by_brokers
from advisor.reasoning.finding import Alike, Rule, Severity
from advisor.reasoning.pipeline import Pipeline

_BEAT, _SESSION = "heartbeat.interval.ms", "session.timeout.ms"


def check(pipeline: Pipeline) -> str | None:
    """Reports a heartbeat interval that is not below the session timeout."""
    if pipeline.family is not Family.LIBRDKAFKA or assigned_by_brokers(pipeline):
        return None
    beat_ms, session_ms = (pipeline.number(Component.CONSUMER, item) for item in (_BEAT, _SESSION))
    if beat_ms < session_ms:
        return None
    return (
        f"{_BEAT}={beat_ms} with {_SESSION}={session_ms}: the member is removed from its group "
        "after each session, joins again, and processes again what was not committed."
    )


RULE = Rule(
    code="C011",
    name="member-out-after-each-session",
    severity=Severity.HIGH,
    component=Component.CONSUMER,
    setting=_BEAT,
    check=check,
    sources=(
        "rdkafka_cgrp.c, rd_kafka_cgrp_session_timeout_check",
        "librdkafka CONFIGURATION.md, heartbeat.interval.ms",
    ),
    valid=(
        {"family": "librdkafka"},
        {"family": "librdkafka", "consumer.heartbeat.interval.ms": "15000"},
        {"family": "java"},
    ),
    invalid=(
        {"family": "librdkafka", "consumer.heartbeat.interval.ms": "45000"},
        {"family": "librdkafka", "consumer.session.timeout.ms": "6000",
         "consumer.heartbeat.interval.ms": "10000"},
    ),
    shown_by=(
        Alike("rebalance-during-processing", "of a member that is removed for another reason"),
    ),
)  # fmt: skip
