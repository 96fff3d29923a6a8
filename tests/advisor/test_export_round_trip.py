"""Every export of a recommended pipeline, read back: the answer is the same, or it says why not."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, assume, example, given, settings

from advisor.catalog import Component, Family
from advisor.export import Stamp, exports_for
from advisor.intake.file_text import states_nothing
from advisor.intake.inputs import Inputs
from advisor.intake.origins import Origin
from advisor.reasoning.answer import judgement
from advisor.reasoning.fields import HEADS, from_fields
from advisor.reasoning.guarantees import Guarantee, Requirement
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.recommend import recommend
from advisor.reasoning.serial import to_data, to_fields
from advisor.rules_version import RULES_VERSION
from tests.advisor.pipelines import pipelines

STAMP = Stamp(RULES_VERSION, "4.3", "client", "http://localhost/")
CLOSES = {Component.APPLICATION: {"processing.errors": "close"}}
TRIES = settings(deadline=None, max_examples=40, suppress_health_check=list(HealthCheck))


def read_back(name: str, text: str, fields: dict[str, str]) -> Inputs:
    """The file, beside what no file says: client, versions, brokers and the wish."""
    inputs = Inputs()
    for head in fields.keys() & set(HEADS):
        inputs.set_field(head, fields[head], Origin("--option"))
    # As the command does, where all that counts is a default.
    inputs.add_texts([] if states_nothing(text) else [(name, text)])
    return inputs


def said(pipeline: Pipeline) -> tuple[object, ...]:
    given = judgement(pipeline)
    events = {failure.name: frozenset(failure.permits) for failure in given.failures}
    return given.met, dict(given.guarantees), events


def beside(inputs: Inputs, fields: dict[str, str]) -> Pipeline:
    """The pipeline of what a file says, and of what was known without it."""
    pipeline, problems = from_fields(fields | inputs.fields)
    assert pipeline is not None, problems
    return pipeline


@pytest.mark.wide
@given(pipelines())
@example(Pipeline(Family.JAVA, "4.3", "4.3", 3, CLOSES, Requirement(Guarantee.NONE, 0, False)))
@TRIES
def test_each_file_gives_the_answer_that_it_was_made_for(described: Pipeline) -> None:
    recommendation = recommend(described)
    assume(not recommendation.impossible)
    exported = recommendation.pipeline
    fields = dict(to_fields(to_data(exported)))
    for export in exports_for(exported, described):
        text = export.render(exported, STAMP, described)
        inputs = read_back(export.filename, text, fields)
        if export.name == "reassignment":
            assert "moves replicas of a topic, and states no setting" in inputs.problems[0]
            continue
        assert not inputs.problems, export.name
        if inputs.fields.get("application.framework"):
            # Spring has an error policy of its own, which the file names where it matters.
            errors = exported.text(Component.APPLICATION, "processing.errors")
            assert ("DefaultErrorHandler" in text) is (errors == "retry")
            continue
        assert said(beside(inputs, fields)) == said(exported), export.name


def test_a_file_for_spring_gives_it_where_its_error_handler_is_stated() -> None:
    fields = {
        "family": "java", "version": "4.3", "kafka": "4.3", "brokers": "3",
        "producer.acks": "1", "topic.replication.factor": "3", "topic.min.insync.replicas": "2",
        "consumer.auto.offset.reset": "earliest", "application.restart": "resumes",
        "application.commit": "after-processing", "consumer.enable.auto.commit": "false",
    }  # fmt: skip
    described, _ = from_fields(fields)
    assert described is not None
    exported = recommend(described).pipeline
    (export,) = (it for it in exports_for(exported, described) if it.name == "spring-boot")
    text = export.render(exported, STAMP, described)
    inputs = read_back(export.filename, text, fields)
    rest = {name: value for name, value in fields.items() if not name.startswith("producer.")}
    assert not judgement(beside(inputs, rest)).met
    inputs.set_field("application.processing.errors", "retry", Origin("--set"))
    assert judgement(beside(inputs, rest)).met
