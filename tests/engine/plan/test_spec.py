"""The request for an experiment crosses processes unchanged, and cannot name a folder outside."""

from __future__ import annotations

import pytest

from labs.engine.plan.spec import ArmSpec, ExperimentSpec

ARM = ArmSpec("described", {"producer": {"acks": "1", "enable.idempotence": False}}, want=None)


def test_a_request_survives_the_way_through_json() -> None:
    arms = (ARM, ArmSpec("recommended", {}))
    spec = ExperimentSpec("a-scenario", 7, arms, overrides={"a": 1}, controllers=3, value_bytes=20)
    assert ExperimentSpec.from_json(spec.to_json()) == spec
    spec = ExperimentSpec("a-scenario", 7, arms, java_clients="4.3.1")
    assert ExperimentSpec.from_json(spec.to_json()) == spec


@pytest.mark.parametrize("name", ["", "../up", "a/b", "A b", ".hidden", "-x", "a\n"])
def test_an_arm_cannot_be_named_like_a_path(name: str) -> None:
    with pytest.raises(ValueError, match="cannot name an arm"):
        ArmSpec(name, {})


@pytest.mark.parametrize("controllers", [-1, 4])
def test_there_are_at_most_three_dedicated_controllers(controllers: int) -> None:
    with pytest.raises(ValueError, match="dedicated controllers"):
        ExperimentSpec("a-scenario", 7, (ARM,), controllers=controllers)


@pytest.mark.parametrize("arms", [(), (ARM, ARM)])
def test_arms_are_told_apart_by_their_names(arms: tuple[ArmSpec, ...]) -> None:
    with pytest.raises(ValueError, match="names of their own"):
        ExperimentSpec("a-scenario", 7, arms)


@pytest.mark.parametrize("size", [0, 19, 10_001])
def test_a_value_holds_its_number_and_is_no_flood(size: int) -> None:
    with pytest.raises(ValueError, match="20 to 10000 can be staged"):
        ExperimentSpec("a-scenario", 7, (ARM,), value_bytes=size)


def test_java_clients_send_no_values_of_a_chosen_length() -> None:
    with pytest.raises(ValueError, match="send only the number"):
        ExperimentSpec("a-scenario", 7, (ARM,), value_bytes=20, java_clients="4.3.1")


def test_kafkas_copier_needs_a_release_of_the_java_clients() -> None:
    assert ExperimentSpec("a-scenario", 7, (ARM,), java_clients="4.3.1", copier=True).copier
    with pytest.raises(ValueError, match="is a Java client"):
        ExperimentSpec("a-scenario", 7, (ARM,), copier=True)
