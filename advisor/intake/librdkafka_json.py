"""JSON with settings of librdkafka: one object, or one each for the producer and the consumer."""

from __future__ import annotations

import json

from advisor.catalog import Component, Family
from advisor.intake import connect
from advisor.intake.known import likely_client
from advisor.intake.reading import Reader, Reading
from advisor.intake.yaml_nodes import Leaf, documents

_CLIENTS = (Component.PRODUCER, Component.CONSUMER)


def read(text: str) -> Reading:
    """The settings, by YAML's rules, of which JSON's are a part. Raises `IntakeError`."""
    reading = Reading(heads={"family": Family.LIBRDKAFKA})
    leaves = [leaf for document in documents(text) for leaf in document]
    for leaf in leaves:
        connect.refuse("".join(leaf.path[-1:]), leaf.line)
    flat = [leaf for leaf in leaves if len(leaf.path) == 1]
    component = likely_client(leaf.path[0] for leaf in flat)
    for leaf in flat:
        reading.state(component, leaf.path[0], leaf.text, leaf.line)
    for leaf in leaves:
        _of_client(reading, leaf)
    return reading


def _of_client(reading: Reading, leaf: Leaf) -> None:
    if len(leaf.path) == 2 and leaf.path[0] in _CLIENTS:
        reading.state(Component(leaf.path[0]), leaf.path[1], leaf.text, leaf.line)


def _likeness(text: str) -> float:
    try:
        return 0.85 if isinstance(json.loads(text), dict) else 0.0
    except (ValueError, RecursionError):
        return 0.0


READERS = (Reader("librdkafka-json", "JSON for librdkafka", _likeness, read),)
