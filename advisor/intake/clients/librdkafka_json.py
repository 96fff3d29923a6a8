"""JSON with settings of librdkafka: one object, or one each for the producer and the consumer."""

from __future__ import annotations

import json

from advisor.catalog import Component, Family
from advisor.intake.clients import other_products
from advisor.intake.clients.known_settings import clients_having, decides, likely_clients
from advisor.intake.formats.yaml_nodes import Leaf, documents
from advisor.intake.reading import Reader, Reading
from advisor.intake.text import shown

_CLIENTS = (Component.PRODUCER, Component.CONSUMER)


def read(text: str) -> Reading:
    """Reads the settings as YAML, of which JSON is a subset. Raises `IntakeError`."""
    reading = Reading(heads={"family": Family.LIBRDKAFKA})
    leaves = [leaf for document in documents(text) for leaf in document]
    for leaf in leaves:
        other_products.refuse("".join(leaf.path[-1:]), leaf.line)
    flat = [leaf for leaf in leaves if len(leaf.path) == 1]
    clients = likely_clients(leaf.path[0] for leaf in flat)
    for leaf in flat:
        for component in clients_having(leaf.path[0], clients):
            reading.add_setting(component, leaf.path[0], leaf.text, leaf.line)
    for leaf in leaves:
        _take_nested(reading, clients, leaf)
    if not reading.items:  # with notes only, all settings would seem to be defaults
        reading.notes.clear()
    return reading


def _take_nested(reading: Reading, clients: tuple[Component, ...], leaf: Leaf) -> None:
    """Takes a value of a client's object, or of its topics' object. Values of other objects are
    refused if they decide, else noted."""
    match leaf.path:
        case (_,):
            pass
        case (client, name) | (client, "default.topic.config", name) if client in _CLIENTS:
            reading.add_setting(Component(client), name, leaf.text, leaf.line)
        case ("default.topic.config", name):
            for component in clients_having(name, clients):
                reading.add_setting(component, name, leaf.text, leaf.line)
        case path:
            name = next(filter(decides, path), "")
            words = "is inside another object, or has a list"
            if name:
                message = f"{shown(name)} {words}. Give it and its value alone"
                reading.add_problem(clients[0], name, leaf.line, message)
            else:
                reading.note(leaf.line, f"{shown('.'.join(path))} {words}: not read")


def _likeness(text: str) -> float:
    try:
        return 0.85 if isinstance(json.loads(text), dict) else 0.0
    except (ValueError, RecursionError):
        return 0.0


READERS = (Reader("librdkafka-json", "JSON for librdkafka", _likeness, read),)
