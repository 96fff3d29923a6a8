"""The smallest sufficient change: enough, not more than enough, and the same every time."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import HealthCheck, given, settings

from advisor.catalog import validate
from advisor.reasoning.assess import assess
from advisor.reasoning.failures import events_for
from advisor.reasoning.finding import Confidence
from advisor.reasoning.guarantees import FORBIDS, Anomaly, Guarantee
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.recommend import Recommendation, recommend
from advisor.reasoning.search import Search, pulled
from tests.advisor.pipelines import SAFE, described, permits, pipelines

pytestmark = pytest.mark.thorough

WHOLE_SPACE = settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.filter_too_much]
)


PAID_IN = re.compile(
    r"(Latency|Throughput|Availability|Disk( and [a-z ]*traffic)?|Memory|Time|Code( and storage)?|"
    r"Work|Meaning): |Next to none: "
)

WEAKEST_FIRST: dict[str, list[object]] = {
    "acks": ["0", "1", "all"],
    "enable.idempotence": [False, True],
    "unclean.leader.election.enable": [True, False],
    "isolation.level": ["read_uncommitted", "read_committed"],
    "failOnDataLoss": [False, True],
    "delivery.errors": ["ignored", "handled"],
    "sink": ["topics", "plain", "idempotent"],
}
NEVER_LOWERED = {
    "replication.factor", "min.insync.replicas", "retries", "topic.min.insync.replicas",
    "offsets.topic.replication.factor", "producer.id.expiration.ms", "max.block.ms",
    "transactional.id.expiration.ms", "offsets.retention.minutes", "transaction.timeout.ms",
}  # fmt: skip


def changes(found: Recommendation) -> dict[str, object]:
    return {f"{each.component}.{each.setting}": each.after for each in found.changes}


def refused(found: Recommendation) -> bool:
    return not all(each.only_waits for each in found.impossible)


def broken(pipeline: Pipeline) -> bool:
    """Whether something that the pipeline's requirement forbids may happen."""
    forbidden = pipeline.requirement.forbids()
    return any(
        each.in_scope and forbidden & each.permits.keys() for each in assess(pipeline).failures
    )


def valid(pipeline: Pipeline) -> bool:
    return not validate(
        pipeline.family, pipeline.version, pipeline.kafka, pipeline.brokers, pipeline.settings
    )


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
    ({**SAFE, "need.guarantee": "exactly-once", "application.sink": "idempotent",
      "broker.producer.id.expiration.ms": "60000"},
     {"broker.producer.id.expiration.ms": 86_400_000}),
    ({**SAFE, "need.guarantee": "exactly-once", "application.sink": "idempotent", "kafka": "3.3",
      "broker.transactional.id.expiration.ms": "60000"},
     {"broker.transactional.id.expiration.ms": 86_400_000}),
    ({**SAFE, "need.guarantee": "at-most-once", "application.commit": "before-processing",
      "consumer.auto.offset.reset": "latest", "consumer.enable.auto.commit": "false",
      "broker.producer.id.expiration.ms": "60000"},
     {"broker.producer.id.expiration.ms": 86_400_000}),
    ({**SAFE, "need.guarantee": "at-most-once", "application.commit": "before-processing",
      "consumer.auto.offset.reset": "latest", "consumer.enable.auto.commit": "false",
      "producer.delivery.timeout.ms": "90000000"},
     {"producer.delivery.timeout.ms": 86_400_000}),
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
    (SAFE | {"application.restart": "forgets"}, {"application.restart": "resumes"}),
    (SAFE | {"application.outage.ms": "604800000"},
     {"topic.retention.ms": 1_209_600_000}),
    (SAFE | {"application.timestamps": "from-source"},
     {"topic.message.timestamp.type": "LogAppendTime"}),
    (SAFE | {"application.racks": "3"}, {}),
    (SAFE | {"producer.max.block.ms": "1000"}, {"producer.max.block.ms": 60_000}),
    (SAFE | {"broker.offsets.topic.replication.factor": "1"}, {}),
    (SAFE | {"broker.offsets.topic.replication.factor": "1",
             "consumer.auto.offset.reset": "latest"},
     {"consumer.auto.offset.reset": "earliest"}),
    ({"family": "spark", "topic.replication.factor": "3", "topic.min.insync.replicas": "2",
      "consumer.startingOffsets": "earliest", "consumer.failOnDataLoss": "false"},
     {"consumer.failOnDataLoss": True}),
    ({"family": "librdkafka", "need.guarantee": "at-most-once"},
     {"producer.enable.idempotence": True, "application.commit": "before-processing"}),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "expected"), CASES)
def test_the_change_is_this(fields: dict[str, str], expected: dict[str, object]):
    found = recommend(described(fields))

    assert not found.impossible
    if fields.get("need.survive") == "2":
        # With RF 3 already there, three copies are enough; the fourth would only spare a broker.
        expected = {"topic.min.insync.replicas": 3}
    assert changes(found) == expected


@given(pipelines())
@WHOLE_SPACE
def test_after_the_changes_nothing_forbidden_may_happen(pipeline):
    found = recommend(pipeline)

    assert valid(found.pipeline)
    if not refused(found):
        assert not broken(found.pipeline)
        for given_there in assess(found.pipeline).guarantees.values():
            assert FORBIDS[pipeline.requirement.guarantee] <= FORBIDS[given_there]


@given(pipelines())
@WHOLE_SPACE
def test_without_any_one_change_it_is_not_enough(pipeline):
    found = recommend(pipeline)
    if refused(found):
        return
    for left_out in found.changes:
        rest = pipeline
        for change in found.changes:
            if change is not left_out:
                rest = rest.with_setting(change.component, change.setting, change.after)
        assert broken(rest) or not valid(rest)


@given(pipelines())
@settings(WHOLE_SPACE, max_examples=30)
def test_no_smaller_set_of_changes_is_enough(pipeline):
    found = recommend(pipeline)
    search = Search(pipeline, events_for(pipeline))
    if refused(found):
        return
    for size in range(min(len(found.changes), 3)):
        for pulls in combinations(search.order, size):
            if len({pull.key for pull in pulls}) == size:
                after = pulled(pipeline, frozenset(pulls))
                assert broken(after) or not valid(after), pulls


@given(pipelines())
@settings(WHOLE_SPACE, max_examples=30)
def test_what_each_event_takes_by_itself_never_makes_the_answer_larger(pipeline):
    """The search with its bounds, and without those of the events alone."""
    bounded, plain = (Search(pipeline, events_for(pipeline)) for _ in range(2))
    found, least = bounded.smallest(), plain._deepen()
    assert (found is None) == (least is None)
    assert found is None or least is None or len(found) == len(least)


def test_a_change_that_only_makes_another_valid_names_what_that_one_closes():
    found = recommend(described({
        "family": "streams", "topic.replication.factor": "3", "topic.min.insync.replicas": "2",
        "streams.replication.factor": "3", "streams.topic.min.insync.replicas": "2",
        "consumer.auto.offset.reset": "none", "producer.acks": "all",
        "producer.max.in.flight.requests.per.connection": "6",
        "producer.enable.idempotence": "false", "need.guarantee": "exactly-once",
    }))  # fmt: skip
    closed = {change.setting: change.closes for change in found.changes}
    in_flight = closed["max.in.flight.requests.per.connection"]
    assert in_flight
    assert set(in_flight) <= set(closed["processing.guarantee"])


@given(pipelines())
@WHOLE_SPACE
def test_it_is_the_same_every_time_and_asks_nothing_more_of_its_own_result(pipeline):
    found = recommend(pipeline)

    assert recommend(pipeline) == found
    if not refused(found):
        assert recommend(found.pipeline).changes == ()


@given(pipelines())
@WHOLE_SPACE
def test_no_boundary_ends_with_less_than_it_had(pipeline):
    """Going from one of the two halves to the other is what a wish for the other half means."""
    before = assess(pipeline).guarantees
    found = recommend(pipeline)
    after = assess(replace(found.pipeline, requirement=pipeline.requirement)).guarantees
    for boundary, had in before.items():
        if had is Guarantee.EXACTLY_ONCE:
            assert after[boundary] is Guarantee.EXACTLY_ONCE


@given(pipelines())
@WHOLE_SPACE
def test_no_change_takes_an_event_out_of_scope_or_into_it(pipeline):
    after = recommend(pipeline).pipeline
    for event in events_for(pipeline):
        assert event.in_scope(pipeline) == event.in_scope(after), event.name


@given(pipelines())
@WHOLE_SPACE
def test_nothing_is_lost_afterwards_that_was_safe_before(pipeline):
    """A wish for at most once may give up what it does not ask for; the others lose nothing."""
    if pipeline.requirement.guarantee not in (Guarantee.AT_LEAST_ONCE, Guarantee.EXACTLY_ONCE):
        return
    before, after = (lost(each) for each in (pipeline, recommend(pipeline).pipeline))
    assert after <= before


def lost(pipeline: Pipeline) -> set[tuple[str, Anomaly]]:
    gone = {Anomaly.LOST_WRITE, Anomaly.SKIPPED, Anomaly.EFFECT_MISSING}
    return {
        (each.event.name, anomaly)
        for each in assess(pipeline).failures
        for anomaly in gone & each.permits.keys()
    }


@given(pipelines())
@WHOLE_SPACE
def test_no_change_goes_the_weaker_way(pipeline):
    for change in recommend(pipeline).changes:
        if order := WEAKEST_FIRST.get(change.setting):
            assert order.index(change.before) < order.index(change.after), change
        elif change.setting in NEVER_LOWERED:
            assert isinstance(change.before, int)
            assert isinstance(change.after, int)
            assert change.before < change.after, change


def test_more_copies_are_paid_in_bytes_where_the_load_is_known():
    load = {"application.rate": "1000", "application.message.bytes": "500"}
    price = next(each.price for each in recommend(described(load)).changes
                 if each.setting == "replication.factor")  # fmt: skip
    assert "here 907,200,000,000 bytes on all disks instead of 302,400,000,000." in price
    assert "here" not in recommend(described({})).changes[0].price


@given(pipelines())
@WHOLE_SPACE
def test_every_change_names_what_it_closes_and_its_price(pipeline):
    for change in recommend(pipeline).changes:
        assert change.before != change.after
        assert change.closes
        assert PAID_IN.match(change.price), change.price
        assert change.source
        assert change.procedure.how
        assert change.procedure.verify
        assert change.confidence in Confidence


def test_one_broker_cannot_survive_its_own_loss():
    found = recommend(described({"brokers": "1"}))

    [impossible] = found.impossible
    assert impossible.wish == "at-least-once, with 1 broker lost for good"
    assert "replication.factor=1" in impossible.why
    assert impossible.nearest.startswith("at-least-once, with 0 brokers lost for good. Add brokers")
    assert changes(found) == {"consumer.auto.offset.reset": "earliest"}


def test_the_obstacle_is_what_is_left_after_all_that_can_be_changed():
    found = recommend(described({"brokers": "1", "producer.acks": "0"}))
    assert [each.why for each in found.impossible] == [
        "replication.factor=1: 1 broker lost takes every copy."
    ]


def test_sparks_sink_is_not_at_most_once_either_and_nothing_is_changed_for_it():
    found = recommend(described({"family": "spark", "need.guarantee": "at-most-once"}))
    assert found.changes == ()
    assert found.impossible[0].nearest.startswith("What these settings give now. Give each row")


def test_sparks_kafka_sink_cannot_be_exactly_once():
    found = recommend(described({"family": "spark", "need.guarantee": "exactly-once"}))

    [impossible] = found.impossible
    assert "Kafka sink" in impossible.why
    assert impossible.nearest.startswith("at-least-once, with 1 broker lost for good.")
    assert changes(found) == {
        "topic.replication.factor": 3,
        "topic.min.insync.replicas": 2,
        "consumer.startingOffsets": "earliest",
    }


def test_who_sends_again_is_cured_of_that_and_of_nothing_else():
    """Once sends again, and after a restart: neither is there when the code no longer does it."""
    found = recommend(described(SAFE | {"application.resend": "on-error", "need.ordering": "on"}))
    assert not found.impossible
    assert changes(found) == {"application.resend": "never"}


def test_one_rack_cannot_be_survived_and_three_are_named():
    found = recommend(described(SAFE | {"application.racks": "1"}))
    [impossible] = found.impossible
    assert "application.racks=1" in impossible.why
    assert "Spread the brokers over 3 racks" in impossible.nearest


@pytest.mark.parametrize(("factor", "minimum", "together"), [("3", 3, 2), ("4", 3, 2)])
def test_with_two_racks_a_message_survives_the_loss_of_one_and_writes_do_not(
    factor: str, minimum: int, together: int
):
    stated = {"brokers": "6", "topic.replication.factor": factor, "application.racks": "2"}
    found = recommend(described(SAFE | stated))

    assert changes(found) == {"topic.min.insync.replicas": minimum}
    [impossible] = found.impossible
    assert impossible.only_waits
    assert impossible.wish == ("at-least-once, with 1 of 2 racks lost for good and writes going on")
    assert f"replication.factor={factor}, {together} of the replicas" in impossible.why
    assert impossible.nearest.startswith("3 racks with a broker in each: replication.factor=3")
    assert not broken(found.pipeline)


def test_no_factor_in_two_racks_survives_the_loss_of_one_and_writes_on():
    """The formula, held against what the event says of every factor and minimum."""
    fits = {
        (racks, factor)
        for racks in (2, 3) for factor in range(1, 7) for least in range(1, factor + 1)
        if not {Anomaly.LOST_WRITE, Anomaly.UNAVAILABLE} & permits(described(SAFE | {
            "brokers": "6", "application.racks": str(racks),
            "topic.replication.factor": str(factor), "topic.min.insync.replicas": str(least),
        }), "rack-lost")
    }  # fmt: skip
    assert fits == {(3, 3), (3, 5), (3, 6)}


def test_who_can_have_both_or_does_not_ask_is_told_of_no_rack():
    for stated in ({"application.racks": "3"}, {"application.racks": "2", "need.survive": "0"}):
        assert recommend(described(SAFE | stated)).impossible == ()


def test_a_minimum_is_raised_after_the_copies_are_there():
    changes = {each.setting: each for each in recommend(described({})).changes}
    assert changes["min.insync.replicas"].procedure.after == ("replication.factor",)
    assert "kafka-reassign-partitions.sh" in changes["replication.factor"].procedure.how


def test_a_wish_far_beyond_the_cluster_is_answered_too():
    found = recommend(described({"need.survive": "1000"}))
    assert found.impossible[0].nearest.startswith("at-least-once, with 2 brokers lost for good")


def test_the_price_of_a_minimum_says_how_many_brokers_may_be_down():
    found = recommend(described({"topic.replication.factor": "3", **{
        "consumer.auto.offset.reset": "earliest"}}))  # fmt: skip
    [change] = found.changes
    assert "3 - 2 = 1 of its brokers may be down" in change.price
