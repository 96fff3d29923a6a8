"""Arms for tests: the complete settings of a Java team, with some of them overridden."""

from __future__ import annotations

from typing import Any

from labs.calibration.cases.arms import arm, pipeline
from labs.engine.plan.spec import ArmSpec, ExperimentSpec

__all__ = ["DESCRIBED", "PIPELINES", "RECOMMENDED", "SCENARIO", "arm", "experiment", "pipeline"]

SCENARIO = "leader-killed-followers-behind"

DESCRIBED = arm("described", producer__acks="1")
RECOMMENDED = arm("recommended", topic__min_insync_replicas=2)
PIPELINES = {
    "described": pipeline(producer__acks="1"),
    "recommended": pipeline(topic__min_insync_replicas=2),
}


def experiment(
    *arms: ArmSpec, seed: int = 1, scenario: str = SCENARIO, **overrides: Any
) -> ExperimentSpec:
    return ExperimentSpec(scenario, seed, arms or (DESCRIBED, RECOMMENDED), overrides=overrides)
