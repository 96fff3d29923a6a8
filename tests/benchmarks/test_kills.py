"""The table of `benchmarks.kills`: the run of each victim starts that client."""

from __future__ import annotations

import pytest

from benchmarks.kills import VICTIMS
from labs.engine.scenarios import find
from labs.engine.workloads import ProduceConsume, workload
from labs.engine.workloads.consume_transform_produce_java import JavaConsumeTransformProduce
from labs.engine.workloads.produce_consume_java import JavaProduceConsume

_WORKLOADS = {
    "java producer": JavaProduceConsume,
    "java consumer": JavaProduceConsume,
    "transformer": JavaConsumeTransformProduce,
}


@pytest.mark.parametrize(("name", "expected"), _WORKLOADS.items())
def test_the_run_of_a_java_victim_uses_that_client(
    name: str, expected: type[ProduceConsume]
) -> None:
    (spec,) = (victim.spec for victim in VICTIMS if victim.name == name)
    (arm,) = spec.arms
    scenario = find(spec.scenario)
    workload_class = workload(scenario.workload, arm.settings, bool(spec.java_clients))
    assert issubclass(workload_class, expected)
