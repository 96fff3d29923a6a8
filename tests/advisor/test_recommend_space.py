"""The smallest change over the whole space: enough, not more than enough, always the same."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import HealthCheck, assume, example, given, settings

from advisor.catalog import Component, Family
from advisor.reasoning.assess import assess
from advisor.reasoning.failures import events_for
from advisor.reasoning.finding import Confidence
from advisor.reasoning.guarantees import Anomaly, Guarantee, Requirement
from advisor.reasoning.obstacle import obstacles
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.recommend import BENDS, Recommendation, recommend
from advisor.reasoning.search import Search
from advisor.reasoning.space import pulled, spends_last_replica
from tests.advisor.pipelines import broken, falls_short, pipelines

pytestmark = pytest.mark.wide

WHOLE_SPACE = settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.filter_too_much]
)


PAID_IN = ("Latency", "Throughput", "Availability", "Disk")

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


def refused(recommendation: Recommendation) -> bool:
    return not all(need.only_waits for need in recommendation.impossible)


def is_refused(after: Pipeline, before: Pipeline) -> bool:
    """Whether no change may end there: a product refuses it, it spends the last replica, or nothing
    works any more."""
    stops = bool(obstacles(after)) and not obstacles(before)
    return bool(after.problems()) or spends_last_replica(before, after) or stops


def lost(pipeline: Pipeline) -> set[tuple[str, Anomaly]]:
    gone = {Anomaly.LOST_WRITE, Anomaly.SKIPPED, Anomaly.EFFECT_MISSING}
    return {
        (assessment.event.name, anomaly)
        for assessment in assess(pipeline).failures
        for anomaly in gone & assessment.permits.keys()
    }


@given(pipelines())
@WHOLE_SPACE
def test_after_the_changes_nothing_forbidden_may_happen(pipeline):
    recommendation = recommend(pipeline)

    assert not recommendation.pipeline.problems()
    if not refused(recommendation):
        assert not broken(recommendation.pipeline)


@given(pipelines())
@WHOLE_SPACE
def test_after_the_changes_messages_get_through_if_they_did_before(pipeline):
    assume(not obstacles(pipeline))
    assert not obstacles(recommend(pipeline).pipeline)


def test_transactions_that_could_not_begin_are_no_change():
    """Before 3.7 a log of transactions with one copy refuses what needs two."""
    settings = {Component.BROKER: {"transaction.state.log.replication.factor": 1}}
    wish = Requirement(Guarantee.AT_MOST_ONCE, survive=0, ordering=False)
    for kafka, recommended in (("3.6", False), ("3.7", True)):
        pipeline = Pipeline(Family.STREAMS, "4.3", kafka, 3, settings, wish)
        names = {change.setting for change in recommend(pipeline).changes}
        assert ("processing.guarantee" in names) is recommended


@given(pipelines())
@WHOLE_SPACE
def test_without_any_one_change_it_is_not_enough(pipeline):
    recommendation = recommend(pipeline)
    if refused(recommendation):
        return
    for left_out in recommendation.changes:
        rest = pipeline
        for change in recommendation.changes:
            if change is not left_out:
                rest = rest.with_setting(change.component, change.setting, change.after)
        assert falls_short(rest, pipeline) or is_refused(rest, pipeline)


@given(pipelines())
@settings(WHOLE_SPACE, max_examples=30)
def test_no_smaller_set_of_changes_is_enough(pipeline):
    recommendation = recommend(pipeline)
    search = Search.of(pipeline)
    if refused(recommendation):
        return
    bends = any((change.component, change.setting) in BENDS for change in recommendation.changes)
    order = [pull for pull in search.order if bends or pull.key not in BENDS]
    for size in range(min(len(recommendation.changes), 3)):
        for pulls in combinations(order, size):
            if len({pull.key for pull in pulls}) == size:
                after = pulled(pipeline, frozenset(pulls))
                assert falls_short(after, pipeline) or is_refused(after, pipeline), pulls


@given(pipelines())
@settings(WHOLE_SPACE, max_examples=30)
def test_what_each_event_takes_by_itself_never_makes_the_answer_larger(pipeline):
    """The search with its bounds, and without those of the events alone."""
    bounded, plain = (Search.of(pipeline) for _ in range(2))
    pulls, least = bounded.smallest(), plain.smallest_by_depth()
    assert (pulls is None) == (least is None)
    assert pulls is None or least is None or pulls.bit_count() == least.bit_count()


@given(pipelines())
@WHOLE_SPACE
def test_it_is_the_same_every_time_and_asks_nothing_more_of_its_own_result(pipeline):
    recommendation = recommend(pipeline)

    assert recommend(pipeline) == recommendation
    if not refused(recommendation):
        assert recommend(recommendation.pipeline).changes == ()


@given(pipelines())
@WHOLE_SPACE
def test_no_boundary_ends_with_less_than_it_had(pipeline):
    """But where at-most-once is wanted, or order alone: who never sends a record again may give
    it up.

    Settings with which nothing can work guarantee nothing, whatever a boundary is called.
    """
    assume(not obstacles(pipeline))
    before = assess(pipeline).guarantees
    recommendation = recommend(pipeline)
    after = assess(replace(recommendation.pipeline, requirement=pipeline.requirement)).guarantees
    enough = {Guarantee.EXACTLY_ONCE}
    if pipeline.requirement.guarantee in (Guarantee.AT_MOST_ONCE, Guarantee.NONE):
        enough.add(Guarantee.AT_MOST_ONCE)
    for boundary, had in before.items():
        if had is Guarantee.EXACTLY_ONCE:
            assert after[boundary] in enough


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
    before, after = (lost(pipeline) for pipeline in (pipeline, recommend(pipeline).pipeline))
    assert after <= before


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


SEGMENT = {
    Component.APPLICATION: {"largest.message.bytes": 1_500_000},
    Component.TOPIC: {"segment.bytes": 1_048_576},
}
"""Where segment.bytes is one of the changes."""


@given(pipelines())
@example(
    Pipeline(Family.JAVA, "4.3", "4.3", 3, SEGMENT, Requirement(Guarantee.AT_LEAST_ONCE, 0, False))
)
@example(
    Pipeline(Family.STREAMS, "2.8", "4.3", 5, {}, Requirement(Guarantee.EXACTLY_ONCE, 2, False))
)
@WHOLE_SPACE
def test_every_change_names_what_it_closes_and_its_price(pipeline):
    for change in recommend(pipeline).changes:
        assert change.before != change.after
        assert change.closes
        for dimension in PAID_IN:
            words = re.findall(rf"\b{dimension}(?:, \w+)*: ", change.price, re.IGNORECASE)
            assert len(words) == 1, change.price
        assert change.source
        assert change.procedure.how
        assert change.procedure.verify
        assert change.confidence in Confidence
