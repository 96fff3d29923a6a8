"""Traced and memoized pipelines equal plain ones, also after changes."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from advisor.catalog import Component
from advisor.reasoning.assess import assess
from advisor.reasoning.failures import events_for
from advisor.reasoning.judgement import judge
from advisor.reasoning.keys import spelled_out
from advisor.reasoning.levers import levers
from advisor.reasoning.memoized import MemoizedPipeline
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.rules import all_rules
from advisor.reasoning.trace import Traced
from tests.advisor.pipelines import SAFE, assessed, described, pipelines


@given(pipelines(), st.data())
def test_a_traced_pipeline_judges_like_a_new_one_after_any_changes(
    pipeline: Pipeline, data: st.DataObject
) -> None:
    traced = Traced.of(pipeline)
    for _ in range(3):
        for event in events_for(pipeline):
            assert traced.judged(event)[0] == judge(event, pipeline)
        pulls = [(lever, value) for lever, values in levers(pipeline) for value in values]
        if not pulls:
            return
        lever, value = data.draw(st.sampled_from(pulls))
        pipeline = pipeline.with_setting(lever.component, lever.setting, value)
        traced = traced.with_setting(lever.component, lever.setting, value)


@given(pipelines())
def test_memoized_values_equal_computed_ones(pipeline: Pipeline) -> None:
    remembered = MemoizedPipeline.of(pipeline)
    for component in Component:
        for setting in pipeline.known_settings(component):
            key = (component, setting.name)
            assert remembered.value(*key) == pipeline.value(*key)
    for event in events_for(pipeline):
        assert judge(event, remembered) == judge(event, pipeline)
    for rule in all_rules():
        assert rule.check(remembered) == rule.check(pipeline)


def test_the_reads_include_settings_that_decide_a_default() -> None:
    fields = {"producer.acks": "1", "topic.replication.factor": "3"}
    [event] = [
        event for event in events_for(described(fields)) if event.name == "acknowledgement-lost"
    ]
    reads = spelled_out(Traced.of(described(fields)).judged(event)[1])
    assert (Component.PRODUCER, "acks") in reads, "acks=1 switches idempotence off"
    assert (Component.TOPIC, "replication.factor") not in reads


def test_the_reads_of_a_judgement_exclude_those_of_another() -> None:
    traced = Traced.of(described(SAFE))
    by_name = {event.name: event for event in events_for(traced)}
    reads_alone = Traced.of(described(SAFE)).judged(by_name["keys-moved"])[1]
    traced.judged(by_name["leader-killed"])
    assert traced.judged(by_name["keys-moved"])[1] == reads_alone


def test_a_judgement_is_kept_until_a_setting_that_it_read_changes() -> None:
    traced = Traced.of(described(SAFE))
    [event] = [event for event in events_for(traced) if event.name == "broker-disk-lost"]
    judgement = traced.judged(event)
    other = traced.with_setting(Component.CONSUMER, "isolation.level", "read_committed")
    assert other.judged(event) is judgement
    assert traced.with_setting(Component.PRODUCER, "acks", "1").judged(event) != judgement


def test_a_check_whether_a_setting_is_stated_is_a_read() -> None:
    """With Spring the judgement only checks whether commit.order is stated. It must not survive a
    change of commit.order."""
    spring = {"application.framework": "spring", "application.processing": "asynchronous"}
    pipeline = described(SAFE | spring)
    traced = Traced.of(pipeline)
    [event] = [event for event in events_for(pipeline) if event.name == "asynchronous-processing"]
    before = traced.judged(event)[0]
    order = (Component.APPLICATION, "commit.order", "in-order")
    after = judge(event, pipeline.with_setting(*order))
    assert before != after
    assert traced.with_setting(*order).judged(event)[0] == after


def test_the_reads_of_a_refusal_are_the_conflicting_settings() -> None:
    stated = {"producer.enable.idempotence": "true", "producer.acks": "all"}
    traced = Traced.of(described(stated))
    assert not traced.refused()[0]
    refused, keys = traced.with_setting(Component.PRODUCER, "acks", "1").refused()
    assert refused
    reads = spelled_out(keys)
    assert {(Component.PRODUCER, "acks"), (Component.PRODUCER, "enable.idempotence")} <= reads
    assert (Component.TOPIC, "cleanup.policy") not in reads


def test_another_requirement_is_judged_again() -> None:
    traced = Traced.of(described(SAFE))
    assess(traced)
    more = replace(traced, requirement=replace(traced.requirement, survive=2))
    assert assessed(more, "broker-disk-lost").permits


def test_another_wish_with_the_same_survival_keeps_the_judgements() -> None:
    traced = Traced.of(described(SAFE))
    [event] = [event for event in events_for(traced) if event.name == "broker-disk-lost"]
    judgement = traced.judged(event)
    ordered = replace(traced.requirement, ordering=not traced.requirement.ordering)
    assert traced.requiring(ordered).judged(event) is judgement
    more = replace(traced.requirement, survive=traced.requirement.survive + 1)
    assert traced.requiring(more).judged(event) == (
        judge(event, replace(described(SAFE), requirement=more)), judgement[1]
    )  # fmt: skip
    assert traced.requiring(more).judged(event) != judgement
