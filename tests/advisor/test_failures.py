"""What each event permits, on both sides of the settings that decide about it.

The numbers in brackets are the experiments of the fact base that showed it on real products.
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
    # A leader's death: what the leader alone had is gone (E15), unless nobody can take over.
    ("leader-killed", RF3, set()),
    ("leader-killed", RF3 | {"producer.acks": "1"}, {A.LOST_WRITE, A.DUPLICATE, A.REORDERED}),
    ("leader-killed", RF3 | {"producer.acks": "1", "producer.enable.idempotence": "false",
                             "producer.retries": "0"}, {A.LOST_WRITE, A.GIVEN_UP}),
    # With one replica its broker must start again, for which it is given 60 s.
    ("leader-killed", {"producer.acks": "1", "producer.retries": "0"}, {A.GIVEN_UP}),
    ("leader-killed", {"producer.delivery.timeout.ms": "60000"}, set()),
    ("leader-killed", {"producer.delivery.timeout.ms": "59999"}, {A.GIVEN_UP}),
    ("only-replica-down", {"producer.delivery.timeout.ms": "59999"}, {A.GIVEN_UP}),
    ("delivery-timeout", {"producer.delivery.timeout.ms": "59999"}, {A.GIVEN_UP}),
    # The client itself gives up what waits for too long, whatever brokers answer (seed 1606).
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
    # acks=all means the replicas in sync now; their least number is all that is sure (E16).
    # What could be read before it was lost leaves an offset that bears two values.
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
    # An unclean election loses what not every replica is sure to have.
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
    # A retry writes twice unless the broker can tell (E14).
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
    # Java commits inside poll() what is processed (E5); librdkafka what it handed out (E6).
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
    # Readers see aborted work unless they wait for commits (E9, E18).
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
def test_an_event_permits_exactly_this(event: str, fields: dict[str, str], expected: set[Anomaly]):
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


def test_acks_1_is_sure_of_one_copy_and_acks_0_of_none():
    fields = SAFE | {"producer.enable.idempotence": "false"}
    copies = {
        acks: Replication(described(fields | {"producer.acks": acks})).copies
        for acks in ("all", "1", "0")
    }
    assert copies == {"all": 2, "1": 1, "0": 0}


def test_an_outage_is_shown_and_is_no_loss():
    assert permits(described({}), "only-replica-down") == HARMLESS
    assert permits(described(SAFE), "brokers-below-min-isr") == HARMLESS


def test_below_the_minimum_acks_1_is_accepted_and_invisible_since_3_7():
    """[E2] The high watermark stands still whatever acks is; before 3.7 it moved on."""
    fields = RF3 | {"topic.min.insync.replicas": "2", "producer.acks": "1"}
    assert permits(described(fields), "brokers-below-min-isr") == {A.BLOCKED}
    assert permits(described(fields | {"kafka": "3.6"}), "brokers-below-min-isr") == set()


def test_before_3_7_a_minimum_above_the_factor_refuses_every_write():
    fields = {"kafka": "3.6", "topic.min.insync.replicas": "2"}
    assert permits(described(fields), "brokers-below-min-isr") == {A.UNAVAILABLE}


def test_transactional_commits_are_handed_out_again_and_undone():
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
def test_every_event_answers_for_every_pipeline_with_reasons_that_name_a_value(pipeline):
    for event in events_for(pipeline):
        for reason in event.permits(pipeline).values():
            named = re.search(r"[a-z]+(\.[a-z]+)*=\S", reason) or "Spark" in reason
            above = "is above" in reason
            assert named or above, reason
            assert reason.endswith("."), reason


def test_events_are_named_once_and_have_a_story_and_sources():
    events = all_events()
    assert len({event.name for event in events}) == len(events)
    for event in events:
        assert re.fullmatch(r"[a-z]+(-[a-z]+)+", event.name)
        assert event.story.endswith(".")
        assert event.sources
        assert event.families <= set(Family)
