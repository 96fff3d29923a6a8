"""Settings that have no effect in a file of brokers, or in a file of controllers.

If brokers and controllers are separate processes, `process.roles` says which of them reads a file.
The active controller decides, by its own file, which replica may lead and after what time without a
heartbeat a broker is fenced (ControllerServer.scala, setStaticConfig and setSessionTimeoutNs;
apache/kafka#16866). With eligible leader replicas, as in new clusters from 4.1, it also decides
`min.insync.replicas` of topics that do not set it: the cluster stores a value that was copied from
the active controller's file, and this overrides a broker's (KIP-966,
operations/eligible-leader-replicas.md; seen on 4.1.0, 4.2.1 and 4.3.1). Only brokers read the other
settings, except for the default replication factor and the log directories, which both read
(AutoTopicCreationManager, ControllerServer; `metadata.log.dir` is the first of them unless it is
stated).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from advisor.catalog import Component
from advisor.catalog.versions import at_least, kafka_line
from advisor.intake.cluster.config_sources import MIN_ISR
from advisor.intake.cluster.topic_defaults import topic_default_names
from advisor.intake.reading import Item, Product

_ROLES = "process.roles"
_BROKER, _CONTROLLER = frozenset({"broker"}), frozenset({"controller"})
ANY_ROLE = _BROKER | _CONTROLLER
"""The roles of a server that does not state them, and the readers of a setting that both read."""
_CONTROLLER_SETTINGS = {
    "unclean.leader.election.enable", "broker.session.timeout.ms",
    "controller.quorum.election.timeout.ms", "controller.quorum.fetch.timeout.ms",
    "controller.quorum.append.linger.ms",
}  # fmt: skip
_SHARED_SETTINGS = {"default.replication.factor", "log.dirs", "log.dir"}
_WORDS = "is not read from a file with process.roles={}: {}"
_DECIDING = {
    "broker": "the active controller's file decides",
    "controller": "the brokers' files decide",
}
_HINTS = {
    "broker": "Add that file, or state it on the topic if topics have it",
    "controller": "Add one of them",
}


def unread_items(items: Iterable[Item], product: Product) -> Iterator[tuple[Item, str]]:
    """Yields the items that count only in a file of the other role, each with a message.

    Each process has its own roles, also if one file configures several processes.
    """
    processes: dict[str, list[Item]] = {}
    for item in items:
        if item.component is Component.BROKER:
            processes.setdefault(item.process, []).append(item)
    by_controller = _controller_settings(product)
    roles = {process: _only_role(server_items) for process, server_items in processes.items()}
    has_both = _HINTS.keys() <= {*roles.values()}
    for process, role in roles.items():
        for item in processes[process]:
            if role and _is_read_by_other(item.name, role, by_controller, product):
                hint = "" if has_both else f". {_HINTS[role]}"
                yield item, f"{_WORDS.format(role, _DECIDING[role])}{hint}"


def without_answered_hints(notes: Iterable[str], roles: Iterable[frozenset[str]]) -> list[str]:
    """The notes, without the hint to add a file where a file of a server with that role was given,
    too. `roles` are those of all servers."""
    given = frozenset[str]().union(*roles)
    if not given >= _HINTS.keys():
        return [*notes]
    hints = [f"{_DECIDING[role]}. {hint}." for role, hint in _HINTS.items()]
    return [
        next((f"{note.removesuffix(hint)}{hint.partition('.')[0]}." for hint in hints
              if note.endswith(hint)), note)
        for note in notes
    ]  # fmt: skip


def reading_roles(name: str, product: Product) -> frozenset[str]:
    """The roles that read a setting."""
    if name in _controller_settings(product):
        return _CONTROLLER
    return ANY_ROLE if name in _SHARED_SETTINGS else _BROKER


def server_roles(items: Iterable[Item], servers: Collection[str]) -> dict[str, frozenset[str]]:
    """The roles of each of these servers."""
    roles = dict.fromkeys(servers, ANY_ROLE)
    for item in items:
        if item.name == _ROLES and item.process in roles:
            roles[item.process] = frozenset(role.strip() for role in item.text.split(","))
    return roles


def _controller_settings(product: Product) -> set[str]:
    """The settings that only the active controller reads."""
    since = {MIN_ISR} if at_least(kafka_line(product.kafka), "4.1") else set()
    return _CONTROLLER_SETTINGS | since


def _only_role(items: Iterable[Item]) -> str:
    """`broker` or `controller`; empty for a process that is both, or does not state its roles."""
    stated = (item.text for item in items if item.name == _ROLES)
    roles = {role.strip() for text in stated for role in text.split(",")}
    return roles.pop() if len(roles) == 1 and roles <= _HINTS.keys() else ""


def _is_read_by_other(name: str, role: str, by_controller: set[str], product: Product) -> bool:
    """Whether only the other role reads a setting."""
    if role == "broker" or name in by_controller:
        return role == "broker" and name in by_controller
    by_brokers = product.has(Component.BROKER, name) or name in topic_default_names()
    return name not in _SHARED_SETTINGS and by_brokers
