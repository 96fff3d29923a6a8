"""A visitor's levers as a description: the changes, and the failures that remain open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from advisor.catalog import (
    Component,
    Family,
    Problem,
    Setting,
    Value,
    client_line,
    kafka_line,
    kafka_versions,
    lookup,
    versions,
)
from advisor.reasoning.answer import judgement
from advisor.reasoning.fields import from_fields
from advisor.reasoning.pipeline import Pipeline
from labs.challenges.grading import Stated
from labs.challenges.model import Challenge


@dataclass(frozen=True, slots=True)
class Change:
    """A lever whose value differs from the start; None means that it is not stated."""

    name: str
    before: Value
    after: Value


def lever_setting(challenge: Challenge, name: str) -> Setting:
    """Returns a lever's setting in the catalog. Raises `SettingError` if it is not modelled."""
    family = Family(challenge.settings.get("family", "java"))
    component, _, key = name.partition(".")
    version = client_line(family, challenge.settings.get("version") or versions(family)[0])
    kafka = kafka_line(challenge.settings.get("kafka") or kafka_versions()[0])
    return lookup(family, version, kafka, Component(component), key)


def described(
    challenge: Challenge, levers: Mapping[str, str]
) -> tuple[Pipeline | None, list[Problem]]:
    """Returns the pipeline with these levers, as typed; or None, with every problem."""
    return from_fields(challenge.fields(levers))


def changes(challenge: Challenge, pipeline: Pipeline) -> tuple[Change, ...]:
    """Returns the levers that differ from the start. One that states its default counts, too: it
    adds a line to the configuration."""
    start, _ = described(challenge, challenge.start())
    if start is None:
        return ()  # refused while loading
    pairs = ((name, _stated(start, name), _stated(pipeline, name)) for name in challenge.levers)
    return tuple(Change(name, was, now) for name, was, now in pairs if was != now)


def stated(challenge: Challenge, pipeline: Pipeline) -> Stated:
    """Returns what is graded besides the run. The advisor judges only golf, where it decides."""
    count = len(changes(challenge, pipeline))
    return Stated(count, open_failures(pipeline) if challenge.kind == "golf" else ())


def open_failures(pipeline: Pipeline) -> tuple[str, ...]:
    """Returns the failures that may cause a forbidden anomaly, and the obstacles that prevent any
    delivery."""
    judged = judgement(pipeline)
    return (
        *(failure.title for failure in judged.failures if failure.breaks),
        *(obstacle.why for obstacle in judged.obstacles),
    )


def _stated(pipeline: Pipeline, name: str) -> Value:
    component, _, key = name.partition(".")
    return pipeline.stated(Component(component)).get(key)
