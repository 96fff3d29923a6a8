"""Resources of Strimzi together with those of Kubernetes in the same text: `helm template` prints a
cluster, its topics and its applications together."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.catalog import Component
from advisor.intake.deployments import kubernetes, strimzi
from advisor.intake.deployments.kubernetes_kinds import is_read
from advisor.intake.formats.yaml_nodes import Leaf
from advisor.intake.reading import Profiles, Reader, Reading

_TWO_CLUSTERS = (
    "these brokers are in addition to those of Strimzi, but a pipeline has one cluster. Leave only "
    "one of them"
)


def read(text: str) -> Reading:
    """Returns the settings of all resources. Raises `IntakeError`."""
    every = [*strimzi.resources(text)]
    others = [leaves for leaves in every if is_read(leaves)]
    strimzi_resources = [leaves for leaves in every if not is_read(leaves)]
    return _read(strimzi_resources, others, ())


def _read(
    strimzi_resources: Sequence[list[Leaf]], others: Sequence[list[Leaf]], profiles: Sequence[str]
) -> Reading:
    """Reads Strimzi's and other resources with these profiles of Spring."""
    other = kubernetes.read_resources(others, profiles) if others else Reading()
    reading = strimzi.read_resources(strimzi_resources, is_all=not (other.items or other.profiles))
    for leaves in strimzi_resources:
        strimzi.refuse_unread(reading, leaves)
    if "Kafka" in reading.part_names:
        servers = [item for item in other.items if item.component is Component.BROKER]
        for item in servers[:1]:
            other.add_problem(
                Component.BROKER, item.name, item.line, f"{item.name}: {_TWO_CLUSTERS}"
            )
    reading.heads = other.heads | reading.heads
    reading.items += other.items
    reading.notes += other.notes
    reading.problems += other.problems
    reading.clients |= other.clients
    reading.part_names |= other.part_names
    reading.problems_unless_chosen += other.problems_unless_chosen
    reading.defaulted_settings += other.defaulted_settings
    reading.variable_values += other.variable_values
    reading.start_profiles += other.start_profiles
    if other.profiles:
        reading.profiles = Profiles(
            other.profiles.choices, lambda chosen: _read(strimzi_resources, others, chosen),
            other.profiles.default,
        )  # fmt: skip
    return reading


READERS = (Reader("strimzi", "Strimzi resources (YAML)", strimzi.likeness, read, is_yaml=True),)
