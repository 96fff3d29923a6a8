"""Which services of a compose file are servers of Kafka, and how many they are."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from advisor.intake.clients.placeholders import COMPOSE
from advisor.intake.formats.yaml_nodes import Leaf
from advisor.intake.reading import Reading
from advisor.intake.text import IntakeError

_Variables = Iterable[tuple[str, str, int]]
_IDS = ("KAFKA_NODE_ID", "KAFKA_BROKER_ID", "KAFKA_CFG_NODE_ID", "KAFKA_CFG_BROKER_ID")
_ROLES = ("KAFKA_PROCESS_ROLES", "KAFKA_CFG_PROCESS_ROLES")
OF_ZOOKEEPER = ("KAFKA_ZOOKEEPER_CONNECT", "KAFKA_CFG_ZOOKEEPER_CONNECT")
_OF_BROKERS = (
    *_IDS, *OF_ZOOKEEPER, "KAFKA_LISTENERS",
    "KAFKA_CFG_LISTENERS", "KAFKA_ADVERTISED_LISTENERS", "KAFKA_CFG_ADVERTISED_LISTENERS",
)  # fmt: skip
"""What only a server states, whatever its image is called."""
_ADDRESS = re.compile(r"KAFKA_(?:\w+_)?(?:BOOTSTRAP_SERVERS?|BROKERS?|BROKER_LIST)")
"""Addresses of brokers, which a client has and no broker."""
_IGNORED, _REFUSED = "ignored", "brokers refuse the second with an id that is taken"


def is_server(names: Iterable[str]) -> bool:
    """Whether variables of these names are a server's of Kafka. A script that has addresses of
    brokers may ask ZooKeeper, too."""
    own = {*names}
    of_servers = own & {*_OF_BROKERS, *_ROLES}
    return bool(of_servers - {*OF_ZOOKEEPER}) or (
        bool(of_servers) and not any(map(_ADDRESS.fullmatch, own))
    )


def roles_of(variables: Mapping[str, _Variables]) -> tuple[set[str], set[str], set[str]]:
    """The services that are brokers, those that are controllers alone, and those that vote."""
    brokers, controllers, voting = set[str](), set[str](), set[str]()
    for service, own in variables.items():
        roles = [value for name, value, _ in own if name in _ROLES]
        if is_server(name for name, _, _ in own):
            alone = any("broker" not in text for text in roles)
            (controllers if alone else brokers).add(service)
        if any("controller" in text for text in roles):
            voting.add(service)
    return brokers, controllers, voting


def refuse_extended(leaves: Iterable[Leaf], ours: Collection[str]) -> None:
    """Raises `IntakeError` for one of our services that extends another one, or is extended: it has
    what that states, too, which may be in another file (Compose file reference, `extends`)."""
    for leaf in leaves:
        match leaf.path:
            case ("services", service, "extends") | ("services", service, "extends", "service"):
                if not {service, leaf.text}.isdisjoint(ours):
                    words = "this service extends another one, and has its settings, too"
                    instead = "Give what `docker compose config` prints: there they are in place."
                    raise IntakeError(f"Line {leaf.line}: {words}. {instead}")
            case _:
                pass


def without_ignored(variables: dict[str, list[tuple[str, str, int]]]) -> None:
    """Takes away the variables that Confluent's examples give a container that only runs tools:
    its image asks for `KAFKA_BROKER_ID` and two more, and `ignored` is what they state."""
    for service, own in variables.items():
        if any(name in _IDS and value == _IGNORED for name, value, _ in own):
            variables[service] = [row for row in own if row[1] != _IGNORED]


def count(
    reading: Reading,
    leaves: Sequence[Leaf],
    variables: Mapping[str, _Variables],
    services: Collection[str],
) -> int:
    """How many servers the services are: each once, or as often as it is replicated.

    Replicas or services with one id are one server: brokers refuse a second with the same
    (Compose file reference, `scale` and `deploy.replicas`; DUPLICATE_BROKER_REGISTRATION).
    """
    number, taken = 0, set[str]()
    for service in sorted(_started(reading, leaves, services)):
        replicas, line = _replicas(leaves, service)
        ids = {
            COMPOSE.sub(r"\2", value).strip(): line
            for name, value, line in variables.get(service, ())
            if name in _IDS
        }
        if ids and replicas > 1:
            _say_once(reading, line, _REFUSED, "replicas of one id:")
        again = taken.intersection(ids)
        if again:
            _say_once(reading, ids[min(again)], _REFUSED, "services of one id:")
        taken |= {name for name in ids if name.isdecimal()}
        number += min(int(not again), replicas) if ids else replicas
    return number


def _started(
    reading: Reading, leaves: Sequence[Leaf], services: Collection[str]
) -> Collection[str]:
    """The services without a profile, which start by themselves; all where each has some (Compose
    file reference, `profiles`)."""
    asked = {
        leaf.path[1]: leaf.line
        for leaf in leaves
        if leaf.path[:1] == ("services",) and leaf.path[2:3] == ("profiles",)
    }
    alone = [service for service in services if service not in asked]
    if alone and len(alone) < len(services):
        line = min(asked[service] for service in services if service in asked)
        _say_once(reading, line, "start only with their profile, and are not counted", "services")
    return alone or services


def _say_once(reading: Reading, line: int, words: str, whose: str) -> None:
    words = f"{whose} {words}"
    if not any(words in note for note in reading.notes):
        reading.note(line, words)


def _replicas(leaves: Iterable[Leaf], service: str) -> tuple[int, int]:
    for leaf in leaves:
        match leaf.path:
            case ("services", name, "scale") | ("services", name, "deploy", "replicas"):
                if name == service and leaf.text.isdecimal():
                    return int(leaf.text), leaf.line
            case _:
                pass
    return 1, 1
