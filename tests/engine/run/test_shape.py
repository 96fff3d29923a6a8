"""Which clusters can stand in for each other."""

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
    "same",
    [
        experiment(),
        experiment(scenario="leader-killed"),
        experiment(seed=7, behind_s=3.0),
        experiment(arm("described", producer__acks="0"), RECOMMENDED),
        replace(experiment(), partitions=6),
        experiment(arm("described", topic__replication_factor=1), RECOMMENDED),
    ],
)
def test_what_does_not_concern_brokers_does_not_change_their_shape(same: ExperimentSpec) -> None:
    assert shapes(same) == default_shapes()


def test_an_arm_may_have_brokers_of_its_own_release() -> None:
    spec = experiment(replace(DESCRIBED, kafka="3.9.2"), RECOMMENDED)
    assert [shape.kafka for shape in shapes(spec)] == ["3.9.2", "4.3.1"]
    too_old = experiment(replace(DESCRIBED, kafka="3.3.2"), scenario="log-directory-fails")
    with pytest.raises(ScenarioError, match=r"Kafka 3\.3\.2: log-directory-fails is for"):
        shapes(too_old)


@pytest.mark.parametrize(
    ("other", "first"),
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
def test_what_brokers_are_started_with_does(other: ExperimentSpec, first: dict[str, Any]) -> None:
    wanted, usual = shapes(other)[0], default_shapes()[0]
    assert wanted == replace(usual, **first)
    assert wanted != usual


def test_what_was_chosen_of_the_topology_wins() -> None:
    spec = experiment(DESCRIBED, scenario="controllers-lost")
    own = find(spec.scenario).topology(DESCRIBED.settings)
    assert topology_of(spec, DESCRIBED) == own
    chosen = replace(spec, partitions=6, controllers=1)
    assert topology_of(chosen, DESCRIBED) == replace(own, partitions=6, controllers=1)
    assert own.controllers == 3, "else nothing was chosen otherwise"


@pytest.mark.parametrize(
    ("name", "kafka", "why"),
    [
        ("log-directory-fails", "3.6.2", "is for 3.7 and later, because older brokers do not"),
        ("producer-state-expired", "3.3.2", "is for 3.4 and later, because before Kafka 3.4"),
    ],
)
def test_brokers_too_old_for_a_scenario_are_refused(name: str, kafka: str, why: str) -> None:
    spec = experiment(DESCRIBED, scenario=name)
    assert topology_of(spec, DESCRIBED).brokers
    with pytest.raises(ScenarioError, match=f"Kafka {kafka}: {name} {why}"):
        topology_of(replace(spec, kafka=kafka), DESCRIBED)


def test_a_log_directory_of_a_broker_can_fail_where_it_has_two() -> None:
    wanted = shapes(experiment(DESCRIBED, scenario="log-directory-fails"))[0]
    assert (wanted.layout.log_dirs, default_shapes()[0].layout.log_dirs) == (2, 1)


def test_a_cluster_is_needed_for_each_arm() -> None:
    assert shapes(experiment(DESCRIBED)) == default_shapes()[:1]
    assert shapes(experiment(DESCRIBED)) != default_shapes()


def test_what_a_scenario_sets_for_its_brokers_is_in_it() -> None:
    spec = experiment(DESCRIBED, scenario="retention-overtakes-reader")
    own = {
        name: pinned.lab
        for name, pinned in find(spec.scenario).broker_pins(DESCRIBED.settings).items()
    }
    assert own
    assert shape(spec, DESCRIBED).settings == {**default_shapes()[0].settings, **own}


def test_a_scenario_may_keep_what_was_described_of_its_brokers() -> None:
    copies = "offsets.topic.replication.factor"
    alone = arm("described", broker__offsets_topic_replication_factor=1)
    data = shape(experiment(alone, scenario="offsets-topic-lost"), alone)
    assert data.settings == {**default_shapes()[0].settings, copies: 1}
    assert copies not in shape(experiment(alone), alone).settings


def test_brokers_have_zookeeper_where_that_was_asked_for_and_the_scenario_takes_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = replace(experiment(scenario="leader-killed"), kafka="2.8.2", zookeeper=True)
    [one, *_] = shapes(asked)
    assert (one.kafka, one.layout.zookeeper, one.layout.controllers) == ("2.8.2", True, 0)
    [beside, *_] = shapes(replace(asked, scenario="unclean-election"))
    assert beside.layout.controllers == 0, (
        "the scenario's own controller: ZooKeeper stands in its place"
    )
    with monkeypatch.context() as patched:
        other = replace(find("leader-killed"), zookeeper=False)
        patched.setattr("labs.engine.run.shape.find", lambda _: other)
        with pytest.raises(ScenarioError, match="not staged on brokers with ZooKeeper"):
            shapes(asked)
    with monkeypatch.context() as patched:
        later = replace(find("leader-killed"), zookeeper_since="3.6")
        patched.setattr("labs.engine.run.shape.find", lambda _: later)
        with pytest.raises(ScenarioError, match=r"ZooKeeper of 3\.6 to 3\.9"):
            shapes(asked)
    with pytest.raises(ScenarioError, match=r"2\.8\.2"):
        shapes(replace(asked, zookeeper=False))
    with pytest.raises(ValueError, match="no dedicated controllers"):
        replace(asked, controllers=1)


def test_what_cannot_be_staged_has_no_shape() -> None:
    with pytest.raises(ScenarioError):
        shapes(experiment(scenario="no-such-scenario"))


def test_shapes_cross_the_border_of_a_process() -> None:
    shapes = (*default_shapes(), Shape("4.0.2", Layout(1, 3, linked=True), CLEAN, {ELR: 1}))
    assert from_json(to_json(shapes)) == shapes


@pytest.mark.parametrize(
    ("version", "level", "data"),
    [
        ("4.3.1", 1, {}), ("4.3.1", 0, {ELR: 0}), ("4.0.2", 1, {ELR: 1}), ("4.0.2", 0, {}),
        ("3.9.2", 1, {}), ("4.3.1", None, {}),
    ],
)  # fmt: skip
def test_a_new_cluster_gets_the_feature_levels_that_are_described(
    version: str, level: int | None, data: dict[str, int]
) -> None:
    stated = {} if level is None else {ELR: level}
    assert features({"application": stated}, version) == data
