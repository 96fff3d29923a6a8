"""A stronger setting never makes a harm possible that was not possible before."""

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
from advisor.reasoning.pipeline import Pipeline
from tests.advisor.pipelines import pipelines

pytestmark = pytest.mark.wide

LOSSES = {Anomaly.LOST_WRITE, Anomaly.SKIPPED, Anomaly.EFFECT_MISSING, Anomaly.DIVERGED}
REPEATS = {Anomaly.DUPLICATE, Anomaly.REDELIVERY, Anomaly.EFFECT_DUPLICATED}
COPIES = {Anomaly.DUPLICATE, Anomaly.EFFECT_DUPLICATED}
HARMS = set(Anomaly) - {Anomaly.UNAVAILABLE, Anomaly.BLOCKED}
P, C, T, B = Component.PRODUCER, Component.CONSUMER, Component.TOPIC, Component.BROKER
APP = Component.APPLICATION
EXAMPLES = settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)


class Law(NamedTuple):
    """One setting at a weaker and at a stronger value, and what the stronger one must not add."""

    component: Component
    name: str
    weaker: Value
    stronger: Value
    kinds: Collection[Anomaly]


LAWS = (
    Law(P, "acks", "0", "1", LOSSES),
    Law(P, "acks", "1", "all", LOSSES),
    Law(P, "acks", "0", "all", LOSSES),
    Law(P, "retries", 3, 2147483647, LOSSES),
    Law(P, "delivery.timeout.ms", 1_000, 120_000, LOSSES),
    Law(P, "max.in.flight.requests.per.connection", 5, 1, {Anomaly.REORDERED}),
    Law(P, "queuing.strategy", "lifo", "fifo", HARMS),
    Law(P, "partitioner.ignore.keys", True, False, HARMS),
    Law(T, "unclean.leader.election.enable", True, False, HARMS),
    Law(T, "flush.messages", 10_000, 1, LOSSES),
    Law(T, "max.message.bytes", 20_000, 2_000_000, LOSSES),
    Law(T, "retention.ms", 3_600_000, -1, LOSSES),
    Law(T, "retention.bytes", 1_073_741_824, -1, LOSSES),
    Law(T, "cleanup.policy", "compact,delete", "delete", LOSSES),
    Law(B, "producer.id.expiration.ms", 60_000, 86_400_000, HARMS),
    Law(B, "offsets.retention.minutes", 1, 10_080, HARMS),
    Law(B, "transaction.state.log.replication.factor", 1, 3, HARMS),
    Law(C, "auto.offset.reset", "latest", "earliest", LOSSES),
    Law(C, "startingOffsets", "latest", "earliest", LOSSES),
    Law(C, "failOnDataLoss", False, True, LOSSES),
    Law(
        C,
        "isolation.level",
        "read_uncommitted",
        "read_committed",
        {Anomaly.ABORTED_READ, Anomaly.TORN_TRANSACTION},
    ),
    Law(APP, "commit", "after-processing", "before-processing", REPEATS),
    Law(APP, "commit.order", "as-done", "in-order", LOSSES),
    Law(APP, "processing.order", "any", "by-key", HARMS),
    Law(APP, "delivery.errors", "ignored", "handled", LOSSES),
    Law(APP, "processing.errors", "skip", "retry", LOSSES),
    Law(APP, "dead.letter", "unacknowledged", "acknowledged", LOSSES),
    Law(APP, "abort", "continues", "rewinds", HARMS),
    Law(APP, "restart", "forgets", "resumes", LOSSES),
    Law(APP, "sink", "plain", "idempotent", {Anomaly.EFFECT_DUPLICATED}),
    Law(APP, "state", "unlogged", "logged", HARMS),
    Law(APP, "checkpoint", "local", "durable", HARMS),
    Law(APP, "speculation", True, False, HARMS),
    Law(APP, "topic.recreated", "while-running", "never", HARMS),
    Law(APP, "topic.recreated", "clients-stopped", "never", HARMS),
    Law(APP, "disk.lost", "returns-empty", "replica-elected", HARMS),
    Law(APP, "metadata.disk.lost", "returns-empty", "rebuilt", HARMS),
    Law(APP, "replicas.in.sync", 1, 3, HARMS),
    Law(APP, "replicas.moved", "any-time", "in-sync-only", HARMS),
    Law(APP, "timestamps", "from-source", "now", LOSSES),
    Law(APP, "clock.skew.ms", 7_200_000, 0, HARMS),
    Law(APP, "outage.ms", 172_800_000, 1_000, HARMS),
    Law(APP, "idle.ms", 604_800_000, 0, HARMS),
    Law(APP, "largest.message.bytes", 1_500_000, 100, LOSSES),
)


def permitted(pipeline: Pipeline, kinds: Collection[Anomaly]) -> set[tuple[str, Anomaly]]:
    return {
        (event.name, anomaly)
        for event in events_for(pipeline)
        for anomaly in event.permits(pipeline)
        if anomaly in kinds
    }


def changed(pipeline: Pipeline, *changes: tuple[Component, str, Value]) -> Pipeline:
    for component, name, value in changes:
        assume(pipeline.knows(component, name))
        pipeline = pipeline.with_setting(component, name, value)
    assume(not pipeline.problems())
    return pipeline


@pytest.mark.parametrize("law", LAWS, ids=lambda law: f"{law.name}-{law.weaker}-{law.stronger}")
@given(pipeline=pipelines())
@EXAMPLES
def test_a_stronger_value_harms_no_more(law: Law, pipeline: Pipeline):
    before = changed(pipeline, (law.component, law.name, law.weaker))
    after = changed(pipeline, (law.component, law.name, law.stronger))
    assert permitted(after, law.kinds) <= permitted(before, law.kinds)


@given(pipelines())
@EXAMPLES
def test_idempotence_harms_no_more(pipeline: Pipeline):
    """Where librdkafka gives a record up, it takes a new producer id, and copies are possible
    (decision 0151). Without idempotence the same failures make them when an answer is lost."""
    before, after = (changed(pipeline, (P, "enable.idempotence", value)) for value in (False, True))
    kinds = LOSSES | REPEATS | {Anomaly.REORDERED}
    added = permitted(after, kinds) - permitted(before, kinds)
    if Session(after).takes_new_producer_id and (
        "acknowledgement-lost",
        Anomaly.DUPLICATE,
    ) in permitted(before, kinds):
        added = {(event, anomaly) for event, anomaly in added if anomaly not in COPIES}
    assert not added


@given(pipelines())
@EXAMPLES
def test_one_more_replica_with_one_more_in_sync_loses_nothing_more(pipeline: Pipeline):
    """With acks below all two are apart: one copy, which has no fail-over that could lose
    something, and a minimum of one, below which no replica becomes eligible to lead. So is one copy
    of which the disk comes back empty, or that is moved: it is lost in other failures than two
    copies are. And one that nobody else can lead, not even uncleanly."""
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
def test_a_higher_minimum_loses_nothing_more_with_acks_all(pipeline: Pipeline):
    topic = Replication(pipeline)
    assume(topic.waits_for_followers)
    after = changed(pipeline, (T, "min.insync.replicas", topic.min_isr + 1))
    assert permitted(after, LOSSES) <= permitted(pipeline, LOSSES)
