"""Waits of clients and brokers that settings make longer than usual."""

from __future__ import annotations

import pytest

from advisor.reasoning.guarantees import Anomaly
from advisor.reasoning.recommend import recommend
from tests.advisor.pipelines import HARMLESS, SAFE, A, described, permits

OVERTAKES, BUFFER_FULL = "retention-overtakes-reader", "producer-buffer-full"
LATE_LEADER = {"broker.broker.session.timeout.ms": "3600000"}
LARGE_FETCHES = {
    "consumer.fetch.min.bytes": "2",
    "consumer.fetch.max.wait.ms": "300000",
    "consumer.request.timeout.ms": "600000",
}
LIBRDKAFKA_LARGE_FETCHES = {
    "family": "librdkafka",
    "consumer.fetch.min.bytes": "2",
    "consumer.fetch.wait.max.ms": "300000",
}
SHORT_TIMEOUTS = {
    "consumer.session.timeout.ms": "6000",
    "consumer.max.poll.interval.ms": "10000",
    "consumer.request.timeout.ms": "16000",
}
LONG_REQUEST_TIMEOUT = {"consumer.request.timeout.ms": "600000"}
IDLE_TASKS = {"family": "streams", "streams.max.task.idle.ms": "300000"}
IN_TRANSACTIONS = {
    "family": "librdkafka",
    "consumer.enable.auto.offset.store": "false",
    "producer.transactional.id": "t",
}

CASES = [
    # Without a leader nothing is read and nothing is written, so size retention is no risk.
    (OVERTAKES, LATE_LEADER | {"topic.retention.ms": "3605025"}, {A.EFFECT_MISSING}),
    (OVERTAKES, LATE_LEADER | {"topic.retention.ms": "3605026"}, set()),
    (OVERTAKES, LATE_LEADER | {
        "application.rate": "1", "application.message.bytes": "1", "topic.retention.bytes": "400",
    }, set()),
    # A dead reader is replaced after its session timeout and a rebalance.
    (OVERTAKES, SHORT_TIMEOUTS | {"topic.retention.ms": "16000"}, {A.EFFECT_MISSING}),
    (OVERTAKES, SHORT_TIMEOUTS | {"topic.retention.ms": "16001"}, set()),
    (OVERTAKES, SHORT_TIMEOUTS | {"topic.retention.ms": "30000",
                                  "consumer.request.timeout.ms": "30000"},
     {A.EFFECT_MISSING}),
    # Records that wait for a larger fetch are unread when their reader dies: 345 s more.
    (OVERTAKES, LARGE_FETCHES | {"topic.retention.ms": "645000"}, {A.EFFECT_MISSING}),
    (OVERTAKES, LARGE_FETCHES | {"topic.retention.ms": "645001"}, set()),
    (OVERTAKES, LARGE_FETCHES | {
        "topic.retention.ms": "345001", "consumer.fetch.min.bytes": "1",
        "consumer.request.timeout.ms": "300001",
    }, set()),
    (OVERTAKES, LIBRDKAFKA_LARGE_FETCHES | {"topic.retention.ms": "645000"}, {A.EFFECT_MISSING}),
    (OVERTAKES, LIBRDKAFKA_LARGE_FETCHES | {"topic.retention.ms": "645001"}, set()),
    (OVERTAKES, IDLE_TASKS | {"topic.retention.ms": "645000"}, {A.EFFECT_MISSING}),
    (OVERTAKES, IDLE_TASKS | {"topic.retention.ms": "645001"}, set()),
    (OVERTAKES, IDLE_TASKS | {"topic.retention.ms": "345001", "streams.max.task.idle.ms": "-1"},
     set()),
    # A reader notices a hung leader only after this timeout; others write to the new leader.
    (OVERTAKES, LONG_REQUEST_TIMEOUT | {"topic.retention.ms": "600000"}, {A.EFFECT_MISSING}),
    (OVERTAKES, LONG_REQUEST_TIMEOUT | {"topic.retention.ms": "600001"}, set()),
    (OVERTAKES, LONG_REQUEST_TIMEOUT | {
        "application.rate": "1", "application.message.bytes": "1", "topic.retention.bytes": "600",
    }, {A.EFFECT_MISSING}),
    # The offsets of a group with a waiting task do not expire.
    ("group-offsets-expired", {
        "family": "streams", "streams.max.task.idle.ms": "604800000", "topic.retention.ms": "-1",
        "consumer.auto.offset.reset": "latest",
    }, set()),
    # A hung leader never responds: 100 ms until the next retry, and 10 ms for the response.
    (BUFFER_FULL, {"producer.request.timeout.ms": "59890"}, set()),
    (BUFFER_FULL, {"producer.request.timeout.ms": "59891"}, {A.GIVEN_UP}),
    (BUFFER_FULL, {"producer.request.timeout.ms": "59891", "application.resend": "on-error"},
     set()),
]  # fmt: skip


@pytest.mark.parametrize(("event", "fields", "expected"), CASES)
def test_a_wait_permits_these_anomalies(event: str, fields: dict[str, str], expected: set[Anomaly]):
    assert permits(described(SAFE | fields), event) - HARMLESS == expected


@pytest.mark.parametrize(("fields", "expected"), [
    (LATE_LEADER | {"family": "spark", "consumer.startingOffsets": "earliest",
                    "topic.retention.ms": "600000"},
     {"retention.ms": 7_210_050}),
    ({"producer.request.timeout.ms": "70000"}, {"max.block.ms": 70_110}),
    # No delivery timeout leaves time for a retry.
    ({"producer.request.timeout.ms": "86400000"}, {"request.timeout.ms": 30_000}),
    ({"producer.request.timeout.ms": "86400000", "producer.linger.ms": "86400000"},
     {"request.timeout.ms": 30_000, "linger.ms": 5}),
    # No transaction may be open for so long.
    (LATE_LEADER | IN_TRANSACTIONS, {"broker.session.timeout.ms": 9_000}),
    (IN_TRANSACTIONS | {"broker.replica.lag.time.max.ms": "3600000"},
     {"replica.lag.time.max.ms": 30_000}),
    (IN_TRANSACTIONS | {"broker.broker.session.timeout.ms": "400000"},
     {"transaction.timeout.ms": 405_025}),
])  # fmt: skip
def test_a_change_shortens_or_outlasts_a_wait(fields: dict[str, str], expected: dict[str, object]):
    settings = {**SAFE, **fields}
    if fields.get("family") == "spark":
        settings = {name: value for name, value in settings.items() if "auto.offset" not in name}
    changes = recommend(described(settings)).changes
    assert {change.setting: change.after for change in changes} == expected
