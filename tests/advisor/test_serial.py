"""A pipeline goes out as plain data and as fields, and comes back the same."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.reasoning.fields import from_fields
from advisor.reasoning.serial import PipelineError, from_data, to_data, to_fields
from tests.advisor.pipelines import SAFE, described, pipelines


@given(pipelines())
def test_data_comes_back_as_the_same_pipeline(pipeline):
    assert from_data(json.loads(json.dumps(to_data(pipeline)))) == pipeline


@given(pipelines())
def test_fields_come_back_as_the_same_pipeline(pipeline):
    assert from_fields(to_fields(to_data(pipeline))) == (pipeline, [])


def test_a_default_stays_a_default():
    assert to_data(described({}))["settings"] == {}


@pytest.mark.parametrize("broken", [
    {}, {"family": "java"}, {"settings": []}, "no mapping at all", None,
    {**to_data(described(SAFE)), "settings": {"producer": {"acks": "2"}}},
    {**to_data(described(SAFE)), "settings": {"producer": {"acks": None}}},
    {**to_data(described(SAFE)), "settings": {"producer": {"acks": ["all"]}}},
    {**to_data(described(SAFE)), "settings": {"producer": {"acks": "all\nretries=0"}}},
    {**to_data(described(SAFE)), "need": {"guarantee": "at-least-once"}},
])  # fmt: skip
def test_anything_else_is_refused_by_name(broken):
    with pytest.raises(PipelineError) as refused:
        from_data(broken)
    assert refused.value.problems


NAMES = st.one_of(
    st.sampled_from([
        "family", "version", "kafka", "brokers", "need.survive", "need.ordering",
        "need.guarantee", "producer.acks", "producer.retries", "topic.replication.factor",
        "application.commit", "producer.", "producer", ".acks", "brokers.", "",
    ]),
    st.text(max_size=80),
)  # fmt: skip


@given(st.dictionaries(NAMES, st.text(max_size=300)))
def test_whatever_is_typed_gets_a_pipeline_or_problems(fields):
    pipeline, problems = from_fields(fields)
    assert (pipeline is None) == bool(problems)
    assert all(problem.message for problem in problems)
