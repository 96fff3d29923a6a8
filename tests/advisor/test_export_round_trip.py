"""Every export of a recommended pipeline gives the same answer when it is read back."""

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
CLOSE_ON_ERROR = {Component.APPLICATION: {"processing.errors": "close"}}
HYPOTHESIS_SETTINGS = settings(
    deadline=None, max_examples=40, suppress_health_check=list(HealthCheck)
)

IMPORTS = "import org.springframework.kafka.listener.DefaultErrorHandler;\n"


def read_back(name: str, text: str, fields: dict[str, str]) -> Inputs:
    """The inputs of a file and of the fields that no file states: client, versions, wish."""
    inputs = Inputs()
    for head in fields.keys() & set(HEADS):
        inputs.set_field(head, fields[head], Origin("--option"))
    # As the command does with a file without settings: everything has its default.
    inputs.add_texts([] if states_nothing(text) else [(name, text)])
    return inputs


def conclusions(pipeline: Pipeline) -> tuple[object, ...]:
    given = judgement(pipeline)
    events = {failure.name: frozenset(failure.permits) for failure in given.failures}
    return given.met, dict(given.guarantees), events


def combined_pipeline(inputs: Inputs, fields: dict[str, str]) -> Pipeline:
    """The pipeline of the file's settings and the fields known without it."""
    pipeline, problems = from_fields(fields | inputs.fields)
    assert pipeline is not None, problems
    return pipeline


@pytest.mark.wide
@given(pipelines())
@example(
    Pipeline(Family.JAVA, "4.3", "4.3", 3, CLOSE_ON_ERROR, Requirement(Guarantee.NONE, 0, False))
)
@HYPOTHESIS_SETTINGS
def test_each_exported_file_gives_the_same_answer_when_read_back(described: Pipeline) -> None:
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
            # Spring has its own error policy, which the file names if it matters.
            errors = exported.text(Component.APPLICATION, "processing.errors")
            assert ("DefaultErrorHandler" in text) is (errors == "retry")
            continue
        assert conclusions(combined_pipeline(inputs, fields)) == conclusions(exported), export.name


def test_a_spring_file_gives_the_same_answer_if_the_error_policy_is_stated() -> None:
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
    assert not judgement(combined_pipeline(inputs, rest)).met
    inputs.set_field("application.processing.errors", "retry", Origin("--set"))
    assert judgement(combined_pipeline(inputs, rest)).met
    bean = text.partition("    @Bean")[2].partition("    }")[0].replace("#", "")
    code = f"{IMPORTS}class A {{\n@Bean{bean}}}\n}}\n"
    with_bean = Inputs()
    with_bean.add_texts([(export.filename, text), ("A.java", code)])
    assert with_bean.fields["application.dead.letter"] == "acknowledged"
    assert judgement(combined_pipeline(with_bean, rest)).met
