"""Recommendations for random pipelines: sufficient, minimal and deterministic."""

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


def is_impossible(recommendation: Recommendation) -> bool:
    return not all(need.only_waits for need in recommendation.impossible)


def is_unusable(after: Pipeline, before: Pipeline) -> bool:
    """Whether no recommendation may result in `after`.

    A product refuses it, it has no spare replica any more, or nothing works.
    """
    stops = bool(obstacles(after)) and not obstacles(before)
    return bool(after.problems()) or spends_last_replica(before, after) or stops


def losses(pipeline: Pipeline) -> set[tuple[str, Anomaly]]:
    loss_anomalies = {Anomaly.LOST_WRITE, Anomaly.SKIPPED, Anomaly.EFFECT_MISSING}
    return {
        (assessment.event.name, anomaly)
        for assessment in assess(pipeline).failures
        for anomaly in loss_anomalies & assessment.permits.keys()
    }


@given(pipelines())
@WHOLE_SPACE
def test_nothing_forbidden_may_happen_after_the_changes(pipeline):
    recommendation = recommend(pipeline)

    assert not recommendation.pipeline.problems()
    if not is_impossible(recommendation):
        assert not broken(recommendation.pipeline)


@given(pipelines())
@WHOLE_SPACE
def test_the_changes_never_stop_all_messages(pipeline):
    assume(not obstacles(pipeline))
    assert not obstacles(recommend(pipeline).pipeline)


def test_transactions_that_cannot_begin_are_not_recommended():
    """Before 3.7 a transaction log with one copy refuses writes that need two."""
    settings = {Component.BROKER: {"transaction.state.log.replication.factor": 1}}
    wish = Requirement(Guarantee.AT_MOST_ONCE, survive=0, ordering=False)
    for kafka, recommended in (("3.6", False), ("3.7", True)):
        pipeline = Pipeline(Family.STREAMS, "4.3", kafka, 3, settings, wish)
        names = {change.setting for change in recommend(pipeline).changes}
        assert ("processing.guarantee" in names) is recommended


@given(pipelines())
@WHOLE_SPACE
def test_every_change_is_necessary(pipeline):
    recommendation = recommend(pipeline)
    if is_impossible(recommendation):
        return
    for omitted in recommendation.changes:
        rest = pipeline
        for change in recommendation.changes:
            if change is not omitted:
                rest = rest.with_setting(change.component, change.setting, change.after)
        assert falls_short(rest, pipeline) or is_unusable(rest, pipeline)


@given(pipelines())
@settings(WHOLE_SPACE, max_examples=30)
def test_no_smaller_set_of_changes_is_sufficient(pipeline):
    recommendation = recommend(pipeline)
    search = Search.of(pipeline)
    if is_impossible(recommendation):
        return
    changes_code = any(
        (change.component, change.setting) in BENDS for change in recommendation.changes
    )
    order = [pull for pull in search.order if changes_code or pull.key not in BENDS]
    for size in range(min(len(recommendation.changes), 3)):
        for pulls in combinations(order, size):
            if len({pull.key for pull in pulls}) == size:
                after = pulled(pipeline, frozenset(pulls))
                assert falls_short(after, pipeline) or is_unusable(after, pipeline), pulls


@given(pipelines())
@settings(WHOLE_SPACE, max_examples=30)
def test_the_bounds_of_single_events_keep_the_smallest_answer(pipeline):
    """Compares the search with all bounds and without those of single events."""
    bounded, plain = (Search.of(pipeline) for _ in range(2))
    pulls, reference = bounded.smallest(), plain.smallest_by_depth()
    assert (pulls is None) == (reference is None)
    assert pulls is None or reference is None or pulls.bit_count() == reference.bit_count()


@given(pipelines())
@WHOLE_SPACE
def test_the_recommendation_is_deterministic_and_needs_no_further_changes(pipeline):
    recommendation = recommend(pipeline)

    assert recommend(pipeline) == recommendation
    if not is_impossible(recommendation):
        assert recommend(recommendation.pipeline).changes == ()


@given(pipelines())
@WHOLE_SPACE
def test_no_boundary_gets_a_weaker_guarantee(pipeline):
    """Exactly-once stays, except for a wish of at-most-once or of ordering only.

    Such a wish may forbid retries, so that the producer gives up records. Settings with which
    nothing can work are excluded: they guarantee nothing.
    """
    assume(not obstacles(pipeline))
    before = assess(pipeline).guarantees
    recommendation = recommend(pipeline)
    after = assess(replace(recommendation.pipeline, requirement=pipeline.requirement)).guarantees
    enough = {Guarantee.EXACTLY_ONCE}
    if pipeline.requirement.guarantee in (Guarantee.AT_MOST_ONCE, Guarantee.NONE):
        enough.add(Guarantee.AT_MOST_ONCE)
    for boundary, guarantee in before.items():
        if guarantee is Guarantee.EXACTLY_ONCE:
            assert after[boundary] in enough


@given(pipelines())
@WHOLE_SPACE
def test_no_change_moves_an_event_into_or_out_of_scope(pipeline):
    after = recommend(pipeline).pipeline
    for event in events_for(pipeline):
        assert event.in_scope(pipeline) == event.in_scope(after), event.name


@given(pipelines())
@WHOLE_SPACE
def test_the_changes_permit_no_new_losses(pipeline):
    """Only a wish for at-most-once or for no guarantee may permit new losses."""
    if pipeline.requirement.guarantee not in (Guarantee.AT_LEAST_ONCE, Guarantee.EXACTLY_ONCE):
        return
    before, after = (losses(pipeline) for pipeline in (pipeline, recommend(pipeline).pipeline))
    assert after <= before


@given(pipelines())
@WHOLE_SPACE
def test_no_change_weakens_a_setting(pipeline):
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
"""Settings for which segment.bytes is one of the changes."""


@given(pipelines())
@example(
    Pipeline(Family.JAVA, "4.3", "4.3", 3, SEGMENT, Requirement(Guarantee.AT_LEAST_ONCE, 0, False))
)
@example(
    Pipeline(Family.STREAMS, "2.8", "4.3", 5, {}, Requirement(Guarantee.EXACTLY_ONCE, 2, False))
)
@WHOLE_SPACE
def test_every_change_names_the_failures_it_closes_and_its_price(pipeline):
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
