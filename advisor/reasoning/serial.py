"""Converts a pipeline to plain data (JSON) and back; the data is validated like typed input."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from advisor.catalog import Component, Problem, Value
from advisor.reasoning.fields import from_fields
from advisor.reasoning.pipeline import Pipeline

_SWITCH = {"true": "on", "false": "off"}
"""JSON's values → the form's."""


class PipelineError(ValueError):
    """Data that is not a valid pipeline; `problems` are all its problems."""

    def __init__(self, problems: list[Problem]) -> None:
        text = "; ".join(
            f"{problem.component}.{problem.setting}: {problem.message}" for problem in problems
        )
        super().__init__(text)
        self.problems = problems


def to_data(pipeline: Pipeline) -> dict[str, Any]:
    """Returns the pipeline as JSON data, with stated settings only, so that defaults stay
    defaults."""
    need = pipeline.requirement
    releases = {"version": pipeline.client_release, "kafka": pipeline.kafka_release}
    stated = {name: release for name, release in releases.items() if release}
    return {
        "family": pipeline.family.value,
        "version": pipeline.version,
        "kafka": pipeline.kafka,
        "brokers": pipeline.brokers,
        "settings": {
            component.value: dict(pipeline.stated(component))
            for component in Component
            if pipeline.stated(component)
        },
        "need": {
            "guarantee": need.guarantee.value,
            "survive": need.survive,
            "ordering": need.ordering,
        },
        **({"releases": stated} if stated else {}),
    }


def from_data(data: Mapping[str, Any]) -> Pipeline:
    """Returns the pipeline that `to_data` converted. Raises `PipelineError` for other data."""
    pipeline, problems = from_fields(to_fields(data))
    if pipeline is None:
        raise PipelineError(problems)
    return pipeline


def to_fields(data: Mapping[str, Any]) -> dict[str, str]:
    """Returns the result of `to_data` as the form's flat fields, without checks by the catalog.

    Raises `PipelineError` for data of another shape.
    """
    try:
        fields = {name: _text(data[name]) for name in ("family", "version", "kafka", "brokers")}
        fields |= {name: _text(text) for name, text in data.get("releases", {}).items()}
        for part in ("guarantee", "survive", "ordering"):
            fields[f"need.{part}"] = _text(data["need"][part])
        for component, settings in data["settings"].items():
            for name, value in settings.items():
                fields[f"{component}.{name}"] = _text(value)
    except (KeyError, TypeError, AttributeError) as error:
        message = f"This is not a pipeline: {error}."
        raise PipelineError([Problem(Component.APPLICATION, "pipeline", message)]) from error
    ordering = fields["need.ordering"]
    return fields | {"need.ordering": _SWITCH.get(ordering, ordering)}


def _text(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str | int):
        raise TypeError(f"{value!r} is not a value")
    return str(value)
