"""Arms from a few settings that are stated; the rest is what the catalog has for the client."""

from __future__ import annotations

from advisor.catalog import Component, Family, Value, kafka_versions, versions
from advisor.reasoning.in_force import in_force
from advisor.reasoning.pipeline import Pipeline
from labs.engine.plan.spec import ArmSpec


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
