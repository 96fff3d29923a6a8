"""Services of a compose file that are servers of Kafka, and their number."""

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
ZOOKEEPER_CONNECT = ("KAFKA_ZOOKEEPER_CONNECT", "KAFKA_CFG_ZOOKEEPER_CONNECT")
_SERVER_VARIABLES = (
    *_IDS, *ZOOKEEPER_CONNECT, "KAFKA_LISTENERS",
    "KAFKA_CFG_LISTENERS", "KAFKA_ADVERTISED_LISTENERS", "KAFKA_CFG_ADVERTISED_LISTENERS",
)  # fmt: skip
"""Variables that only servers have, whatever the name of their image."""
_BROKER_ADDRESS = re.compile(r"KAFKA_(?:\w+_)?(?:BOOTSTRAP_SERVERS?|BROKERS?|BROKER_LIST)")
"""Addresses of brokers, which clients have and brokers do not."""
_IGNORED, _DUPLICATE_ID = "ignored", "a second broker with the same id does not start"


def is_server(names: Iterable[str]) -> bool:
    """Whether variables with these names belong to a server of Kafka. A script with the addresses
    of brokers may also name a ZooKeeper, and is not a server."""
    all_names = {*names}
    server_names = all_names & {*_SERVER_VARIABLES, *_ROLES}
    return bool(server_names - {*ZOOKEEPER_CONNECT}) or (
        bool(server_names) and not any(map(_BROKER_ADDRESS.fullmatch, all_names))
    )


def services_by_role(variables: Mapping[str, _Variables]) -> tuple[set[str], set[str], set[str]]:
    """Returns the services that are brokers, those that are only controllers, and the voters."""
    brokers, controllers, voting = set[str](), set[str](), set[str]()
    for service, rows in variables.items():
        roles = [value for name, value, _ in rows if name in _ROLES]
        if is_server(name for name, _, _ in rows):
            is_controller_only = any("broker" not in text for text in roles)
            (controllers if is_controller_only else brokers).add(service)
        if any("controller" in text for text in roles):
            voting.add(service)
    return brokers, controllers, voting


def refuse_extended(leaves: Iterable[Leaf], ours: Collection[str]) -> None:
    """Raises `IntakeError` if a service in `ours` extends another one, or is extended: it inherits
    settings, which may be in another file (Compose file reference, `extends`)."""
    for leaf in leaves:
        match leaf.path:
            case ("services", service, "extends") | ("services", service, "extends", "service"):
                if not {service, leaf.text}.isdisjoint(ours):
                    words = "this service extends another one and inherits its settings"
                    instead = "Give the output of `docker compose config`, which includes them."
                    raise IntakeError(f"Line {leaf.line}: {words}. {instead}")
            case _:
                pass


def drop_ignored(variables: dict[str, list[tuple[str, str, int]]]) -> None:
    """Removes the variables with the value `ignored`, which Confluent's examples set for containers
    that only run tools: the image requires `KAFKA_BROKER_ID` and two more."""
    for service, rows in variables.items():
        if any(name in _IDS and value == _IGNORED for name, value, _ in rows):
            variables[service] = [row for row in rows if row[1] != _IGNORED]


def count_servers(
    reading: Reading,
    leaves: Sequence[Leaf],
    variables: Mapping[str, _Variables],
    services: Collection[str],
) -> int:
    """The number of servers that the services run: one each, or the number of replicas.

    Replicas or services with the same id count once: brokers refuse a second server with it
    (Compose file reference, `scale` and `deploy.replicas`; DUPLICATE_BROKER_REGISTRATION).
    """
    number, seen_ids = 0, set[str]()
    for service in sorted(_started_services(reading, leaves, services)):
        replicas, line = _replicas(leaves, service)
        ids = {
            COMPOSE.sub(r"\2", value).strip(): line
            for name, value, line in variables.get(service, ())
            if name in _IDS
        }
        if ids and replicas > 1:
            _say_once(reading, line, _DUPLICATE_ID, "replicas of one id:")
        repeated = seen_ids.intersection(ids)
        if repeated:
            _say_once(reading, ids[min(repeated)], _DUPLICATE_ID, "services of one id:")
        seen_ids |= {name for name in ids if name.isdecimal()}
        number += min(int(not repeated), replicas) if ids else replicas
    return number


def _started_services(
    reading: Reading, leaves: Sequence[Leaf], services: Collection[str]
) -> Collection[str]:
    """The services without a profile, which start by default; all services if each has a profile
    (Compose file reference, `profiles`)."""
    profile_lines = {
        leaf.path[1]: leaf.line
        for leaf in leaves
        if leaf.path[:1] == ("services",) and leaf.path[2:3] == ("profiles",)
    }
    unprofiled = [service for service in services if service not in profile_lines]
    if unprofiled and len(unprofiled) < len(services):
        line = min(profile_lines[service] for service in services if service in profile_lines)
        _say_once(reading, line, "start only with their profile and are not counted", "services")
    return unprofiled or services


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
