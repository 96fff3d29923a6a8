"""What the pages, the command line and the experiments ask of the advisor."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from advisor.catalog import Component, Problem, Value, settings_of
from advisor.models import Description
from advisor.reasoning.assess import RULES_VERSION, Assessment, assess
from advisor.reasoning.fields import field_of, from_fields
from advisor.reasoning.finding import Finding
from advisor.reasoning.guarantees import Guarantee
from advisor.reasoning.numbers import Number, numbers
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.recommend import Change, Impossible, Recommendation, recommend
from advisor.reasoning.serial import PipelineError, from_data, to_data, to_fields
from advisor.reasoning.words import describe_guarantee

__all__ = [
    "COLUMNS",
    "RULES_VERSION",
    "Assessment",
    "Change",
    "Impossible",
    "Number",
    "PipelineError",
    "Problem",
    "Recommendation",
    "StaleDescription",
    "advise",
    "answers",
    "assess",
    "columns",
    "describe_guarantee",
    "field_of",
    "from_data",
    "from_fields",
    "in_force",
    "load",
    "numbers",
    "recommend",
    "recommended",
    "save",
    "to_data",
    "to_fields",
]


class StaleDescription(PipelineError):
    """What was saved and the catalog no longer takes; `problems` says why not."""

    def __init__(self, description: Description, problems: list[Problem]) -> None:
        super().__init__(problems)
        self.description = description


COLUMNS = (Guarantee.AT_MOST_ONCE, Guarantee.AT_LEAST_ONCE, Guarantee.EXACTLY_ONCE)
"""The guarantees that are set side by side, so that a team chooses with open eyes."""


def advise(pipeline: Pipeline) -> dict[str, Any]:
    """The whole advice as JSON data, for the guarantee required."""
    assessment = assess(pipeline)
    recommendation = recommend(pipeline)
    return {
        "guarantee": {
            boundary.value: guarantee.value for boundary, guarantee in assessment.guarantees.items()
        },
        "failures": [
            {
                "event": failure.event.name,
                "permits": {anomaly.value: why for anomaly, why in failure.permits.items()},
                "scenario": failure.event.scenario,
            }
            for failure in assessment.failures
            if failure.in_scope
        ],
        "findings": [_finding(found) for found in assessment.findings],
        "changes": [_change(change) for change in recommendation.changes],
        "impossible": [_impossible(each) for each in recommendation.impossible],
        "numbers": [asdict(each) for each in numbers(pipeline)],
    }


def columns(pipeline: Pipeline) -> dict[Guarantee, Recommendation]:
    """What each guarantee would take, in the order of `COLUMNS`."""
    return {guarantee: recommend(pipeline, guarantee) for guarantee in COLUMNS}


def recommended(pipeline: Pipeline) -> Pipeline:
    """The pipeline after the changes recommended for its own requirement."""
    return recommend(pipeline).pipeline


def in_force(pipeline: Pipeline) -> dict[str, dict[str, str | int | bool]]:
    """Every setting of the catalog that has a value here, stated or not, by component.

    This is what an experiment's arm runs with: complete, so that it behaves as described
    whatever client runs it.
    """
    return {component.value: _in_force(pipeline, component) for component in Component}


def _in_force(pipeline: Pipeline, component: Component) -> dict[str, str | int | bool]:
    known = settings_of(pipeline.family, pipeline.version, pipeline.kafka, component)
    names = [setting.name for setting in known]
    return dict(_with_value((name, pipeline.value(component, name)) for name in names))


def _with_value(
    settings: Iterable[tuple[str, Value]],
) -> Iterable[tuple[str, str | int | bool]]:
    return ((name, value) for name, value in settings if value is not None)


def save(pipeline: Pipeline) -> Description:
    """Keeps a pipeline behind a new permanent link."""
    return Description.objects.create(data=to_data(pipeline), rules_version=RULES_VERSION)


def load(slug: str) -> Pipeline:
    """The pipeline behind a link.

    Raises `Description.DoesNotExist`, and `StaleDescription` if the catalog no longer takes it.
    """
    description = Description.objects.get(slug=slug)
    try:
        return from_data(description.data)
    except PipelineError as error:
        raise StaleDescription(description, error.problems) from error


def answers(description: Description) -> dict[str, str]:
    """What was saved as flat fields, whether or not the catalog takes it.

    Raises `StaleDescription` if it cannot even be read.
    """
    try:
        return to_fields(description.data)
    except PipelineError as error:
        raise StaleDescription(description, error.problems) from error


def _finding(found: Finding) -> dict[str, Any]:
    rule = found.rule
    return {
        "code": rule.code,
        "name": rule.name,
        "severity": rule.severity.value,
        "confidence": rule.confidence.value,
        "setting": f"{rule.component}.{rule.setting}",
        "message": found.message,
        "sources": list(rule.sources),
    }


def _change(change: Change) -> dict[str, Any]:
    return {
        "component": change.component.value,
        "setting": change.setting,
        "from": change.before,
        "to": change.after,
        "closes": list(change.closes),
        "price": change.price,
        "source": change.source,
        "confidence": change.confidence.value,
        "apply": {**asdict(change.procedure), "after": list(change.procedure.after)},
    }


def _impossible(each: Impossible) -> dict[str, Any]:
    return {"wish": each.wish, "why": each.why, "nearest": each.nearest}
