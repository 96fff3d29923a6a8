"""The specification of an experiment: its way through JSON, and values that it refuses."""

from __future__ import annotations

import pytest

from labs.engine.plan.spec import ArmSpec, ExperimentSpec

ARM = ArmSpec("described", {"producer": {"acks": "1", "enable.idempotence": False}}, want=None)


def test_a_specification_is_unchanged_by_json() -> None:
    arms = (ARM, ArmSpec("recommended", {}))
    spec = ExperimentSpec("a-scenario", 7, arms, overrides={"a": 1}, controllers=3, value_bytes=20)
    assert ExperimentSpec.from_json(spec.to_json()) == spec
    spec = ExperimentSpec("a-scenario", 7, arms, java_clients="4.3.1")
    assert ExperimentSpec.from_json(spec.to_json()) == spec


@pytest.mark.parametrize("name", ["", "../up", "a/b", "A b", ".hidden", "-x", "a\n"])
def test_an_arm_name_that_is_not_a_plain_folder_name_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="cannot name an arm"):
        ArmSpec(name, {})


@pytest.mark.parametrize("controllers", [-1, 4])
def test_a_number_of_dedicated_controllers_outside_0_to_3_is_refused(controllers: int) -> None:
    with pytest.raises(ValueError, match="dedicated controllers"):
        ExperimentSpec("a-scenario", 7, (ARM,), controllers=controllers)


@pytest.mark.parametrize("arms", [(), (ARM, ARM)])
def test_missing_arms_and_duplicate_arm_names_are_refused(arms: tuple[ArmSpec, ...]) -> None:
    with pytest.raises(ValueError, match="names of their own"):
        ExperimentSpec("a-scenario", 7, arms)


@pytest.mark.parametrize("size", [0, 19, 10_001])
def test_a_value_size_outside_20_to_10000_bytes_is_refused(size: int) -> None:
    with pytest.raises(ValueError, match="20 to 10000 can be staged"):
        ExperimentSpec("a-scenario", 7, (ARM,), value_bytes=size)


def test_a_value_size_with_java_clients_is_refused() -> None:
    with pytest.raises(ValueError, match="send only the number"):
        ExperimentSpec("a-scenario", 7, (ARM,), value_bytes=20, java_clients="4.3.1")


def test_kafkas_copier_requires_java_clients() -> None:
    assert ExperimentSpec("a-scenario", 7, (ARM,), java_clients="4.3.1", copier=True).copier
    with pytest.raises(ValueError, match="is a Java client"):
        ExperimentSpec("a-scenario", 7, (ARM,), copier=True)
