"""The cases in which a Kafka Streams application runs."""

from __future__ import annotations

from advisor.reasoning.guarantees import Anomaly
from labs.calibration.cases.case import Case, Settings

AT_LEAST_ONCE: Settings = {"streams__processing_guarantee": "at_least_once"}
EXACTLY_ONCE: Settings = {
    "streams__processing_guarantee": "exactly_once_v2",
    "application__readers": "read_committed",
}
THREE_COPIES: Settings = {
    "streams__replication_factor": 3,
    "streams__topic_min_insync_replicas": 2,
}

STREAMS_CASES = [
    Case(
        "streams-again", "streams-instance-killed", "exactly-once", Anomaly.EFFECT_DUPLICATED,
        AT_LEAST_ONCE,
        EXACTLY_ONCE,
        tested=True,
    ),
    Case(
        "streams-uncommitted", "streams-instance-killed", "exactly-once",
        Anomaly.EFFECT_DUPLICATED,
        EXACTLY_ONCE | {"application__readers": "read_uncommitted"},
        EXACTLY_ONCE,
    ),
    Case(
        "streams-elsewhere", "streams-instance-killed", "exactly-once", Anomaly.EFFECT_DUPLICATED,
        EXACTLY_ONCE | {"application__sink": "plain"},
        EXACTLY_ONCE | {"application__sink": "idempotent"},
    ),
    Case(
        "streams-no-changelog", "streams-state-lost", "at-least-once", Anomaly.EFFECT_MISSING,
        AT_LEAST_ONCE | {"application__state": "unlogged"},
        AT_LEAST_ONCE,
    ),
    Case(
        "streams-one-changelog", "streams-internal-topics-lost", "at-least-once",
        Anomaly.EFFECT_MISSING,
        AT_LEAST_ONCE | {"streams__replication_factor": 1},
        AT_LEAST_ONCE | THREE_COPIES,
    ),
]  # fmt: skip
