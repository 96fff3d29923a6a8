"""Arms for tests: a Java team's complete settings, from the catalog, with some stated."""

from __future__ import annotations

from typing import Any

from advisor.catalog import Component, Family, Value, effective, settings_of
from labs.engine.spec import ArmSpec, ExperimentSpec

SCENARIO = "leader-killed-followers-behind"


def arm(name: str, want: str | None = "at-least-once", **stated: Value) -> ArmSpec:
    """An arm with `component__setting_name=value` stated; three replicas unless said otherwise."""
    settings: dict[Component, dict[str, Value]] = {Component.TOPIC: {"replication.factor": 3}}
    for key, value in stated.items():
        component, _, setting = key.partition("__")
        settings.setdefault(Component(component), {})[setting.replace("_", ".")] = value
    in_force = {
        str(component): _values(settings, component)
        for component in Component
    }  # fmt: skip
    return ArmSpec(name, in_force, want=want)


def _values(settings: dict[Component, dict[str, Value]], component: Component) -> dict[str, Any]:
    known = settings_of(Family.JAVA, "4.3", "4.3", component)
    values = {
        setting.name: effective(Family.JAVA, "4.3", "4.3", settings, component, setting.name)
        for setting in known
    }
    return {name: value for name, value in values.items() if value is not None}


DESCRIBED = arm("described", producer__acks="1")
RECOMMENDED = arm("recommended", topic__min_insync_replicas=2)


def experiment(*arms: ArmSpec, seed: int = 1, **overrides: Any) -> ExperimentSpec:
    return ExperimentSpec(SCENARIO, seed, arms or (DESCRIBED, RECOMMENDED), overrides=overrides)
