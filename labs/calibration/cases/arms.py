"""Arms from a few settings that are stated; the rest is what the catalog has for the client."""

from __future__ import annotations

from typing import Any

from advisor.catalog import Component, Family, Value, kafka_versions, settings_of, versions
from advisor.reasoning.pipeline import Pipeline
from labs.engine.plan.spec import ArmSpec, Settings


def pipeline(**stated: Value) -> Pipeline:
    """With `component__setting_name=value` stated and three replicas unless said otherwise.

    A Java team's, or of Kafka Streams if a setting of that is stated; `family` makes it another
    client's, of its newest version; `kafka` is the line of the brokers, and `brokers` their number.
    """
    kafka, brokers = str(stated.pop("kafka", kafka_versions()[0])), stated.pop("brokers", 3)
    streams = any(key.startswith(Component.STREAMS) for key in stated)
    family = Family(str(stated.pop("family", Family.STREAMS if streams else Family.JAVA)))
    settings: dict[Component, dict[str, Value]] = {Component.TOPIC: {"replication.factor": 3}}
    for key, value in stated.items():
        component, _, setting = key.partition("__")
        settings.setdefault(Component(component), {})[setting.replace("_", ".")] = value
    return Pipeline(family, versions(family)[0], kafka, int(str(brokers)), settings)


def arm(name: str, want: str | None = "at-least-once", **stated: Value) -> ArmSpec:
    """An arm of such a pipeline."""
    return ArmSpec(name, in_force(pipeline(**stated)), want=want)


def in_force(pipeline: Pipeline) -> Settings:
    """All settings that have a value there, stated or not, by component."""
    settings = {str(component): _in_force(pipeline, component) for component in Component}
    return {component: values for component, values in settings.items() if values}


def _in_force(pipeline: Pipeline, component: Component) -> dict[str, Any]:
    settings = settings_of(pipeline.family, pipeline.version, pipeline.kafka, component)
    values = {setting.name: pipeline.value(component, setting.name) for setting in settings}
    return {name: value for name, value in values.items() if value is not None}
