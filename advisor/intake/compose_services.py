"""How many servers a compose file has."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from advisor.intake.reading import Reading
from advisor.intake.yaml_nodes import Leaf

_IDS = ("KAFKA_NODE_ID", "KAFKA_BROKER_ID", "KAFKA_CFG_NODE_ID", "KAFKA_CFG_BROKER_ID")


def count(
    reading: Reading,
    leaves: Sequence[Leaf],
    variables: Mapping[str, Iterable[tuple[str, str, int]]],
    services: Collection[str],
) -> int:
    """How many servers the services are: each once, or as often as it is replicated.

    Replicas with one id are one server: brokers refuse a second with the same
    (Compose file reference, `scale` and `deploy.replicas`; DUPLICATE_BROKER_REGISTRATION).
    """
    number = 0
    for service in services:
        replicas, line = _replicas(leaves, service)
        fixed = any(name in _IDS for name, _, _ in variables.get(service, ()))
        if fixed and replicas > 1:
            words = "replicas of one id: brokers refuse the second with an id that is taken"
            if not any(words in note for note in reading.notes):
                reading.note(line, words)
        number += 1 if fixed else replicas
    return number


def _replicas(leaves: Iterable[Leaf], service: str) -> tuple[int, int]:
    for leaf in leaves:
        match leaf.path:
            case ("services", name, "scale") | ("services", name, "deploy", "replicas"):
                if name == service and leaf.text.isdecimal():
                    return int(leaf.text), leaf.line
            case _:
                pass
    return 1, 1
