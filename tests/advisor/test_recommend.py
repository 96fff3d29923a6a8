"""The smallest sufficient changes, for single cases."""

from __future__ import annotations

import pytest

from advisor.catalog import Component, Family
from advisor.reasoning.guarantees import Anomaly, Guarantee, Requirement
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.recommend import Recommendation, recommend
from tests.advisor.pipelines import SAFE, broken, described, permits

LRK_STORES = {"family": "librdkafka", "consumer.enable.auto.offset.store": "false"}


def changes(recommendation: Recommendation) -> dict[str, object]:
    return {
        f"{change.component}.{change.setting}": change.after for change in recommendation.changes
    }


CASES = [
    (SAFE, {}),
    (SAFE | {"producer.acks": "1", "producer.enable.idempotence": "false"},
     {"producer.acks": "all"}),
    ({}, {"topic.replication.factor": 3, "topic.min.insync.replicas": 2,
          "consumer.auto.offset.reset": "earliest"}),
    ({"family": "librdkafka", **SAFE}, {"consumer.enable.auto.offset.store": False}),
    ({"need.survive": "2", "brokers": "5", **SAFE},
     {"topic.replication.factor": 4, "topic.min.insync.replicas": 3}),
    ({**SAFE, "need.guarantee": "exactly-once"}, {"application.sink": "idempotent"}),
    ({**SAFE, "need.guarantee": "exactly-once", "broker.producer.id.expiration.ms": "60000"},
     {"broker.producer.id.expiration.ms": 86_400_000, "application.sink": "idempotent"}),
    ({**SAFE, "need.guarantee": "exactly-once", "kafka": "3.3",
      "broker.transactional.id.expiration.ms": "60000"},
     {"broker.transactional.id.expiration.ms": 86_400_000, "application.sink": "idempotent"}),
    ({**SAFE, "need.guarantee": "exactly-once", "application.sink": "idempotent",
      "broker.producer.id.expiration.ms": "60000"}, {}),
    ({**SAFE, "need.guarantee": "at-most-once", "application.commit": "before-processing",
      "consumer.auto.offset.reset": "latest", "consumer.enable.auto.commit": "false",
      "broker.producer.id.expiration.ms": "60000"},
     {"broker.producer.id.expiration.ms": 86_400_000}),
    ({**SAFE, "need.guarantee": "at-most-once", "application.commit": "before-processing",
      "consumer.auto.offset.reset": "latest", "consumer.enable.auto.commit": "false",
      "producer.delivery.timeout.ms": "90000000"},
     {"producer.delivery.timeout.ms": 86_400_000}),
    ({**SAFE, "need.guarantee": "at-most-once", "consumer.auto.offset.reset": "latest"},
     {"application.commit": "before-processing"}),
    ({**SAFE, "need.guarantee": "at-most-once", "application.commit": "after-processing",
      "consumer.enable.auto.commit": "false", "consumer.auto.offset.reset": "latest"},
     {"application.commit": "before-processing"}),
    ({**SAFE, "need.guarantee": "at-most-once", "application.framework": "spring",
      "consumer.auto.offset.reset": "latest"},
     {"application.sink": "idempotent"}),
    ({**SAFE, "need.ordering": "on", "producer.enable.idempotence": "false"},
     {"producer.enable.idempotence": True}),
    ({**SAFE, "producer.delivery.timeout.ms": "40000"},
     {"producer.delivery.timeout.ms": 120_000}),
    ({**SAFE, "need.guarantee": "exactly-once", "producer.transactional.id": "t",
      "application.commit": "in-transaction", "consumer.auto.offset.reset": "none",
      "consumer.isolation.level": "read_committed"},
     {"consumer.enable.auto.commit": False}),
    (SAFE | {"application.processing.errors": "skip"}, {"application.processing.errors": "retry"}),
    (SAFE | {"application.processing.errors": "close"},
     {"consumer.enable.auto.commit": False}),
    (SAFE | {"application.processing": "asynchronous", "application.commit": "auto"},
     {"application.processing": "synchronous"}),
    (SAFE | {"application.processing": "asynchronous", "application.commit": "after-processing",
             "consumer.enable.auto.commit": "false"},
     {"application.commit.order": "in-order"}),
    (SAFE | {"need.ordering": "on", "application.processing": "parallel"},
     {"application.processing.order": "by-key"}),
    (SAFE | {"application.producer.byte.rate": "100000"},
     {"producer.delivery.timeout.ms": 335_544}),
    (SAFE | {"application.topic.recreated": "while-running"},
     {"application.topic.recreated": "clients-stopped"}),
    (SAFE | {"application.clock.skew.ms": "7200000"},
     {"topic.message.timestamp.after.max.ms": 14_400_000}),
    (SAFE | {"application.clock.skew.ms": "5000", "topic.retention.ms": "350000"},
     {"topic.retention.ms": 700_000}),
    (SAFE | {"application.restart": "forgets"}, {"application.restart": "resumes"}),
    (SAFE | {"application.outage.ms": "604800000"},
     {"topic.retention.ms": 1_209_600_000}),
    (SAFE | {"application.outage.ms": "1000", "topic.retention.bytes": "5"},
     {"topic.retention.bytes": -1}),
    (SAFE | {"application.outage.ms": "1000", "topic.retention.bytes": "5",
             "application.rate": "10", "application.message.bytes": "100"},
     {"topic.retention.bytes": 690_001}),
    # Twice the session timeout (45 s) and a rebalance (300 s) of a dead reader.
    (SAFE | {"topic.retention.ms": "60000"}, {"topic.retention.ms": 690_000}),
    (SAFE | {"topic.retention.ms": "1"}, {"topic.retention.ms": 690_000}),
    (SAFE | {"topic.retention.ms": "345001"}, {}),
    (SAFE | {"topic.retention.bytes": "1000"}, {"topic.retention.bytes": 67_108_863}),
    (SAFE | {"topic.retention.bytes": "33554432"}, {}),
    (SAFE | {"application.timestamps": "from-source"},
     {"topic.message.timestamp.type": "LogAppendTime"}),
    (SAFE | {"application.racks": "3"}, {}),
    # A change does not raise finding T003 if there is a broker for one more copy.
    (SAFE | {"topic.replication.factor": "2", "topic.min.insync.replicas": "1"},
     {"topic.replication.factor": 3, "topic.min.insync.replicas": 2}),
    (SAFE | {"topic.replication.factor": "2", "topic.min.insync.replicas": "1", "brokers": "2",
             "broker.offsets.topic.replication.factor": "2"},
     {"topic.min.insync.replicas": 2}),
    # The batches of librdkafka are made smaller, or the limit of the topic larger.
    (SAFE | LRK_STORES | {"topic.max.message.bytes": "20000"}, {"producer.batch.size": 20_000}),
    (SAFE | LRK_STORES | {"application.largest.message.bytes": "3000000"},
     {"producer.message.max.bytes": 3_000_082, "topic.max.message.bytes": 3_000_082}),
    (SAFE | {"application.largest.message.bytes": "3000000"},
     {"producer.max.request.size": 3_000_082, "topic.max.message.bytes": 3_000_082}),
    (SAFE | {"application.largest.message.bytes": "50000000",
             "topic.max.message.bytes": "2147483647"},
     {"producer.max.request.size": 50_000_082, "producer.buffer.memory": 50_000_082}),
    (SAFE | {"producer.request.timeout.ms": "600000", "producer.delivery.timeout.ms": "600006"},
     {"producer.delivery.timeout.ms": 600_115, "producer.max.block.ms": 600_110}),
    (SAFE | {"producer.max.block.ms": "1000"}, {"producer.max.block.ms": 60_000}),
    (SAFE | {"broker.offsets.topic.replication.factor": "1"}, {}),
    (SAFE | {"broker.offsets.topic.replication.factor": "1",
             "consumer.auto.offset.reset": "latest"},
     {"consumer.auto.offset.reset": "earliest"}),
    ({"family": "spark", "topic.replication.factor": "3", "topic.min.insync.replicas": "2",
      "consumer.startingOffsets": "earliest", "consumer.failOnDataLoss": "false"},
     {"consumer.failOnDataLoss": True}),
    ({"family": "librdkafka", "need.guarantee": "at-most-once"},
     {"producer.enable.idempotence": True, "application.commit": "before-processing",
      "application.offsets.topic.min.insync.replicas": 2}),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "expected"), CASES)
def test_these_changes_are_recommended(fields: dict[str, str], expected: dict[str, object]):
    recommendation = recommend(described(fields))

    assert all(need.only_waits for need in recommendation.impossible)
    assert changes(recommendation) == expected


def test_a_change_does_not_skip_messages_though_a_weaker_guarantee_is_nearest():
    huge_messages = SAFE | {"application.largest.message.bytes": "2147483647"}
    recommendation = recommend(described(huge_messages | {"need.guarantee": "exactly-once"}))

    assert recommendation.impossible[0].nearest.startswith("at-most-once")
    assert "application.commit" not in changes(recommendation)


def test_a_change_that_only_makes_another_valid_closes_the_same_failures():
    wish = Requirement(Guarantee.AT_MOST_ONCE, survive=0, ordering=False)
    streams = Pipeline(Family.STREAMS, "2.8", brokers=1, requirement=wish)
    without_retries = streams.with_setting(Component.PRODUCER, "retries", 0)
    changes = {change.setting: change for change in recommend(without_retries).changes}
    assert changes["retries"].closes
    assert {*changes["retries"].closes} <= {*changes["processing.guarantee"].closes}


def test_the_price_of_copies_is_in_bytes_if_the_load_is_known():
    load = {"application.rate": "1000", "application.message.bytes": "500"}
    price = next(change.price for change in recommend(described(load)).changes
                 if change.setting == "replication.factor")  # fmt: skip
    assert "here 907,200,000,000 bytes on all disks instead of 302,400,000,000." in price
    assert "here" not in recommend(described({})).changes[0].price


def test_one_broker_cannot_survive_its_own_loss():
    recommendation = recommend(described({"brokers": "1"}))

    [impossible] = recommendation.impossible
    assert impossible.wish == "at-least-once, with 1 broker lost for good"
    assert "replication.factor=1" in impossible.why
    assert impossible.nearest.startswith("at-least-once, with 0 brokers lost for good. Add brokers")
    assert changes(recommendation) == {"consumer.auto.offset.reset": "earliest"}


def test_an_impossible_wish_has_the_reasons_that_no_change_closes():
    recommendation = recommend(described({"brokers": "1", "producer.acks": "0"}))
    [why] = [need.why for need in recommendation.impossible]
    assert why.startswith("replication.factor=1: every copy is lost with 1 broker. Offsets that")


def test_sparks_kafka_sink_cannot_be_at_most_once():
    recommendation = recommend(described({"family": "spark", "need.guarantee": "at-most-once"}))
    assert recommendation.changes == ()
    assert recommendation.impossible[0].nearest.startswith(
        "What these settings give now. Give each row"
    )


def test_sparks_kafka_sink_cannot_be_exactly_once():
    recommendation = recommend(described({"family": "spark", "need.guarantee": "exactly-once"}))

    [impossible] = recommendation.impossible
    assert "Kafka sink" in impossible.why
    assert impossible.nearest.startswith("at-least-once, with 1 broker lost for good.")
    assert changes(recommendation) == {
        "topic.replication.factor": 3,
        "topic.min.insync.replicas": 2,
        "consumer.startingOffsets": "earliest",
    }


def test_an_application_that_resends_only_has_to_stop_that():
    """Neither duplicates nor reordering remain when the code no longer resends."""
    recommendation = recommend(
        described(SAFE | {"application.resend": "on-error", "need.ordering": "on"})
    )
    assert not recommendation.impossible
    assert changes(recommendation) == {"application.resend": "never"}


def test_a_single_rack_cannot_be_survived_and_three_are_proposed():
    recommendation = recommend(described(SAFE | {"application.racks": "1"}))
    [impossible] = recommendation.impossible
    assert "application.racks=1" in impossible.why
    assert "Spread the brokers over 3 racks" in impossible.nearest


@pytest.mark.parametrize(("brokers", "factor", "after"), [("3", 3, 3), ("6", 3, 4), ("6", 4, 4)])
def test_with_two_racks_messages_survive_the_loss_of_one_but_writes_wait(
    brokers: str, factor: int, after: int
):
    """A fourth copy, if there is a broker for it, is a spare one while both racks are up."""
    stated = {
        "brokers": brokers,
        "topic.replication.factor": str(factor),
        "application.racks": "2",
        "application.metadata.racks": "3",
    }
    recommendation = recommend(described(SAFE | stated))

    copies = {} if after == factor else {"topic.replication.factor": after}
    assert changes(recommendation) == copies | {"topic.min.insync.replicas": 3}
    [impossible] = recommendation.impossible
    assert impossible.only_waits
    assert impossible.wish == (
        "at-least-once, with 1 of 2 racks lost for good and writes that continue"
    )
    assert f"replication.factor={after}, 2 of the replicas" in impossible.why
    assert impossible.nearest.startswith("3 racks with a broker in each: replication.factor=3")
    assert not broken(recommendation.pipeline)


def test_no_replication_factor_in_two_racks_allows_writes_without_one():
    """Compares the formula with the event, for every replication factor and min_isr."""
    survivors = {
        (racks, factor)
        for racks in (2, 3) for factor in range(1, 7) for min_isr in range(1, factor + 1)
        if not {Anomaly.LOST_WRITE, Anomaly.UNAVAILABLE} & permits(described(SAFE | {
            "brokers": "6", "application.racks": str(racks),
            "topic.replication.factor": str(factor), "topic.min.insync.replicas": str(min_isr),
        }), "rack-lost")
    }  # fmt: skip
    assert survivors == {(3, 3), (3, 5), (3, 6)}


def test_three_racks_or_no_lost_broker_need_no_other_racks():
    for stated in ({"application.racks": "3"}, {"application.racks": "2", "need.survive": "0"}):
        assert recommend(described(SAFE | stated)).impossible == ()


def test_min_isr_is_raised_after_the_replication_factor():
    changes = {change.setting: change for change in recommend(described({})).changes}
    assert changes["min.insync.replicas"].procedure.after == ("replication.factor",)
    assert "kafka-reassign-partitions.sh" in changes["replication.factor"].procedure.how


def test_a_wish_far_beyond_the_cluster_has_a_nearest_one():
    recommendation = recommend(described({"need.survive": "1000"}))
    assert recommendation.impossible[0].nearest.startswith(
        "at-least-once, with 2 brokers lost for good"
    )


def test_the_price_of_min_isr_names_how_many_brokers_may_be_down():
    recommendation = recommend(described({"topic.replication.factor": "3", **{
        "consumer.auto.offset.reset": "earliest"}}))  # fmt: skip
    [change] = recommendation.changes
    assert "3 - 2 = 1 of its brokers may be down" in change.price


@pytest.mark.parametrize(("fields", "setting"), [
    ({"family": "librdkafka", "producer.retries": "0"}, "retries"),
    ({"version": "2.8", "producer.acks": "0"}, "acks"),
])  # fmt: skip
def test_the_price_of_retries_without_idempotence_names_duplicates(
    fields: dict[str, str], setting: str
):
    recommendation = recommend(described({"application.resend": "never", **fields}))
    [change] = [change for change in recommendation.changes if change.setting == setting]
    assert "may be written twice, and out of order." in change.price
    safe = recommend(described(fields | {"need.guarantee": "exactly-once"}))
    assert not any("may be written twice" in change.price for change in safe.changes)
