"""Settings that have no effect in a file of brokers, or in a file of controllers.

`process.roles` tells whose file it is, where the two run apart. Which replica may lead, and after
which silence a broker counts as dead, is decided by the active controller, by its own file
(ControllerServer.scala, setStaticConfig and setSessionTimeoutNs; apache/kafka#16866). Where
eligible leader replicas are on, as in new clusters from 4.1, so is `min.insync.replicas` of a topic
without its own: the cluster keeps a value that was copied from the active controller's file, and
that goes before a broker's (KIP-966, operations/eligible-leader-replicas.md; seen on 4.1.0, 4.2.1
and 4.3.1). All else that is weighed is read by brokers alone, but for the default replication
factor and the log directories, which both read (AutoTopicCreationManager, ControllerServer;
`metadata.log.dir` is the first of them unless it is stated).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from advisor.catalog import Component
from advisor.catalog.versions import at_least, kafka_line
from advisor.intake.cluster.config_sources import MIN_ISR
from advisor.intake.cluster.topic_defaults import names_of_topics
from advisor.intake.reading import Item, Product

_ROLES = "process.roles"
_BROKER, _CONTROLLER = frozenset({"broker"}), frozenset({"controller"})
ANY_ROLE = _BROKER | _CONTROLLER
"""Who reads a setting; a server that does not say its roles may have both."""
_BY_CONTROLLERS = {
    "unclean.leader.election.enable", "broker.session.timeout.ms",
    "controller.quorum.election.timeout.ms", "controller.quorum.fetch.timeout.ms",
    "controller.quorum.append.linger.ms",
}  # fmt: skip
_BY_BOTH = {"default.replication.factor", "log.dirs", "log.dir"}
_WORDS = "is not read from a file with process.roles={}: {}"
_HINTS = {
    "broker": "the active controller's file says it. Add that file, or state it on the topic where "
    "a topic has it",
    "controller": "the brokers' own files say it. Add one of them",
}


def unread(items: Iterable[Item], product: Product) -> Iterator[tuple[Item, str]]:
    """The items that only count in the file of the other role, and the words that say so.

    Each process has its own roles, also where one file states several.
    """
    processes: dict[str, list[Item]] = {}
    for item in items:
        if item.component is Component.BROKER:
            processes.setdefault(item.process, []).append(item)
    decided = _decided(product)
    for own in processes.values():
        role = _only_role(own)
        for item in own:
            if role and _is_others(item.name, role, decided, product):
                yield item, _WORDS.format(role, _HINTS[role])


def readers(name: str, product: Product) -> frozenset[str]:
    """Which roles read a setting that one server may state, and another not."""
    if name in _decided(product):
        return _CONTROLLER
    return ANY_ROLE if name in _BY_BOTH else _BROKER


def roles_of(items: Iterable[Item], servers: Collection[str]) -> dict[str, frozenset[str]]:
    """The roles of each of these servers."""
    roles = dict.fromkeys(servers, ANY_ROLE)
    for item in items:
        if item.name == _ROLES and item.process in roles:
            roles[item.process] = frozenset(role.strip() for role in item.text.split(","))
    return roles


def _decided(product: Product) -> set[str]:
    """What the active controller alone decides."""
    since = {MIN_ISR} if at_least(kafka_line(product.kafka), "4.1") else set()
    return _BY_CONTROLLERS | since


def _only_role(items: Iterable[Item]) -> str:
    """`broker` or `controller`; empty for a process that is both, or does not say."""
    stated = (item.text for item in items if item.name == _ROLES)
    roles = {role.strip() for text in stated for role in text.split(",")}
    return roles.pop() if len(roles) == 1 and roles <= _HINTS.keys() else ""


def _is_others(name: str, role: str, decided: set[str], product: Product) -> bool:
    """Whether the other role alone reads this."""
    if role == "broker" or name in decided:
        return role == "broker" and name in decided
    of_brokers = product.has(Component.BROKER, name) or name in names_of_topics()
    return name not in _BY_BOTH and of_brokers
