"""The anomalies that messages, batches and requests above a limit permit."""

from __future__ import annotations

import pytest

from advisor.reasoning.guarantees import Anomaly
from tests.advisor.pipelines import (
    ACKS_0,
    HARMLESS,
    LRK,
    SAFE,
    SPARK,
    A,
    assessed,
    described,
    permits,
)

LIMIT_10K = {"topic.max.message.bytes": "10000"}
LARGEST, AVERAGE = "application.largest.message.bytes", "application.message.bytes"
ROOM = "producer.queue.buffering.max.kbytes"
IDEMPOTENT_LRK = SAFE | LRK | {"producer.enable.idempotence": "true"}
CASES = [
    # librdkafka loses a batch that the topic refuses (issues 488, 1716); Java splits it (KIP-126).
    ("record-too-large", SAFE | {"topic.max.message.bytes": "20000"}, set()),
    ("record-too-large", ACKS_0 | LIMIT_10K | {LARGEST: "2000000"}, {A.LOST_WRITE, A.GIVEN_UP}),
    # Java before 4.2 does not split below batch.size, so the batch is refused again (KAFKA-8350).
    ("record-too-large", SAFE | LIMIT_10K, set()),
    ("record-too-large", SAFE | LIMIT_10K | {"version": "4.2"}, set()),
    ("record-too-large", SAFE | LIMIT_10K | {"version": "4.1"}, {A.GIVEN_UP}),
    ("record-too-large", SAFE | LIMIT_10K | {"version": "4.1", "producer.batch.size": "10000"},
     set()),
    ("record-too-large", SAFE | LIMIT_10K | {"version": "4.1", "application.resend": "on-error"},
     set()),
    ("record-too-large", SPARK | LIMIT_10K, set()),
    ("record-too-large", {"family": "streams", "version": "4.1"} | LIMIT_10K, set()),
    ("record-too-large", LRK | {"topic.max.message.bytes": "1000000"}, set()),
    ("record-too-large", LRK | {"topic.max.message.bytes": "999999"}, {A.GIVEN_UP}),
    ("record-too-large", LRK | {"topic.max.message.bytes": "999999", "producer.acks": "0"},
     {A.LOST_WRITE}),
    ("record-too-large", LRK | {"topic.max.message.bytes": "20000",
                                    "producer.batch.size": "20000"}, set()),
    ("record-too-large", LRK | {"topic.max.message.bytes": "20000",
                                    "producer.message.max.bytes": "20000"}, set()),
    ("record-too-large", LRK | {"topic.max.message.bytes": "20000",
                                    "producer.batch.num.messages": "1"}, set()),
    ("record-too-large", LRK | {"topic.max.message.bytes": "20000",
                                    "application.resend": "on-error"}, set()),
    ("leader-killed", IDEMPOTENT_LRK | {"topic.max.message.bytes": "20000"},
     {A.GIVEN_UP, A.DUPLICATE}),
    # One record with up to 82 bytes of batch overhead, against each size limit.
    ("record-too-large", SAFE | {LARGEST: "1048494"}, set()),
    ("record-too-large", SAFE | {LARGEST: "1048495"}, {A.GIVEN_UP}),
    ("record-too-large", SAFE | {LARGEST: "1048495", "producer.max.request.size": "1048577"},
     set()),
    ("record-too-large", SAFE | {LARGEST: "1048507", "producer.max.request.size": "2000000"},
     {A.GIVEN_UP}),
    ("record-too-large", SAFE | {LARGEST: "1048507", "producer.max.request.size": "2000000",
                                 "producer.acks": "0", "producer.enable.idempotence": "false"},
     {A.LOST_WRITE}),
    ("record-too-large", LRK | {LARGEST: "999919"}, {A.GIVEN_UP}),
    # The average size includes the overhead, and the largest message is no smaller.
    ("record-too-large", SAFE | {AVERAGE: "1048576"}, set()),
    ("record-too-large", SAFE | {AVERAGE: "1048577"}, {A.GIVEN_UP}),
    ("record-too-large", LIMIT_10K | SAFE | {AVERAGE: "10000"}, set()),
    ("record-too-large", LIMIT_10K | SAFE | {AVERAGE: "10001", LARGEST: "100"}, {A.GIVEN_UP}),
    ("record-too-large", LIMIT_10K | SAFE | {AVERAGE: "100", LARGEST: "9919"}, {A.GIVEN_UP}),
    ("record-too-large", LRK | {LARGEST: "10158", ROOM: "10"}, set()),
    ("record-too-large", LRK | {LARGEST: "10159", ROOM: "10"}, {A.GIVEN_UP}),
]  # fmt: skip


@pytest.mark.parametrize(("event", "fields", "expected"), CASES)
def test_a_size_above_a_limit_permits_these_anomalies(
    event: str, fields: dict[str, str], expected: set[Anomaly]
):
    assert permits(described(fields), event) - HARMLESS == expected


def test_a_refused_message_that_is_sent_again_names_every_limit():
    fields = SAFE | {LARGEST: "1048507", "application.resend": "on-error"}
    permitted = assessed(described(fields), "record-too-large").permits
    limits = "max.request.size=1048576 and max.message.bytes=1048588"
    assert any(limits in permitted[anomaly] for anomaly in HARMLESS & permitted.keys())
