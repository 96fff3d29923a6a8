"""The shape of a cluster before topics are created. Clusters of equal shape are interchangeable."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace

from advisor.catalog import Component, Family, kafka_line, lookup
from advisor.catalog.versions import at_least
from labs.engine.cluster.nodes import Layout
from labs.engine.distributions.distribution import kafka_versions
from labs.engine.plan.spec import ArmSpec, ExperimentSpec, Settings
from labs.engine.scenarios import find
from labs.engine.scenarios.model import Scenario, ScenarioError, Topology

_KEYS = ("unclean.leader.election.enable", "replica.lag.time.max.ms")
"""The broker settings that every arm keeps. Others are set on the topic, or are shortened."""
_ELR = "eligible.leader.replicas.version"


@dataclass(frozen=True, slots=True)
class Shape:
    """A release of Kafka, the layout of a cluster, and all settings that it is started with."""

    kafka: str
    layout: Layout = field(default_factory=Layout)
    settings: Mapping[str, str | int | bool] = field(default_factory=dict)
    features: Mapping[str, int] = field(default_factory=dict)


def to_json(shapes: Sequence[Shape]) -> str:
    return json.dumps([asdict(shape) for shape in shapes])


def from_json(text: str) -> tuple[Shape, ...]:
    return tuple(
        Shape(**{**shape, "layout": Layout(**shape["layout"])}) for shape in json.loads(text)
    )


def shape(experiment: ExperimentSpec, arm: ArmSpec) -> Shape:
    """The shape that an arm needs. Raises `ScenarioError` if it cannot be staged."""
    scenario = find(experiment.scenario)
    topology, described = topology_of(experiment, arm), arm.settings.get("broker", {})
    kept = {
        key: described[key] for key in (*_KEYS, *scenario.kept_broker_settings) if key in described
    }
    return Shape(
        experiment.release(arm),
        Layout(
            brokers=topology.brokers,
            controllers=topology.controllers,
            zookeeper=experiment.zookeeper,
            linked=scenario.linked,
            log_dirs=topology.log_dirs,
            racks=topology.racks,
        ),
        kept | {key: pinned.lab for key, pinned in scenario.broker_pins(arm.settings).items()},
        features(arm.settings, experiment.release(arm)),
    )


def topology_of(experiment: ExperimentSpec, arm: ArmSpec) -> Topology:
    """The scenario's topology for an arm, with what the experiment chose in its place.

    Raises `ScenarioError` if it cannot be staged.
    """
    scenario = find(experiment.scenario)
    if experiment.zookeeper:
        return _with_zookeeper(experiment, scenario, arm)
    if not at_least(release := experiment.release(arm), scenario.since):
        raise ScenarioError(
            f"Kafka {release}: {scenario.name} is for {scenario.since} and later, because "
            f"{scenario.why_since}"
        )
    topology = scenario.topology(arm.settings)
    return replace(
        topology,
        partitions=experiment.partitions or topology.partitions,
        controllers=experiment.controllers or topology.controllers,
    )


def _with_zookeeper(experiment: ExperimentSpec, scenario: Scenario, arm: ArmSpec) -> Topology:
    if not scenario.zookeeper:
        raise ScenarioError(f"{scenario.name} is not staged on brokers with ZooKeeper")
    if kafka_line(release := experiment.release(arm)) not in (lines := scenario.zookeeper_lines):
        raise ScenarioError(
            f"Kafka {release}: {scenario.name} is staged on brokers with ZooKeeper of {lines[-1]} "
            f"to {lines[0]}"
        )
    topology = scenario.topology(arm.settings)
    if topology.controllers:  # ZooKeeper takes their place
        topology = replace(topology, controllers=0, note="")
    return replace(topology, partitions=experiment.partitions or topology.partitions)


def shapes(experiment: ExperimentSpec) -> tuple[Shape, ...]:
    """The shapes that its arms need, in their order. Raises `ScenarioError` as `shape` does."""
    return tuple(shape(experiment, arm) for arm in experiment.arms)


def default_shapes() -> tuple[Shape, ...]:
    """The shapes of two arms with the brokers' default settings, on the newest release."""
    newest = kafka_versions()[0]
    line = kafka_line(newest)
    defaults = {
        key: lookup(Family.JAVA, line, line, Component.BROKER, key).default for key in _KEYS
    }
    settings = {key: value for key, value in defaults.items() if value is not None}
    return (Shape(newest, settings=settings),) * 2


def features(settings: Settings, version: str) -> dict[str, int]:
    """The levels of the cluster's features that differ from the release's for a new cluster."""
    if not at_least(version, "4.0"):
        return {}
    line = kafka_line(version)
    default = lookup(Family.JAVA, line, line, Component.APPLICATION, _ELR).default
    stated = settings.get("application", {}).get(_ELR)
    return {} if stated is None or stated == default else {_ELR: int(stated)}
