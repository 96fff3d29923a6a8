"""The time that retries last, by the backoff between them."""

from __future__ import annotations

import pytest

from advisor.reasoning.behaviour.session import Session
from advisor.reasoning.guarantees import Anomaly
from advisor.reasoning.recommend import recommend
from tests.advisor.pipelines import SAFE, assessed, described, permits

BACKOFF, LONGEST = "producer.retry.backoff.ms", "producer.retry.backoff.max.ms"


@pytest.mark.parametrize(("fields", "lasts_ms"), [
    # 100 + 200 + 400 + 800 + 6 × 1000, less 20 %.
    ({"producer.retries": "10"}, 6_000),
    ({"producer.retries": "10", "family": "librdkafka"}, 6_000),
    ({"producer.retries": "10", "family": "spark"}, 6_000),
    ({"producer.retries": "10", "version": "3.6"}, 1_000),
    ({"producer.retries": "10", "version": "3.6", BACKOFF: "5000"}, 50_000),
    ({"producer.retries": "10", BACKOFF: "5000"}, 8_000),
    ({"producer.retries": "10", BACKOFF: "5000", LONGEST: "5000"}, 40_000),
    ({"producer.retries": "3", BACKOFF: "0"}, 5),
    ({"producer.retries": "3", BACKOFF: "0", LONGEST: "0"}, 2),
])  # fmt: skip
def test_retries_last_as_long_as_their_backoffs(fields: dict[str, str], lasts_ms: int) -> None:
    assert Session(described(fields)).retries_last_ms == lasts_ms


@pytest.mark.parametrize("backoff", ["0", "1", "100"])
def test_unlimited_retries_are_never_used_up(backoff: str) -> None:
    pipeline = described(SAFE | {BACKOFF: backoff, "producer.delivery.timeout.ms": "120000"})
    assert Anomaly.GIVEN_UP not in permits(pipeline, "leader-killed")


def test_the_backoff_decides_whether_few_retries_outlast_a_leader_election() -> None:
    few = SAFE | {"producer.retries": "15"}
    patient = described(few | {BACKOFF: "5000", LONGEST: "5000"})
    assert Anomaly.GIVEN_UP not in permits(patient, "leader-killed")
    killed = assessed(described(few | {LONGEST: "200"}), "leader-killed")
    assert "retry.backoff.max.ms=200" in killed.permits[Anomaly.GIVEN_UP]


@pytest.mark.parametrize(("fields", "is_too_late"), [
    ({"version": "3.6", BACKOFF: "120000"}, True),
    # 30 s request timeout, the backoff, and 10 ms for a response.
    ({"version": "3.6", BACKOFF: "89991"}, True), ({"version": "3.6", BACKOFF: "89990"}, False),
    ({BACKOFF: "120000"}, False), ({BACKOFF: "120000", LONGEST: "120000"}, True),
])  # fmt: skip
def test_a_retry_after_the_delivery_timeout_does_not_count(
    fields: dict[str, str], is_too_late: bool
) -> None:
    pipeline = described(SAFE | {"producer.max.block.ms": "150000"} | fields)
    assert (Anomaly.GIVEN_UP in permits(pipeline, "acknowledgement-lost")) is is_too_late
    recommended = {change.setting: change.after for change in recommend(pipeline).changes}
    assert recommended == ({"retry.backoff.ms": 100} if is_too_late else {})


def test_only_librdkafka_gives_up_its_partitions_without_a_coordinator() -> None:
    def blocked(fields: dict[str, str]) -> str:
        return assessed(described(fields), "group-coordinator-away").permits[Anomaly.BLOCKED]

    assert "session.timeout.ms" in blocked({"family": "librdkafka"})
    assert "session.timeout.ms" not in blocked({})
    assert "continues to fetch" in blocked({"family": "streams"})


WITHOUT_RETRIES = {
    "family": "librdkafka",
    "producer.retries": "0",
    "producer.enable.idempotence": "false",
}


@pytest.mark.parametrize("event", ["leader-cut-off", "rolling-restart", "leader-killed"])
def test_librdkafka_sends_again_after_a_leader_change_even_without_retries(event: str) -> None:
    """Seen on brokers: 5 to 27 duplicates with retries=0 (exploration, seed 2427)."""
    waits = SAFE | WITHOUT_RETRIES | {"producer.acks": "all"}
    assert permits(described(waits), event) >= {Anomaly.DUPLICATE, Anomaly.REORDERED}
    assert Anomaly.DUPLICATE not in permits(described(waits), "acknowledgement-lost")
    for other in (
        {"producer.acks": "1"},
        {"family": "java"},
        {"producer.enable.idempotence": "true", "producer.retries": "2147483647"},
    ):
        assert Anomaly.DUPLICATE not in permits(described(waits | other), event), other


SHORT = SAFE | {"family": "librdkafka", "producer.delivery.timeout.ms": "3000",
                "producer.enable.idempotence": "true"}  # fmt: skip


@pytest.mark.parametrize(
    "event", ["leader-killed", "acknowledgement-lost", "delivery-timeout", "followers-slow"]
)
def test_a_new_producer_id_permits_duplicates_of_unanswered_records(event: str) -> None:
    """Seen in a run (calibrate --explore --seed 20261214, the producer that fills the topic)."""
    assert Anomaly.DUPLICATE in permits(described(SHORT), event)
    patient = SHORT | {"producer.delivery.timeout.ms": "300000"}
    assert Anomaly.DUPLICATE not in permits(described(patient), event)


@pytest.mark.parametrize("other", [
    {"family": "java", "producer.request.timeout.ms": "1500", "producer.linger.ms": "0"},
    {"producer.transactional.id": "orders", "producer.delivery.timeout.ms": "3000"},
])  # fmt: skip
def test_java_and_transactional_producers_keep_their_producer_id(other: dict[str, str]) -> None:
    permitted = permits(described(SHORT | other), "leader-killed")
    assert Anomaly.DUPLICATE not in permitted


def test_at_most_once_with_librdkafka_needs_a_long_delivery_timeout() -> None:
    pipeline = described(
        SHORT | {"need.guarantee": "at-most-once", "application.commit": "before-processing"}
    )
    changes = recommend(pipeline).changes
    (timeout_change,) = (change for change in changes if change.setting == "delivery.timeout.ms")
    assert "leader-killed" in timeout_change.closes
