"""The properties of a disposable broker: identity, shortened settings, and the caller's own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache

from advisor.catalog import Component, Family, kafka_line, settings_of, written
from advisor.catalog.versions import at_least
from labs.engine.cluster.nodes import (
    CLIENTS,
    DATA,
    LISTENERS,
    METADATA,
    QUORUM,
    Address,
    HostPort,
    Node,
)

Settings = Mapping[str, str | int | bool]


class RefusedSetting(ValueError):
    """A broker setting that must not reach a properties file; the message says which and why."""


@dataclass(frozen=True, slots=True)
class Shortened:
    """A setting in which a lab's broker differs from the product; `why` is for the page."""

    lab: int
    product: int
    why: str


# The product's values are those of the ConfigDef of every release that has the setting.
SHORTENED: Mapping[str, Shortened] = {
    "broker.session.timeout.ms": Shortened(
        4000,
        9000,
        "a dead broker is noticed, and its partitions get a new leader, earlier",
    ),
    "zookeeper.session.timeout.ms": Shortened(
        4000,
        18000,
        "a dead broker is noticed, and its partitions get a new leader, earlier",
    ),
    "broker.heartbeat.interval.ms": Shortened(
        500, 2000, "a broker that comes back serves clients earlier"
    ),
    "initial.broker.registration.timeout.ms": Shortened(
        120000,
        60000,
        "on a busy machine a broker that boots is given the time that the whole cluster has",
    ),
    "group.initial.rebalance.delay.ms": Shortened(
        0, 3000, "the first consumer of a group starts at once"
    ),
    "group.min.session.timeout.ms": Shortened(
        1000, 6000, "a consumer that died may be missed earlier"
    ),
    "unclean.leader.election.interval.ms": Shortened(
        1000, 300000, "where unclean election is allowed, it happens soon"
    ),
    "offsets.topic.num.partitions": Shortened(3, 50, "fewer internal partitions to create"),
    "transaction.state.log.num.partitions": Shortened(3, 50, "fewer internal partitions to create"),
    "share.coordinator.state.topic.num.partitions": Shortened(
        3, 50, "fewer internal partitions to create"
    ),
    "log.cleaner.dedupe.buffer.size": Shortened(
        4194304,
        134217728,
        "a small heap is enough; it only bounds how much one cleaning compacts",
    ),
}
"""Everything in which a lab's broker differs from the product's default, unless the caller sets
it. `replica.lag.time.max.ms` is not here on purpose: a follower that a lab pauses must stay in
the ISR, as it would in production for half a minute."""

_OF_ZOOKEEPER = frozenset({"zookeeper.session.timeout.ms"})
_OF_KRAFT = frozenset({
    "broker.session.timeout.ms", "broker.heartbeat.interval.ms",
    "initial.broker.registration.timeout.ms",
})  # fmt: skip
"""Settings that have an effect in KRaft mode only, or with ZooKeeper only."""
_REGISTRATION_MS = 60_000
"""How long a broker waits for its ZooKeeper, which boots at the same time."""
IDENTITY = re.compile(
    r"process\.roles|node\.id|broker\.id|(advertised\.)?listeners?(\..*)?|log\.dirs?|"
    r"metadata\.log\.dir|controller\.listener\..*|controller\.quorum\.(voters|bootstrap\..*)|"
    r"inter\.broker\..*|.*security.*|.*sasl.*|"
    r"zookeeper\.connect|"
    r".*\bssl\..*|.*\.(class|classes|reporters?|plugin.*|path)(\..*)?"
)


def check(settings: Settings) -> None:
    """Raises `RefusedSetting` for what a caller may not set or a properties file cannot hold.

    Refused are names that are not Kafka's spelling, values with control characters (a newline
    would begin another setting), the settings that make a broker this cluster's, and those that
    name files or classes to load.
    """
    for name, value in settings.items():
        if not re.fullmatch(r"[a-z][a-z0-9]*(\.[a-z0-9]+)*", name):
            raise RefusedSetting(f"{name!r} is not the name of a broker setting")
        if IDENTITY.fullmatch(name):
            raise RefusedSetting(f"{name} is the lab's own to set: it keeps clusters apart")
        if any(ord(char) < 32 or 127 <= ord(char) < 160 for char in str(value)):
            raise RefusedSetting(f"the value of {name} holds a line break or control character")


def shortened(
    settings: Settings, version: str, *, zookeeper: bool = False
) -> dict[str, tuple[int, int]]:
    """Setting → (value in the lab, the product's default), for those the caller left alone and
    the release knows, in its mode."""
    return {
        name: (entry.lab, entry.product)
        for name, entry in SHORTENED.items()
        if name not in settings and name in _broker_settings(version, zookeeper=zookeeper)
    }


@cache
def _broker_settings(version: str, *, zookeeper: bool) -> frozenset[str]:
    """The names of the broker settings that a release has, such as those of share groups in newer
    ones. Those without an effect in its mode are left out."""
    line = kafka_line(version)
    settings = settings_of(Family.JAVA, line, line, Component.BROKER, every=True)
    names = frozenset(setting.name for setting in settings)
    return names - (_OF_KRAFT if zookeeper else _OF_ZOOKEEPER)


def node_properties(
    node: Node, nodes: Sequence[Node], settings: Settings, version: str,
    folders: Sequence[str] = (DATA,), zookeeper: Address | None = None,
) -> str:  # fmt: skip
    """The server.properties of one of `nodes` for a release of Kafka.

    `settings` come last and win. `folders` are those of `nodes.log_folders`, and `zookeeper` is
    where a server keeps the metadata in place of controllers. Raises `RefusedSetting`.
    """
    check(settings)
    replicas = min(3, sum(node.clients is not None for node in nodes))
    ours = {
        # The product's default of 3 cannot be met by a smaller cluster, and then nobody can
        # commit an offset; with three brokers these are the product's own values.
        "offsets.topic.replication.factor": replicas,
        "transaction.state.log.replication.factor": replicas,
        "transaction.state.log.min.isr": min(2, replicas),
        "share.coordinator.state.topic.replication.factor": replicas,
        "share.coordinator.state.topic.min.isr": min(2, replicas),
        **{name: entry.lab for name, entry in SHORTENED.items()},
    }
    names = _broker_settings(version, zookeeper=zookeeper is not None)
    known = {name: value for name, value in ours.items() if name in names}
    own = _identity(node, nodes, version) if zookeeper is None else _registered(node, zookeeper)
    return properties({**own, **_storage(folders), **known, **settings})


def properties(settings: Settings) -> str:
    """Settings as a file that `java.util.Properties.load` reads; the names are the catalog's."""
    return "".join(f"{name}={_escape(value)}\n" for name, value in settings.items())


def _identity(node: Node, nodes: Sequence[Node], version: str) -> dict[str, str | int]:
    """A node's id, its roles, its listeners, and the voters of its quorum."""
    advertised: Set[str] = node.addresses.keys()
    if not at_least(version, "3.9"):
        # Only since KIP-853 may a controller's listener be advertised; before, others know it
        # from their own list of voters alone.
        advertised -= {QUORUM}
    quorum = [(node.id, *node.quorum.advertised) for node in nodes if node.quorum]
    return {
        "process.roles": node.roles,
        "node.id": node.id,
        **_listeners(node, advertised, LISTENERS),
        "controller.listener.names": QUORUM,
        "controller.quorum.voters": ",".join(f"{id_}@{host}:{port}" for id_, host, port in quorum),
    }


def _registered(node: Node, zookeeper: Address) -> dict[str, str | int]:
    """The same for a broker that registers with ZooKeeper."""
    return {
        "broker.id": node.id,
        **_listeners(node, node.addresses.keys(), (CLIENTS,)),
        "zookeeper.connect": "{}:{}".format(*zookeeper.advertised),
        "zookeeper.connection.timeout.ms": _REGISTRATION_MS,
    }


def _listeners(node: Node, advertised: Set[str], names: Iterable[str]) -> dict[str, str]:
    shown = {name: at.advertised for name, at in node.addresses.items() if name in advertised}
    return {
        "listeners": joined_listeners({name: at.at for name, at in node.addresses.items()}),
        **({"advertised.listeners": joined_listeners(shown)} if shown else {}),
        "listener.security.protocol.map": ",".join(f"{name}:PLAINTEXT" for name in names),
        "inter.broker.listener.name": CLIENTS,
    }


def _storage(folders: Sequence[str]) -> dict[str, str]:
    logs = ",".join(folder for folder in folders if folder != METADATA)
    return {"log.dirs": logs} | ({"metadata.log.dir": METADATA} if METADATA in folders else {})


def joined_listeners(at: Mapping[str, HostPort]) -> str:
    return ",".join(f"{name}://{host}:{port}" for name, (host, port) in at.items())


def _escape(value: str | int | bool) -> str:
    """A value as `java.util.Properties.load` reads it back (its javadoc: ISO 8859-1, `\\`)."""
    units = written(value).encode("utf-16-be")
    pairs = (int.from_bytes(units[i : i + 2], "big") for i in range(0, len(units), 2))
    return "".join(
        chr(unit) if 32 < unit < 127 and unit != 92 else f"\\u{unit:04x}" for unit in pairs
    )
