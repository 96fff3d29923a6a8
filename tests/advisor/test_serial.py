"""A pipeline is written as plain data and as fields, and read back unchanged."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.reasoning.fields import from_fields
from advisor.reasoning.serial import PipelineError, from_data, to_data, to_fields
from tests.advisor.pipelines import SAFE, described, pipelines


@given(pipelines())
def test_a_pipeline_is_read_back_from_its_data(pipeline):
    assert from_data(json.loads(json.dumps(to_data(pipeline)))) == pipeline


@given(pipelines())
def test_a_pipeline_is_read_back_from_its_fields(pipeline):
    assert from_fields(to_fields(to_data(pipeline))) == (pipeline, [])


def test_defaults_are_not_written():
    assert to_data(described({}))["settings"] == {}


@pytest.mark.parametrize("broken", [
    {}, {"family": "java"}, {"settings": []}, "no mapping at all", None,
    {**to_data(described(SAFE)), "settings": {"producer": {"acks": "2"}}},
    {**to_data(described(SAFE)), "settings": {"producer": {"acks": None}}},
    {**to_data(described(SAFE)), "settings": {"producer": {"acks": ["all"]}}},
    {**to_data(described(SAFE)), "settings": {"producer": {"acks": "all\nretries=0"}}},
    {**to_data(described(SAFE)), "need": {"guarantee": "at-least-once"}},
])  # fmt: skip
def test_invalid_data_is_refused_with_its_problems(broken):
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
def test_any_fields_give_a_pipeline_or_problems(fields):
    pipeline, problems = from_fields(fields)
    assert (pipeline is None) == bool(problems)
    assert all(problem.message for problem in problems)
