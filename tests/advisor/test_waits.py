"""How long parts wait for each other, where settings make that longer than usual."""

from __future__ import annotations

import pytest

from advisor.reasoning.guarantees import Anomaly
from advisor.reasoning.recommend import recommend
from tests.advisor.pipelines import HARMLESS, SAFE, A, described, permits

OVERTAKES, FULL = "retention-overtakes-reader", "producer-buffer-full"
LATE_LEADER = {"broker.broker.session.timeout.ms": "3600000"}
GATHERED = {
    "consumer.fetch.min.bytes": "2",
    "consumer.fetch.max.wait.ms": "300000",
    "consumer.request.timeout.ms": "600000",
}
SLOW = {
    "family": "librdkafka",
    "consumer.fetch.min.bytes": "2",
    "consumer.fetch.wait.max.ms": "300000",
}
QUICK = {
    "consumer.session.timeout.ms": "6000",
    "consumer.max.poll.interval.ms": "10000",
    "consumer.request.timeout.ms": "16000",
}
UNNOTICED = {"consumer.request.timeout.ms": "600000"}
JOINS = {"family": "streams", "streams.max.task.idle.ms": "300000"}
IN_TRANSACTIONS = {
    "family": "librdkafka",
    "consumer.enable.auto.offset.store": "false",
    "producer.transactional.id": "t",
}

CASES = [
    # Whoever waits for a leader reads nothing; nor is anything written then, whatever the size.
    (OVERTAKES, LATE_LEADER | {"topic.retention.ms": "3605025"}, {A.EFFECT_MISSING}),
    (OVERTAKES, LATE_LEADER | {"topic.retention.ms": "3605026"}, set()),
    (OVERTAKES, LATE_LEADER | {
        "application.rate": "1", "application.message.bytes": "1", "topic.retention.bytes": "400",
    }, set()),
    # A reader that dies is replaced after its session and a rebalance.
    (OVERTAKES, QUICK | {"topic.retention.ms": "16000"}, {A.EFFECT_MISSING}),
    (OVERTAKES, QUICK | {"topic.retention.ms": "16001"}, set()),
    (OVERTAKES, QUICK | {"topic.retention.ms": "30000", "consumer.request.timeout.ms": "30000"},
     {A.EFFECT_MISSING}),
    # What waits for more is unread when its reader dies: 345 s later another one reads.
    (OVERTAKES, GATHERED | {"topic.retention.ms": "645000"}, {A.EFFECT_MISSING}),
    (OVERTAKES, GATHERED | {"topic.retention.ms": "645001"}, set()),
    (OVERTAKES, GATHERED | {
        "topic.retention.ms": "345001", "consumer.fetch.min.bytes": "1",
        "consumer.request.timeout.ms": "300001",
    }, set()),
    (OVERTAKES, SLOW | {"topic.retention.ms": "645000"}, {A.EFFECT_MISSING}),
    (OVERTAKES, SLOW | {"topic.retention.ms": "645001"}, set()),
    (OVERTAKES, JOINS | {"topic.retention.ms": "645000"}, {A.EFFECT_MISSING}),
    (OVERTAKES, JOINS | {"topic.retention.ms": "645001"}, set()),
    (OVERTAKES, JOINS | {"topic.retention.ms": "345001", "streams.max.task.idle.ms": "-1"}, set()),
    # A leader that hangs is noticed by its reader after that; others write to the new one.
    (OVERTAKES, UNNOTICED | {"topic.retention.ms": "600000"}, {A.EFFECT_MISSING}),
    (OVERTAKES, UNNOTICED | {"topic.retention.ms": "600001"}, set()),
    (OVERTAKES, UNNOTICED | {
        "application.rate": "1", "application.message.bytes": "1", "topic.retention.bytes": "600",
    }, {A.EFFECT_MISSING}),
    # A group whose task waits keeps its position meanwhile.
    ("group-offsets-expired", {
        "family": "streams", "streams.max.task.idle.ms": "604800000", "topic.retention.ms": "-1",
        "consumer.auto.offset.reset": "latest",
    }, set()),
    # 100 ms until the next try of a request that a leader that hangs never answers, and 10 ms.
    (FULL, {"producer.request.timeout.ms": "59890"}, set()),
    (FULL, {"producer.request.timeout.ms": "59891"}, {A.GIVEN_UP}),
    (FULL, {"producer.request.timeout.ms": "59891", "application.resend": "on-error"}, set()),
]  # fmt: skip


@pytest.mark.parametrize(("event", "fields", "expected"), CASES)
def test_a_wait_permits_exactly_this(event: str, fields: dict[str, str], expected: set[Anomaly]):
    assert permits(described(SAFE | fields), event) - HARMLESS == expected


@pytest.mark.parametrize(("fields", "expected"), [
    (LATE_LEADER | {"family": "spark", "consumer.startingOffsets": "earliest",
                    "topic.retention.ms": "600000"},
     {"retention.ms": 7_210_050}),
    ({"producer.request.timeout.ms": "70000"}, {"max.block.ms": 70_110}),
    # No delivery timeout leaves time for a second try.
    ({"producer.request.timeout.ms": "86400000"}, {"request.timeout.ms": 30_000}),
    ({"producer.request.timeout.ms": "86400000", "producer.linger.ms": "86400000"},
     {"request.timeout.ms": 30_000, "linger.ms": 5}),
    # No transaction may be open for as long.
    (LATE_LEADER | IN_TRANSACTIONS, {"broker.session.timeout.ms": 9_000}),
    (IN_TRANSACTIONS | {"broker.replica.lag.time.max.ms": "3600000"},
     {"replica.lag.time.max.ms": 30_000}),
    (IN_TRANSACTIONS | {"broker.broker.session.timeout.ms": "400000"},
     {"transaction.timeout.ms": 405_025}),
])  # fmt: skip
def test_a_wait_is_made_shorter_or_outlasted(fields: dict[str, str], expected: dict[str, object]):
    given = {**SAFE, **fields}
    if fields.get("family") == "spark":
        given = {name: value for name, value in given.items() if "auto.offset" not in name}
    made = recommend(described(given)).changes
    assert {change.setting: change.after for change in made} == expected
