"""Listeners and voters in a server's file with which Kafka does not start.

Sources: KafkaConfig (parseProcessRoles, validateValues), SocketServerConfigs and QuorumConfig
(parseVoterConnections), of Kafka 3.3 to 4.3; checked by tests/contracts. Only stated settings are
compared, because others may be in another file. Values that are filled in later are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from advisor.catalog.versions import at_least
from advisor.intake.reading import Item

Stated = Mapping[str, Item]
Refusals = Iterator[tuple[Item, str]]

_ROLES, _LISTENERS, _ADVERTISED = "process.roles", "listeners", "advertised.listeners"
_CONTROLLERS, _EARLY = "controller.listener.names", "early.start.listeners"
_MAP, _INTER = "listener.security.protocol.map", "inter.broker.listener.name"
_PROTOCOL = "security.inter.broker.protocol"
_VOTERS, _SERVERS = "controller.quorum.voters", "controller.quorum.bootstrap.servers"
_JOIN = "controller.quorum.auto.join.enable"
_PROTOCOLS = {"PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"}
_PLAIN = re.compile(r"[\w.,:/@%\[\] -]+", re.ASCII)
_HOST = r"\[?[0-9a-zA-Z\-%._:]*\]?:-?\d{1,5}"
_ENDPOINT = re.compile(rf"(.+)://({_HOST})", re.ASCII)
_ADDRESS = re.compile(rf"(?:[\w\-%.]*://)?{_HOST}", re.ASCII)
_VOTER = re.compile(rf"\s*\d{{1,10}}@{_ADDRESS.pattern}", re.ASCII)
_FAILED = "requirement failed: "


def refused_listeners(stated: Stated, line: str) -> Refusals:
    """Yields the items with which a server does not start, each with Kafka's message. `line` is a
    version such as `4.1`."""
    yield from _roles(stated, line)
    yield from _joining(stated)
    yield from _quorum(stated)
    yield from _endpoints(stated)
    yield from _protocols(stated)
    yield from _inter_broker(stated)
    yield from _controllers(stated)
    early = _list(stated, _EARLY)
    if _LISTENERS in stated and early - _names(stated, _LISTENERS):
        words = f"{_EARLY} contains a listener that is not contained in {_LISTENERS} or "
        yield stated[_EARLY], f"{words}{_CONTROLLERS}"


def _roles(stated: Stated, line: str) -> Refusals:
    """Refuses empty and duplicate roles. Since 4.2 a list ignores duplicates
    (ConfigDef.ValidList)."""
    roles = [role.strip() for role in stated[_ROLES].text.split(",")] if _ROLES in stated else []
    if roles == [""] and at_least(line, "4.0"):  # before 4.2 neither role runs then
        words = f"Configuration '{_ROLES}' must not be empty. Valid values include: [broker, "
        yield stated[_ROLES], f"{words}controller]"
    elif len({*roles}) < len(roles) and not at_least(line, "4.2"):
        yield stated[_ROLES], f"Duplicate role names found in `{_ROLES}`"


def _joining(stated: Stated) -> Refusals:
    """Refuses automatic joining for a broker, which does not vote (KIP-853)."""
    joins = _text(stated, _JOIN).lower() == "true"
    if joins and _ROLES in stated and "controller" not in _server_roles(stated):
        words = f"{_JOIN} is only supported when {_ROLES} contains the 'controller' role."
        yield stated[_JOIN], f"{_FAILED}{words}"


def _quorum(stated: Stated) -> Refusals:
    for name, pattern, form in (
        (_VOTERS, _VOTER, "`{id}@{host}:{port}`"), (_SERVERS, _ADDRESS, '"{host}:{port}"'),
    ):  # fmt: skip
        text = _text(stated, name)
        if text and not all(map(pattern.fullmatch, text.split(","))):
            words = f"Invalid configuration value for {name}. Each entry should be in the form "
            yield stated[name], f"{words}{form}."


def _endpoints(stated: Stated) -> Refusals:
    for name in (_LISTENERS, _ADVERTISED):
        text = _text(stated, name)
        endpoints = (
            [_ENDPOINT.fullmatch(entry.strip()) for entry in text.split(",")] if text else []
        )
        if None in endpoints:
            yield stated[name], f"Unable to parse an entry of {name} to a broker endpoint"
            continue
        names = [endpoint[1].upper() for endpoint in endpoints if endpoint]
        if len({*names}) < len(names):
            yield stated[name], f"Each listener of {name} must have a different name"
    ports = [
        address.rpartition(":")[2] for address in _addresses(stated) if not address.endswith(":0")
    ]
    if len({*ports}) < len(ports):
        yield stated[_LISTENERS], f"Each listener of {_LISTENERS} must have a different port"
    listening, advertised = _names(stated, _LISTENERS), _names(stated, _ADVERTISED)
    if listening and advertised - listening and "broker" in _server_roles(stated):
        words = f"{_FAILED}{_ADVERTISED} listener names must be equal to or a subset of the ones "
        yield stated[_ADVERTISED], f"{words}defined in {_LISTENERS}."


def _protocols(stated: Stated) -> Refusals:
    """Refuses names without a protocol. A stated map replaces the default one, which maps each
    protocol's name to itself."""
    pairs = [entry.partition(":") for entry in _text(stated, _MAP).split(",") if entry.strip()]
    mapped = {name.strip().upper() for name, _, _ in pairs}
    if not pairs:
        return
    if not {protocol.strip().upper() for _, _, protocol in pairs} <= _PROTOCOLS:
        yield stated[_MAP], f"Invalid security protocol defined in {_MAP}"
    elif (_names(stated, _LISTENERS) | _names(stated, _ADVERTISED)) - mapped:
        yield stated[_MAP], f"No security protocol defined for a listener: {_MAP} lacks it"
    elif _list(stated, _INTER) - mapped:
        words = f"Listener defined in {_INTER} not found in {_MAP}."
        yield stated[_INTER], words
    elif _ROLES in stated and _list(stated, _CONTROLLERS) - mapped:
        words = f"Controller listener defined in {_CONTROLLERS} not found in {_MAP}"
        yield stated[_CONTROLLERS], words


def _inter_broker(stated: Stated) -> Refusals:
    if _INTER in stated and _PROTOCOL in stated and _list(stated, _INTER):
        yield stated[_INTER], f"Only one of {_INTER} and {_PROTOCOL} should be set."
        return
    setting = _INTER if _INTER in stated else _PROTOCOL
    listed_in = _ADVERTISED if _ADVERTISED in stated else _LISTENERS
    names = _names(stated, listed_in)
    advertised = names - _list(stated, _CONTROLLERS)
    if not names or "broker" not in _server_roles(stated):
        return
    if not advertised:
        words = f"{_FAILED}There must be at least one broker advertised listener. Perhaps all "
        yield stated[listed_in], f"{words}listeners appear in {_CONTROLLERS}?"
    elif _list(stated, setting) - advertised:
        words = f"{_INTER} must be a listener name defined in {_ADVERTISED}."
        yield stated[setting], f"{_FAILED}{words}"


def _controllers(stated: Stated) -> Refusals:
    names, listening = _list(stated, _CONTROLLERS), _names(stated, _LISTENERS)
    if not (names and listening and _ROLES in stated):
        return
    roles, words = _server_roles(stated), ""
    if roles == {"broker"} and names & listening:
        words = f"{_CONTROLLERS} must not contain a value appearing in the '{_LISTENERS}' "
        words += "configuration when running KRaft with just the broker role"
    elif roles == {"controller"} and listening - names:
        words = f"The {_LISTENERS} config must only contain KRaft controller listeners from "
        words += f"{_CONTROLLERS} when {_ROLES}=controller"
    elif "controller" in roles and not names & listening:
        words = f"{_CONTROLLERS} must contain at least one value appearing in the '{_LISTENERS}' "
        words += "configuration when running the KRaft controller role"
    if words:
        yield stated[_CONTROLLERS], f"{_FAILED}{words}"


def _server_roles(stated: Stated) -> set[str]:
    """The roles of a server. Without the setting it is a broker with ZooKeeper, or another file
    states its roles."""
    return (
        {role.strip() for role in stated[_ROLES].text.split(",")}
        if _ROLES in stated
        else {"broker"}
    )


def _names(stated: Stated, name: str) -> set[str]:
    """The listener names in a list of endpoints; empty if the list cannot be read."""
    endpoints = map(_ENDPOINT.fullmatch, map(str.strip, _text(stated, name).split(",")))
    return {endpoint[1].upper() for endpoint in endpoints if endpoint}


def _addresses(stated: Stated) -> list[str]:
    """The addresses on which a server listens. Two listeners may share a port for IPv4 and IPv6
    (KIP-797)."""
    text = _text(stated, _LISTENERS)
    endpoints = map(_ENDPOINT.fullmatch, map(str.strip, text.split(",")))
    return [] if "[" in text else [endpoint[2] for endpoint in endpoints if endpoint]


def _list(stated: Stated, name: str) -> set[str]:
    return {entry.strip().upper() for entry in _text(stated, name).split(",")} - {""}


def _text(stated: Stated, name: str) -> str:
    """The stated value; empty if it has a placeholder."""
    text = stated[name].text.strip() if name in stated else ""
    return text if _PLAIN.fullmatch(text) else ""
