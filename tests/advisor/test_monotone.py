"""A stronger setting never makes a loss or a repeat possible that was not possible before."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, assume, given, settings

from advisor.catalog import Component, Value
from advisor.reasoning.failures import events_for
from advisor.reasoning.guarantees import Anomaly
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.replication import Replication
from tests.advisor.pipelines import pipelines

pytestmark = pytest.mark.drawn

LOSSES = {Anomaly.LOST_WRITE, Anomaly.SKIPPED, Anomaly.EFFECT_MISSING, Anomaly.DIVERGED}
REPEATS = {Anomaly.DUPLICATE, Anomaly.REDELIVERY, Anomaly.EFFECT_DUPLICATED, Anomaly.REORDERED}
P, T = Component.PRODUCER, Component.TOPIC
EXAMPLES = settings(
    max_examples=120, deadline=None, suppress_health_check=[HealthCheck.filter_too_much]
)


def permitted(pipeline: Pipeline, kind: set[Anomaly]) -> set[tuple[str, Anomaly]]:
    return {
        (event.name, anomaly)
        for event in events_for(pipeline)
        for anomaly in event.permits(pipeline)
        if anomaly in kind
    }


def changed(pipeline: Pipeline, *changes: tuple[Component, str, Value]) -> Pipeline:
    for change in changes:
        pipeline = pipeline.with_setting(*change)
    assume(not pipeline.problems())
    return pipeline


@pytest.mark.parametrize(("weaker", "stronger"), [("0", "1"), ("1", "all"), ("0", "all")])
@given(pipeline=pipelines())
@EXAMPLES
def test_more_acknowledgements_lose_nothing_more(weaker: str, stronger: str, pipeline: Pipeline):
    before = changed(pipeline, (P, "acks", weaker))
    after = changed(pipeline, (P, "acks", stronger))
    assert permitted(after, LOSSES) <= permitted(before, LOSSES)


@given(pipelines())
@EXAMPLES
def test_idempotence_neither_loses_nor_repeats_more(pipeline: Pipeline):
    before = changed(pipeline, (P, "enable.idempotence", False))
    after = changed(before, (P, "enable.idempotence", True))
    for kind in (LOSSES, REPEATS):
        assert permitted(after, kind) <= permitted(before, kind)


@given(pipelines())
@EXAMPLES
def test_one_more_replica_with_one_more_in_sync_loses_nothing_more(pipeline: Pipeline):
    """With acks below all two are apart: one copy, which has no fail-over that could lose
    something, and a minimum of one, below which no replica becomes eligible to lead."""
    topic = Replication(pipeline)
    assume(topic.min_isr <= topic.factor < pipeline.brokers)
    assume(topic.waits_for_followers or not topic.eligible_replicas or topic.min_isr > 1)
    after = changed(
        pipeline,
        (T, "replication.factor", topic.factor + 1),
        (T, "min.insync.replicas", topic.min_isr + 1),
    )
    if topic.fails_over or topic.waits_for_followers:
        assert permitted(after, LOSSES) <= permitted(pipeline, LOSSES)


@given(pipelines())
@EXAMPLES
def test_a_higher_minimum_loses_nothing_more_with_acks_all(pipeline: Pipeline):
    topic = Replication(pipeline)
    assume(topic.waits_for_followers)
    after = changed(pipeline, (T, "min.insync.replicas", topic.min_isr + 1))
    assert permitted(after, LOSSES) <= permitted(pipeline, LOSSES)


@given(pipelines())
@EXAMPLES
def test_clean_elections_lose_nothing_more(pipeline: Pipeline):
    before = changed(pipeline, (T, "unclean.leader.election.enable", True))
    after = changed(pipeline, (T, "unclean.leader.election.enable", False))
    assert permitted(after, LOSSES) <= permitted(before, LOSSES)
