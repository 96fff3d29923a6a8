"""The shape of a cluster: which experiments can use the same clusters."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from labs.engine.cluster.nodes import Layout
from labs.engine.plan.spec import ExperimentSpec
from labs.engine.run.shape import (
    Shape,
    default_shapes,
    features,
    from_json,
    shape,
    shapes,
    to_json,
    topology_of,
)
from labs.engine.scenarios import ScenarioError, find
from tests.engine.arms import DESCRIBED, RECOMMENDED, arm, experiment

ELR = "eligible.leader.replicas.version"
LAG = "replica.lag.time.max.ms"
CLEAN = {"unclean.leader.election.enable": False}


@pytest.mark.parametrize(
    "spec",
    [
        experiment(),
        experiment(scenario="leader-killed"),
        experiment(seed=7, behind_s=3.0),
        experiment(arm("described", producer__acks="0"), RECOMMENDED),
        replace(experiment(), partitions=6),
        experiment(arm("described", topic__replication_factor=1), RECOMMENDED),
    ],
)
def test_settings_that_do_not_concern_brokers_do_not_change_the_shape(spec: ExperimentSpec) -> None:
    assert shapes(spec) == default_shapes()


def test_an_arm_may_have_brokers_of_another_release() -> None:
    spec = experiment(replace(DESCRIBED, kafka="3.9.2"), RECOMMENDED)
    assert [shape.kafka for shape in shapes(spec)] == ["3.9.2", "4.3.1"]
    too_old = experiment(replace(DESCRIBED, kafka="3.3.2"), scenario="log-directory-fails")
    with pytest.raises(ScenarioError, match=r"Kafka 3\.3\.2: log-directory-fails is for"):
        shapes(too_old)


@pytest.mark.parametrize(
    ("spec", "changes"),
    [
        (replace(experiment(), kafka="4.2.1"), {"kafka": "4.2.1"}),
        (replace(experiment(), controllers=3), {"layout": Layout(controllers=3)}),
        (experiment(scenario="leader-cut-off"), {"layout": Layout(linked=True)}),
        (experiment(scenario="producer-killed"), {"layout": Layout(1)}),
        (
            experiment(
                arm("described", topic__replication_factor=5), RECOMMENDED, scenario="leader-killed"
            ),
            {"layout": Layout(5)},
        ),
        (
            experiment(arm("described", broker__replica_lag_time_max_ms=9000), RECOMMENDED),
            {"settings": CLEAN | {LAG: 9000}},
        ),
    ],
)
def test_settings_that_brokers_are_started_with_change_the_shape(
    spec: ExperimentSpec, changes: dict[str, Any]
) -> None:
    wanted, usual = shapes(spec)[0], default_shapes()[0]
    assert wanted == replace(usual, **changes)
    assert wanted != usual


def test_a_chosen_topology_overrides_that_of_the_scenario() -> None:
    spec = experiment(DESCRIBED, scenario="controllers-lost")
    default = find(spec.scenario).topology(DESCRIBED.settings)
    assert topology_of(spec, DESCRIBED) == default
    chosen = replace(spec, partitions=6, controllers=1)
    assert topology_of(chosen, DESCRIBED) == replace(default, partitions=6, controllers=1)
    assert default.controllers == 3, "else nothing was chosen otherwise"


@pytest.mark.parametrize(
    ("name", "kafka", "reason"),
    [
        ("log-directory-fails", "3.6.2", "is for 3.7 and later, because older brokers do not"),
        ("producer-state-expired", "3.3.2", "is for 3.4 and later, because before Kafka 3.4"),
    ],
)
def test_brokers_too_old_for_a_scenario_are_refused(name: str, kafka: str, reason: str) -> None:
    spec = experiment(DESCRIBED, scenario=name)
    assert topology_of(spec, DESCRIBED).brokers
    with pytest.raises(ScenarioError, match=f"Kafka {kafka}: {name} {reason}"):
        topology_of(replace(spec, kafka=kafka), DESCRIBED)


def test_brokers_have_two_log_directories_where_one_is_to_fail() -> None:
    wanted = shapes(experiment(DESCRIBED, scenario="log-directory-fails"))[0]
    assert (wanted.layout.log_dirs, default_shapes()[0].layout.log_dirs) == (2, 1)


def test_each_arm_needs_a_cluster() -> None:
    assert shapes(experiment(DESCRIBED)) == default_shapes()[:1]
    assert shapes(experiment(DESCRIBED)) != default_shapes()


def test_broker_settings_of_a_scenario_are_in_the_shape() -> None:
    spec = experiment(DESCRIBED, scenario="retention-overtakes-reader")
    pins = {
        name: pinned.lab
        for name, pinned in find(spec.scenario).broker_pins(DESCRIBED.settings).items()
    }
    assert pins
    assert shape(spec, DESCRIBED).settings == {**default_shapes()[0].settings, **pins}


def test_a_scenario_may_keep_broker_settings_of_the_team() -> None:
    copies = "offsets.topic.replication.factor"
    one_copy = arm("described", broker__offsets_topic_replication_factor=1)
    kept = shape(experiment(one_copy, scenario="offsets-topic-lost"), one_copy)
    assert kept.settings == {**default_shapes()[0].settings, copies: 1}
    assert copies not in shape(experiment(one_copy), one_copy).settings


def test_brokers_have_zookeeper_if_it_is_requested_and_the_scenario_supports_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with_zookeeper = replace(experiment(scenario="leader-killed"), kafka="2.8.2", zookeeper=True)
    [first, *_] = shapes(with_zookeeper)
    assert (first.kafka, first.layout.zookeeper, first.layout.controllers) == ("2.8.2", True, 0)
    [without_controller, *_] = shapes(replace(with_zookeeper, scenario="unclean-election"))
    assert without_controller.layout.controllers == 0, (
        "the scenario's own controller: ZooKeeper stands in its place"
    )
    with monkeypatch.context() as patched:
        other = replace(find("leader-killed"), zookeeper=False)
        patched.setattr("labs.engine.run.shape.find", lambda _: other)
        with pytest.raises(ScenarioError, match="not staged on brokers with ZooKeeper"):
            shapes(with_zookeeper)
    with monkeypatch.context() as patched:
        later = replace(find("leader-killed"), zookeeper_since="3.6")
        patched.setattr("labs.engine.run.shape.find", lambda _: later)
        with pytest.raises(ScenarioError, match=r"ZooKeeper of 3\.6 to 3\.9"):
            shapes(with_zookeeper)
    with pytest.raises(ScenarioError, match=r"2\.8\.2"):
        shapes(replace(with_zookeeper, zookeeper=False))
    with pytest.raises(ValueError, match="no dedicated controllers"):
        replace(with_zookeeper, controllers=1)


def test_an_experiment_that_cannot_be_staged_has_no_shapes() -> None:
    with pytest.raises(ScenarioError):
        shapes(experiment(scenario="no-such-scenario"))


def test_shapes_are_unchanged_by_json() -> None:
    shapes = (*default_shapes(), Shape("4.0.2", Layout(1, 3, linked=True), CLEAN, {ELR: 1}))
    assert from_json(to_json(shapes)) == shapes


@pytest.mark.parametrize(
    ("version", "level", "expected"),
    [
        ("4.3.1", 1, {}), ("4.3.1", 0, {ELR: 0}), ("4.0.2", 1, {ELR: 1}), ("4.0.2", 0, {}),
        ("3.9.2", 1, {}), ("4.3.1", None, {}),
    ],
)  # fmt: skip
def test_a_new_cluster_gets_the_described_feature_levels_that_are_not_the_default(
    version: str, level: int | None, expected: dict[str, int]
) -> None:
    stated = {} if level is None else {ELR: level}
    assert features({"application": stated}, version) == expected
