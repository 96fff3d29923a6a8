"""Arms from a few stated settings; all others are the catalog's defaults for the client."""

from __future__ import annotations

from advisor.catalog import Component, Family, Value, kafka_versions, versions
from advisor.reasoning.in_force import in_force
from advisor.reasoning.pipeline import Pipeline
from labs.engine.plan.spec import ArmSpec


def pipeline(**stated: Value) -> Pipeline:
    """A pipeline that states `component__setting_name=value`, and by default three replicas.

    The client is Kafka Streams if one of its settings is stated, else Java, in the newest version;
    `family` selects another one. `kafka` is the line of the brokers, `brokers` their number.
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
    """An arm with the settings of `pipeline(**stated)`."""
    return ArmSpec(name, in_force(pipeline(**stated)), want=want)
