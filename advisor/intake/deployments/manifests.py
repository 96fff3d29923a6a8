"""Strimzi's resources, with those of Kubernetes that are in the same text: `helm template` prints a
cluster, its topics and the applications of them together."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.catalog import Component
from advisor.intake.deployments import kubernetes, strimzi
from advisor.intake.deployments.kubernetes_kinds import is_read
from advisor.intake.formats.yaml_nodes import Leaf
from advisor.intake.reading import Profiles, Reader, Reading

_TWO = (
    "these are brokers beside those of Strimzi: a pipeline has one cluster. Leave only what "
    "belongs to the one that counts"
)


def read(text: str) -> Reading:
    """What all resources state together. Raises `IntakeError`."""
    found = [*strimzi.resources(text)]
    others = [leaves for leaves in found if is_read(leaves)]
    rest = [leaves for leaves in found if not is_read(leaves)]
    return _read(rest, others, ())


def _read(
    own: Sequence[list[Leaf]], others: Sequence[list[Leaf]], profiles: Sequence[str]
) -> Reading:
    """The same with these profiles of Spring."""
    beside = kubernetes.read_resources(others, profiles) if others else Reading()
    reading = strimzi.read_resources(own, is_all=not (beside.items or beside.profiles))
    for leaves in own:
        strimzi.refuse_unread(reading, leaves)
    if "Kafka" in reading.part_names:
        servers = [item for item in beside.items if item.component is Component.BROKER]
        for item in servers[:1]:
            beside.wrong(Component.BROKER, item.name, item.line, f"{item.name}: {_TWO}")
    reading.heads = beside.heads | reading.heads
    reading.items += beside.items
    reading.notes += beside.notes
    reading.problems += beside.problems
    reading.clients |= beside.clients
    reading.part_names |= beside.part_names
    reading.problems_unless_chosen += beside.problems_unless_chosen
    reading.defaulted_settings += beside.defaulted_settings
    reading.variable_values += beside.variable_values
    reading.start_profiles += beside.start_profiles
    if beside.profiles:
        reading.profiles = Profiles(
            beside.profiles.choices, lambda chosen: _read(own, others, chosen),
            beside.profiles.default,
        )  # fmt: skip
    return reading


READERS = (Reader("strimzi", "Strimzi resources (YAML)", strimzi.likeness, read, is_yaml=True),)
