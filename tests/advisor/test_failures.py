"""The anomalies that each event permits, on both sides of the deciding settings.

Numbers in brackets name the experiments of the fact base that showed it on real products.
"""

from __future__ import annotations

import re

import pytest
from hypothesis import given

from advisor.catalog import Family
from advisor.reasoning.behaviour.replication import Replication
from advisor.reasoning.failures import all_events, events_for
from advisor.reasoning.guarantees import Anomaly
from tests.advisor.pipelines import (
    ACKS_0,
    AGAIN,
    HARMLESS,
    RF3,
    SAFE,
    SKIP,
    TRUNCATED,
    A,
    described,
    permits,
    pipelines,
)

CASES = [
    # Records that only the dead leader had are lost (E15), unless no replica can take over.
    ("leader-killed", RF3, set()),
    ("leader-killed", RF3 | {"producer.acks": "1"}, {A.LOST_WRITE, A.DUPLICATE, A.REORDERED}),
    ("leader-killed", RF3 | {"producer.acks": "1", "producer.enable.idempotence": "false",
                             "producer.retries": "0"}, {A.LOST_WRITE, A.GIVEN_UP}),
    # With one replica its broker must restart, which is assumed to take 60 s.
    ("leader-killed", {"producer.acks": "1", "producer.retries": "0"}, {A.GIVEN_UP}),
    ("leader-killed", {"producer.delivery.timeout.ms": "60000"}, set()),
    ("leader-killed", {"producer.delivery.timeout.ms": "59999"}, {A.GIVEN_UP}),
    ("only-replica-down", {"producer.delivery.timeout.ms": "59999"}, {A.GIVEN_UP}),
    ("delivery-timeout", {"producer.delivery.timeout.ms": "59999"}, {A.GIVEN_UP}),
    # The client itself gives up records that wait too long, whatever brokers answer (seed 1606).
    ("leader-killed", RF3 | ACKS_0 | {"producer.delivery.timeout.ms": "9000",
                                      "producer.request.timeout.ms": "1500"},
     {A.LOST_WRITE, A.GIVEN_UP}),
    ("delivery-timeout", RF3 | ACKS_0 | {"application.resend": "on-error"}, {A.REORDERED}),
    ("delivery-error-ignored", RF3 | ACKS_0 | {"application.delivery.errors": "ignored"},
     {A.LOST_WRITE, A.GIVEN_UP}),
    ("leader-killed", RF3 | {"producer.acks": "0"}, {A.LOST_WRITE}),
    ("leader-killed", RF3 | {"family": "librdkafka", "producer.delivery.timeout.ms": "9000"},
     {A.GIVEN_UP, A.DUPLICATE, A.REORDERED}),
    ("leader-killed-followers-behind", SAFE, set()),
    ("leader-killed-followers-behind", SAFE | {"producer.enable.idempotence": "false",
                                               "producer.acks": "1"},
     {A.LOST_WRITE, A.DUPLICATE, A.REORDERED}),
    # acks=all means the current in-sync set; only its minimum size is guaranteed (E16).
    # A record that was read before it was lost leaves an offset with two values.
    ("isr-shrunk-leader-lost", RF3, TRUNCATED),
    ("isr-shrunk-leader-lost", SAFE, set()),
    ("isr-shrunk-leader-lost", RF3 | {"topic.min.insync.replicas": "2", "producer.acks": "1"},
     {A.LOST_WRITE}),
    ("broker-disk-lost", SAFE, set()),
    ("broker-disk-lost", SAFE | {"need.survive": "2"}, TRUNCATED),
    ("broker-disk-lost", SAFE | {"need.survive": "2", "topic.min.insync.replicas": "3"}, set()),
    # The effective minimum is capped by the replication factor (E1).
    ("broker-disk-lost", {"topic.replication.factor": "1", "topic.min.insync.replicas": "2"},
     TRUNCATED),
    ("broker-disk-lost", SAFE | {"producer.acks": "1", "producer.enable.idempotence": "false"},
     {A.LOST_WRITE}),
    # An unclean election loses records that not every replica is guaranteed to have.
    ("unclean-election", SAFE, set()),
    ("unclean-election", SAFE | {"topic.unclean.leader.election.enable": "true"},
     TRUNCATED | {A.GIVEN_UP}),
    ("unclean-election", SAFE | {"topic.unclean.leader.election.enable": "true",
                                 "producer.enable.idempotence": "false"},
     TRUNCATED),
    ("unclean-election", SAFE | {"topic.unclean.leader.election.enable": "true",
                                 "topic.min.insync.replicas": "3"}, set()),
    ("brokers-below-min-isr", SAFE, set()),
    ("only-replica-down", {}, set()),
    ("only-replica-down", {"producer.acks": "0"}, {A.LOST_WRITE}),
    # A retry writes a duplicate unless the broker detects it (E14).
    ("acknowledgement-lost", {}, set()),
    ("acknowledgement-lost", {"family": "librdkafka"}, {A.DUPLICATE, A.REORDERED}),
    ("acknowledgement-lost",
     {"family": "librdkafka", "producer.max.in.flight.requests.per.connection": "1"},
     {A.DUPLICATE}),
    ("acknowledgement-lost", {"producer.retries": "0"}, {A.GIVEN_UP, A.REORDERED}),
    ("acknowledgement-lost", {"producer.acks": "0"}, {A.LOST_WRITE, A.REORDERED}),
    ("delivery-timeout", SAFE, set()),
    ("delivery-timeout", SAFE | {"producer.delivery.timeout.ms": "40000"}, {A.GIVEN_UP}),
    ("delivery-timeout", SAFE | {"producer.delivery.timeout.ms": "46005"}, set()),
    ("delivery-timeout", {"family": "librdkafka", "producer.delivery.timeout.ms": "0",
                          "topic.replication.factor": "3"}, set()),
    ("delivery-timeout", SAFE | {"application.resend": "on-error"},
     {A.DUPLICATE, A.REORDERED, A.EFFECT_DUPLICATED}),
    ("delivery-timeout", SAFE | {"application.resend": "on-error",
                                 "application.sink": "idempotent"}, {A.DUPLICATE, A.REORDERED}),
    ("delivery-error-ignored", {}, set()),
    ("delivery-error-ignored", {"application.delivery.errors": "ignored"}, {A.GIVEN_UP}),
    ("delivery-error-ignored", {"producer.acks": "0"}, {A.LOST_WRITE}),
    # Java commits processed records inside poll() (E5); librdkafka delivered records (E6).
    ("consumer-killed-before-commit", {}, AGAIN),
    ("consumer-killed-before-commit", {"application.sink": "idempotent"}, {A.REDELIVERY}),
    ("consumer-killed-before-commit", {"application.commit": "before-processing"},
     {A.REDELIVERY}),
    ("consumer-killed-before-processing", {}, set()),
    ("consumer-killed-before-processing", {"family": "librdkafka"}, SKIP),
    ("consumer-killed-before-processing",
     {"family": "librdkafka", "consumer.enable.auto.offset.store": "false"}, set()),
    ("consumer-killed-before-processing",
     {"family": "librdkafka", "consumer.enable.auto.commit": "false"}, set()),
    ("consumer-killed-before-processing", {"application.commit": "before-processing"}, SKIP),
    ("no-committed-offset", {}, SKIP),
    ("no-committed-offset", {"consumer.auto.offset.reset": "earliest"}, AGAIN),
    ("no-committed-offset", {"consumer.auto.offset.reset": "none"}, set()),
    ("no-committed-offset", {"consumer.auto.offset.reset": "by_duration:P3D"}, SKIP | AGAIN),
    ("no-committed-offset", {"family": "spark", "consumer.startingOffsets": "earliest"}, AGAIN),
    # Consumers read aborted records unless they are read_committed (E9, E18).
    ("transaction-aborted", {"producer.transactional.id": "t"},
     {A.ABORTED_READ, A.EFFECT_DUPLICATED}),
    ("transaction-aborted", {"producer.transactional.id": "t",
                             "consumer.isolation.level": "read_committed"}, set()),
    ("transaction-aborted", {}, set()),
    ("spark-task-retried", {"family": "spark"}, {A.DUPLICATE}),
    ("spark-restarted", {"family": "spark"}, AGAIN),
    ("spark-restarted", {"family": "spark", "application.sink": "idempotent"}, {A.REDELIVERY}),
]  # fmt: skip


@pytest.mark.parametrize(("event", "fields", "expected"), CASES)
def test_an_event_permits_these_anomalies(
    event: str, fields: dict[str, str], expected: set[Anomaly]
):
    assert permits(described(fields), event) - HARMLESS == expected


@pytest.mark.parametrize(("factor", "minimum", "survives", "spares"), [
    (1, 1, 0, 0), (1, 2, 0, 0), (2, 1, 0, 1), (2, 2, 1, 0), (3, 2, 1, 1), (4, 2, 1, 2),
    (4, 3, 2, 1), (5, 3, 2, 2), (3, 7, 2, 0),
])  # fmt: skip
def test_replication_survives_m_minus_1_and_spares_rf_minus_m(
    factor: int, minimum: int, survives: int, spares: int
):
    fields = {
        "brokers": "5",
        "topic.replication.factor": str(factor),
        "topic.min.insync.replicas": str(minimum),
    }
    topic = Replication(described(fields))

    assert (topic.survives, topic.spares) == (survives, spares)


def test_acks_1_guarantees_one_copy_and_acks_0_none():
    fields = SAFE | {"producer.enable.idempotence": "false"}
    copies = {
        acks: Replication(described(fields | {"producer.acks": acks})).copies
        for acks in ("all", "1", "0")
    }
    assert copies == {"all": 2, "1": 1, "0": 0}


def test_an_outage_permits_no_loss():
    assert permits(described({}), "only-replica-down") == HARMLESS
    assert permits(described(SAFE), "brokers-below-min-isr") == HARMLESS


def test_a_write_with_acks_1_below_min_isr_is_not_readable_since_3_7():
    """[E2] The high watermark does not advance with any acks; before 3.7 it did."""
    fields = RF3 | {"topic.min.insync.replicas": "2", "producer.acks": "1"}
    assert permits(described(fields), "brokers-below-min-isr") == {A.BLOCKED}
    assert permits(described(fields | {"kafka": "3.6"}), "brokers-below-min-isr") == set()


def test_before_3_7_min_isr_above_the_replication_factor_refuses_every_write():
    fields = {"kafka": "3.6", "topic.min.insync.replicas": "2"}
    assert permits(described(fields), "brokers-below-min-isr") == {A.UNAVAILABLE}


def test_a_transactional_consumer_permits_redelivery_but_no_duplicate_effects():
    fields = {
        "producer.transactional.id": "t",
        "application.commit": "in-transaction",
        "consumer.enable.auto.commit": "false",
        "consumer.isolation.level": "read_committed",
    }
    assert permits(described(fields), "consumer-killed-before-commit") == {A.REDELIVERY}
    careless = described(fields | {"consumer.enable.auto.commit": "true"})
    assert permits(careless, "consumer-killed-before-processing") == SKIP


@given(pipelines())
def test_every_reason_of_every_event_names_a_value(pipeline):
    for event in events_for(pipeline):
        for reason in event.permits(pipeline).values():
            named = re.search(r"[a-z]+(\.[a-z]+)*=\S", reason) or "Spark" in reason
            above = "is above" in reason
            assert named or above, reason
            assert reason.endswith("."), reason


def test_events_have_unique_names_stories_and_sources():
    events = all_events()
    assert len({event.name for event in events}) == len(events)
    for event in events:
        assert re.fullmatch(r"[a-z]+(-[a-z]+)+", event.name)
        assert event.story.endswith(".")
        assert event.sources
        assert event.families <= set(Family)
