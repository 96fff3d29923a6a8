"""A stronger setting never permits an anomaly that a weaker one did not permit."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, assume, given, settings

from advisor.catalog import Component, Value
from advisor.reasoning.behaviour.replication import Replication, removed_early
from advisor.reasoning.behaviour.session import Session
from advisor.reasoning.failures import events_for
from advisor.reasoning.guarantees import Anomaly
from advisor.reasoning.memoized import MemoizedPipeline
from advisor.reasoning.pipeline import Pipeline
from tests.advisor.pipelines import pipelines

pytestmark = pytest.mark.wide

LOSSES = {Anomaly.LOST_WRITE, Anomaly.SKIPPED, Anomaly.EFFECT_MISSING, Anomaly.DIVERGED}
DUPLICATES = {Anomaly.DUPLICATE, Anomaly.REDELIVERY, Anomaly.EFFECT_DUPLICATED}
COPIES = {Anomaly.DUPLICATE, Anomaly.EFFECT_DUPLICATED}
HARMS = set(Anomaly) - {Anomaly.UNAVAILABLE, Anomaly.BLOCKED}
P, C, T, B = Component.PRODUCER, Component.CONSUMER, Component.TOPIC, Component.BROKER
APP = Component.APPLICATION
EXAMPLES = settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)


class Rule(NamedTuple):
    """A weaker and a stronger value of a setting; the stronger one must not add these kinds."""

    component: Component
    name: str
    weaker: Value
    stronger: Value
    kinds: Collection[Anomaly]


RULES = (
    Rule(P, "acks", "0", "1", LOSSES),
    Rule(P, "acks", "1", "all", LOSSES),
    Rule(P, "acks", "0", "all", LOSSES),
    Rule(P, "retries", 3, 2147483647, LOSSES),
    Rule(P, "delivery.timeout.ms", 1_000, 120_000, LOSSES),
    Rule(P, "max.in.flight.requests.per.connection", 5, 1, {Anomaly.REORDERED}),
    Rule(P, "queuing.strategy", "lifo", "fifo", HARMS),
    Rule(P, "partitioner.ignore.keys", True, False, HARMS),
    Rule(T, "unclean.leader.election.enable", True, False, HARMS),
    Rule(T, "flush.messages", 10_000, 1, LOSSES),
    Rule(T, "max.message.bytes", 20_000, 2_000_000, LOSSES),
    Rule(T, "retention.ms", 3_600_000, -1, LOSSES),
    Rule(T, "retention.bytes", 1_073_741_824, -1, LOSSES),
    Rule(T, "cleanup.policy", "compact,delete", "delete", LOSSES),
    Rule(B, "producer.id.expiration.ms", 60_000, 86_400_000, HARMS),
    Rule(B, "offsets.retention.minutes", 1, 10_080, HARMS),
    Rule(B, "transaction.state.log.replication.factor", 1, 3, HARMS),
    Rule(C, "auto.offset.reset", "latest", "earliest", LOSSES),
    Rule(C, "startingOffsets", "latest", "earliest", LOSSES),
    Rule(C, "failOnDataLoss", False, True, LOSSES),
    Rule(
        C,
        "isolation.level",
        "read_uncommitted",
        "read_committed",
        {Anomaly.ABORTED_READ, Anomaly.TORN_TRANSACTION},
    ),
    Rule(APP, "commit", "after-processing", "before-processing", DUPLICATES),
    Rule(APP, "commit.order", "as-done", "in-order", LOSSES),
    Rule(APP, "processing.order", "any", "by-key", HARMS),
    Rule(APP, "delivery.errors", "ignored", "handled", LOSSES),
    Rule(APP, "processing.errors", "skip", "retry", LOSSES),
    Rule(APP, "dead.letter", "unacknowledged", "acknowledged", LOSSES),
    Rule(APP, "abort", "continues", "rewinds", LOSSES),  # it reads the input again instead
    Rule(APP, "restart", "forgets", "resumes", LOSSES),
    Rule(APP, "sink", "plain", "idempotent", {Anomaly.EFFECT_DUPLICATED}),
    Rule(APP, "state", "unlogged", "logged", HARMS),
    Rule(APP, "checkpoint", "local", "durable", HARMS),
    Rule(APP, "speculation", True, False, HARMS),
    Rule(APP, "topic.recreated", "while-running", "never", HARMS),
    Rule(APP, "topic.recreated", "clients-stopped", "never", HARMS),
    Rule(APP, "disk.lost", "returns-empty", "replica-elected", HARMS),
    Rule(APP, "metadata.disk.lost", "returns-empty", "rebuilt", HARMS),
    Rule(APP, "replicas.in.sync", 1, 3, HARMS),
    Rule(APP, "replicas.moved", "any-time", "in-sync-only", HARMS),
    Rule(APP, "timestamps", "from-source", "now", LOSSES),
    Rule(APP, "clock.skew.ms", 7_200_000, 0, HARMS),
    Rule(APP, "outage.ms", 172_800_000, 1_000, HARMS),
    Rule(APP, "idle.ms", 604_800_000, 0, HARMS),
    Rule(APP, "largest.message.bytes", 1_500_000, 100, LOSSES),
    Rule(APP, "message.bytes", 1_500_000, 100, LOSSES),
)


def permitted(pipeline: Pipeline, kinds: Collection[Anomaly]) -> set[tuple[str, Anomaly]]:
    cached = MemoizedPipeline.of(pipeline)
    return {
        (event.name, anomaly)
        for event in events_for(cached)
        for anomaly in event.permits(cached)
        if anomaly in kinds
    }


def changed(pipeline: Pipeline, *changes: tuple[Component, str, Value]) -> Pipeline:
    for component, name, value in changes:
        assume(pipeline.knows(component, name))
        pipeline = pipeline.with_setting(component, name, value)
    assume(not pipeline.problems())
    return pipeline


@pytest.mark.parametrize(
    "rule", RULES, ids=lambda rule: f"{rule.name}-{rule.weaker}-{rule.stronger}"
)
@given(pipeline=pipelines())
@EXAMPLES
def test_a_stronger_value_permits_no_more_anomalies(rule: Rule, pipeline: Pipeline):
    before = changed(pipeline, (rule.component, rule.name, rule.weaker))
    after = changed(pipeline, (rule.component, rule.name, rule.stronger))
    assert permitted(after, rule.kinds) <= permitted(before, rule.kinds)


@given(pipelines())
@EXAMPLES
def test_idempotence_permits_no_more_anomalies(pipeline: Pipeline):
    """After librdkafka gives up a record, it gets a new producer id, and duplicates are possible
    (decision 0151). Without idempotence a lost response causes the same duplicates."""
    before, after = (changed(pipeline, (P, "enable.idempotence", value)) for value in (False, True))
    kinds = LOSSES | DUPLICATES | {Anomaly.REORDERED}
    added = permitted(after, kinds) - permitted(before, kinds)
    if Session(after).takes_new_producer_id and (
        "acknowledgement-lost",
        Anomaly.DUPLICATE,
    ) in permitted(before, kinds):
        added = {(event, anomaly) for event, anomaly in added if anomaly not in COPIES}
    assert not added


@given(pipelines())
@EXAMPLES
def test_one_more_replica_and_min_isr_permit_no_more_losses(pipeline: Pipeline):
    """Excludes pipelines where one more replica adds failures.

    One copy has no fail-over that could lose records, and it cannot be led uncleanly by another
    replica. With an empty disk or a reassignment it is lost in other failures than two copies are.
    With acks below all and a minimum of one, no replica becomes eligible to lead.
    """
    topic = Replication(pipeline)
    is_moved = bool(removed_early(pipeline, topic.factor + 1))
    is_led_uncleanly = topic.unclean and not topic.hides_below_min_isr
    assume(topic.factor > 1 or not (topic.returns_empty or is_moved or is_led_uncleanly))
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
def test_a_higher_min_isr_permits_no_more_losses_with_acks_all(pipeline: Pipeline):
    topic = Replication(pipeline)
    assume(topic.waits_for_followers)
    after = changed(pipeline, (T, "min.insync.replicas", topic.min_isr + 1))
    assert permitted(after, LOSSES) <= permitted(pipeline, LOSSES)
