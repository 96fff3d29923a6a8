"""The guarantees that follow from the events, for each boundary."""

from __future__ import annotations

import pytest
from hypothesis import given

from advisor.reasoning.assess import assess
from advisor.reasoning.guarantees import FORBIDS, Anomaly, Boundary
from advisor.reasoning.recommend import recommend
from advisor.reasoning.words import describe_guarantee
from tests.advisor.pipelines import SAFE, assessed, described, pipelines

LOG, GROUP, WHOLE = Boundary.PRODUCER_TO_LOG, Boundary.LOG_TO_CONSUMER, Boundary.END_TO_END
LIBRDKAFKA = {"family": "librdkafka"}
SPARK_SAFE = {
    "family": "spark",
    "topic.replication.factor": "3",
    "topic.min.insync.replicas": "2",
    "consumer.startingOffsets": "earliest",
}

CASES = [
    # Out of the box: one copy, groups that start at the end.
    ({}, "at-most-once", "none", "none"),
    (LIBRDKAFKA, "none", "none", "none"),
    (SAFE, "exactly-once", "at-least-once", "at-least-once"),
    (SAFE | {"producer.acks": "1", "producer.enable.idempotence": "false"},
     "none", "at-least-once", "none"),
    (SAFE | {"application.sink": "idempotent"}, "exactly-once", "exactly-once", "exactly-once"),
    (SAFE | {"application.sink": "idempotent", "producer.enable.idempotence": "false"},
     "at-least-once", "exactly-once", "exactly-once"),
    (SAFE | {"application.resend": "on-error"}, "exactly-once", "at-least-once", "at-least-once"),
    (SAFE | {"application.commit": "before-processing", "consumer.auto.offset.reset": "latest"},
     "exactly-once", "at-most-once", "at-most-once"),
    (SAFE | {"producer.transactional.id": "t", "application.commit": "in-transaction",
             "consumer.enable.auto.commit": "false", "consumer.auto.offset.reset": "none",
             "consumer.isolation.level": "read_committed"},
     "exactly-once", "exactly-once", "exactly-once"),
    (SPARK_SAFE, "at-least-once", "at-least-once", "at-least-once"),
    (SPARK_SAFE | {"application.sink": "idempotent"},
     "at-least-once", "exactly-once", "exactly-once"),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "log", "group", "whole"), CASES)
def test_settings_give_these_guarantees(fields: dict[str, str], log: str, group: str, whole: str):
    guarantees = assess(described(fields)).guarantees
    assert [guarantees[boundary].value for boundary in (LOG, GROUP, WHOLE)] == [log, group, whole]


def test_one_copy_is_enough_if_no_broker_may_be_lost():
    one_copy = {"topic.replication.factor": "1", "need.survive": "0"}
    assert assess(described(one_copy)).guarantees[LOG] == "exactly-once"
    disk = assessed(described(one_copy), "broker-disk-lost")
    assert not disk.in_scope
    assert Anomaly.LOST_WRITE in disk.permits


def test_a_redelivery_to_an_idempotent_sink_is_absorbed():
    assessment = assess(described(SAFE | {"application.sink": "idempotent"}))
    by_name = {failure.event.name: failure for failure in assessment.failures}

    killed = by_name["consumer-killed-before-commit"]
    assert set(killed.absorbed) == {Anomaly.REDELIVERY}
    assert not killed.permits


@given(pipelines())
def test_a_guarantee_does_not_forbid_what_is_permitted_at_its_boundary(pipeline):
    assessment = assess(pipeline)
    for failure in assessment.failures:
        if failure.in_scope:
            guarantee = assessment.guarantees[failure.event.boundary]
            assert not FORBIDS[guarantee] & failure.permits.keys()


def test_the_sentence_has_the_number_of_failures_and_an_example():
    fields = SAFE | {"producer.acks": "1", "producer.enable.idempotence": "false"}
    assessment = assess(described(fields))
    counted = [failure for failure in assessment.failures if failure.in_scope]
    losing = [verdict for verdict in counted if Anomaly.LOST_WRITE in verdict.permits]
    text = describe_guarantee(described(fields), assessment)
    assert text.startswith("These settings give no delivery guarantee: acknowledged messages")
    assert len(losing) >= 6
    assert f"in {len(losing)} of {len(counted)} failures" in text
    assert "the leader dies while its followers are behind" in text


@given(pipelines())
def test_there_is_a_sentence_for_every_pipeline(pipeline):
    text = describe_guarantee(pipeline, assess(pipeline))
    assert text.endswith(".")
    assert "..." not in text.replace("…", "...")


ONCE = SAFE | {
    "producer.transactional.id": "orders-1",
    "application.sink": "idempotent",
    "application.commit": "after-processing",
    "consumer.enable.auto.commit": "false",
    "consumer.auto.offset.reset": "earliest",
    "consumer.isolation.level": "read_committed",
}


@pytest.mark.parametrize(
    ("weakened", "message"),
    [
        ({"consumer.isolation.level": "read_uncommitted"}, "aborted transactions can be read"),
        ({"broker.transaction.state.log.min.isr": "1"}, "transactions can be delivered in part"),
        ({"broker.transaction.state.log.replication.factor": "1"}, "delivered in part"),
    ],
)
def test_a_transaction_that_may_be_partly_visible_is_not_exactly_once(
    weakened: dict[str, str], message: str
) -> None:
    fields = ONCE | weakened | {"need.guarantee": "exactly-once"}
    assessment = assess(described(fields))

    assert assess(described(ONCE)).guarantees[Boundary.END_TO_END] == "exactly-once"
    assert assessment.guarantees[Boundary.END_TO_END] == "at-least-once"
    assert message in describe_guarantee(described(fields), assessment)
    recommendation = recommend(described(fields))
    assert not recommendation.impossible
    changed = {
        f"{change.component}.{change.setting}": str(change.after)
        for change in recommendation.changes
    }
    assert weakened.keys() <= changed.keys()
    after = assess(recommendation.pipeline)
    assert after.guarantees[Boundary.END_TO_END] == "exactly-once"


def test_one_copy_of_the_transaction_log_matters_only_if_a_broker_may_be_lost() -> None:
    fields = ONCE | {"broker.transaction.state.log.min.isr": "1", "need.survive": "0"}
    assert assess(described(fields)).guarantees[Boundary.END_TO_END] == "exactly-once"
