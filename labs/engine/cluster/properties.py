"""The properties of a disposable broker: identity, shortened settings, and caller's settings."""

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
    """A broker setting that must not be in a properties file; the message says which and why."""


@dataclass(frozen=True, slots=True)
class Shortened:
    """A setting in which the lab's brokers differ from the product; the page shows `why`."""

    lab: int
    product: int
    why: str


# The product's values are those of the ConfigDef of every release that has the setting.
SHORTENED: Mapping[str, Shortened] = {
    "broker.session.timeout.ms": Shortened(
        4000,
        9000,
        "a dead broker is detected earlier, and its partitions get a new leader",
    ),
    "zookeeper.session.timeout.ms": Shortened(
        4000,
        18000,
        "a dead broker is detected earlier, and its partitions get a new leader",
    ),
    "broker.heartbeat.interval.ms": Shortened(
        500, 2000, "a restarted broker serves clients earlier"
    ),
    "initial.broker.registration.timeout.ms": Shortened(
        120000,
        60000,
        "on a busy machine a booting broker gets as much time as the whole cluster",
    ),
    "group.initial.rebalance.delay.ms": Shortened(
        0, 3000, "the first consumer of a group starts immediately"
    ),
    "group.min.session.timeout.ms": Shortened(
        1000, 6000, "a dead consumer may be detected earlier"
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
        "a small heap is enough; it only limits how much one cleaning compacts",
    ),
}
"""All settings in which the lab's brokers differ from the defaults, unless the caller sets
them. `replica.lag.time.max.ms` is deliberately absent: a follower that a lab pauses must stay in
the ISR, as it would in production for half a minute."""

_ZOOKEEPER_ONLY = frozenset({"zookeeper.session.timeout.ms"})
_KRAFT_ONLY = frozenset({
    "broker.session.timeout.ms", "broker.heartbeat.interval.ms",
    "initial.broker.registration.timeout.ms",
})  # fmt: skip
"""Settings with an effect only with ZooKeeper, or only in KRaft mode."""
_REGISTRATION_MS = 60_000
"""How long a broker waits for its ZooKeeper, which boots in parallel."""
IDENTITY = re.compile(
    r"process\.roles|node\.id|broker\.id|(advertised\.)?listeners?(\..*)?|log\.dirs?|"
    r"metadata\.log\.dir|controller\.listener\..*|controller\.quorum\.(voters|bootstrap\..*)|"
    r"inter\.broker\..*|.*security.*|.*sasl.*|"
    r"zookeeper\.connect|"
    r".*\bssl\..*|.*\.(class|classes|reporters?|plugin.*|path)(\..*)?"
)


def check(settings: Settings) -> None:
    """Raises `RefusedSetting` for a setting that a caller may not set.

    These are names that no Kafka setting can have, values with control characters (a newline would
    begin another setting), settings that tie a broker to this cluster, and settings that name files
    or classes to load.
    """
    for name, value in settings.items():
        if not re.fullmatch(r"[a-z][a-z0-9]*(\.[a-z0-9]+)*", name):
            raise RefusedSetting(f"{name!r} is not the name of a broker setting")
        if IDENTITY.fullmatch(name):
            raise RefusedSetting(
                f"{name} is reserved for the lab, which uses it to separate clusters"
            )
        if any(ord(char) < 32 or 127 <= ord(char) < 160 for char in str(value)):
            raise RefusedSetting(f"the value of {name} holds a line break or control character")


def shortened(
    settings: Settings, version: str, *, zookeeper: bool = False
) -> dict[str, tuple[int, int]]:
    """Returns setting → (value in the lab, the product's default) for the shortened settings.

    Settings of the caller, and settings that the release does not have in its mode, are left out.
    """
    return {
        name: (entry.lab, entry.product)
        for name, entry in SHORTENED.items()
        if name not in settings and name in _broker_settings(version, zookeeper=zookeeper)
    }


@cache
def _broker_settings(version: str, *, zookeeper: bool) -> frozenset[str]:
    """Returns the names of a release's broker settings that have an effect in its mode."""
    line = kafka_line(version)
    settings = settings_of(Family.JAVA, line, line, Component.BROKER, every=True)
    names = frozenset(setting.name for setting in settings)
    return names - (_KRAFT_ONLY if zookeeper else _ZOOKEEPER_ONLY)


def node_properties(
    node: Node, nodes: Sequence[Node], settings: Settings, version: str,
    folders: Sequence[str] = (DATA,), zookeeper: Address | None = None,
) -> str:  # fmt: skip
    """Returns the server.properties of one of `nodes` for a release of Kafka.

    `settings` come last and override the others. `folders` are those of `nodes.log_folders`.
    `zookeeper` is the address of the ZooKeeper, None in KRaft mode. Raises `RefusedSetting`.
    """
    check(settings)
    replicas = min(3, sum(node.clients is not None for node in nodes))
    defaults = {
        # A smaller cluster cannot satisfy the product's default of 3, and then offsets cannot be
        # committed. With three brokers these are the product's defaults.
        "offsets.topic.replication.factor": replicas,
        "transaction.state.log.replication.factor": replicas,
        "transaction.state.log.min.isr": min(2, replicas),
        "share.coordinator.state.topic.replication.factor": replicas,
        "share.coordinator.state.topic.min.isr": min(2, replicas),
        **{name: entry.lab for name, entry in SHORTENED.items()},
    }
    names = _broker_settings(version, zookeeper=zookeeper is not None)
    supported = {name: value for name, value in defaults.items() if name in names}
    identity = (
        _identity(node, nodes, version)
        if zookeeper is None
        else _zookeeper_identity(node, zookeeper)
    )
    return properties({**identity, **_storage(folders), **supported, **settings})


def properties(settings: Settings) -> str:
    """Returns settings as a properties file for `java.util.Properties.load`."""
    return "".join(f"{name}={_escape(value)}\n" for name, value in settings.items())


def _identity(node: Node, nodes: Sequence[Node], version: str) -> dict[str, str | int]:
    """Returns the settings for a node's id, its roles, its listeners, and the quorum voters."""
    advertised: Set[str] = node.addresses.keys()
    if not at_least(version, "3.9"):
        # A controller's listener may be advertised only since KIP-853. Before, other nodes know it
        # only from their list of voters.
        advertised -= {QUORUM}
    quorum = [(node.id, *node.quorum.advertised) for node in nodes if node.quorum]
    return {
        "process.roles": node.roles,
        "node.id": node.id,
        **_listeners(node, advertised, LISTENERS),
        "controller.listener.names": QUORUM,
        "controller.quorum.voters": ",".join(f"{id_}@{host}:{port}" for id_, host, port in quorum),
    }


def _zookeeper_identity(node: Node, zookeeper: Address) -> dict[str, str | int]:
    """Returns the corresponding settings for a broker that registers with ZooKeeper."""
    return {
        "broker.id": node.id,
        **_listeners(node, node.addresses.keys(), (CLIENTS,)),
        "zookeeper.connect": "{}:{}".format(*zookeeper.advertised),
        "zookeeper.connection.timeout.ms": _REGISTRATION_MS,
    }


def _listeners(node: Node, advertised: Set[str], names: Iterable[str]) -> dict[str, str]:
    advertised_addresses = {
        name: at.advertised for name, at in node.addresses.items() if name in advertised
    }
    return {
        "listeners": joined_listeners({name: at.at for name, at in node.addresses.items()}),
        **(
            {"advertised.listeners": joined_listeners(advertised_addresses)}
            if advertised_addresses
            else {}
        ),
        "listener.security.protocol.map": ",".join(f"{name}:PLAINTEXT" for name in names),
        "inter.broker.listener.name": CLIENTS,
    }


def _storage(folders: Sequence[str]) -> dict[str, str]:
    logs = ",".join(folder for folder in folders if folder != METADATA)
    return {"log.dirs": logs} | ({"metadata.log.dir": METADATA} if METADATA in folders else {})


def joined_listeners(at: Mapping[str, HostPort]) -> str:
    return ",".join(f"{name}://{host}:{port}" for name, (host, port) in at.items())


def _escape(value: str | int | bool) -> str:
    """Returns a value, escaped for `java.util.Properties.load` (its javadoc: ISO 8859-1, `\\`)."""
    units = written(value).encode("utf-16-be")
    pairs = (int.from_bytes(units[i : i + 2], "big") for i in range(0, len(units), 2))
    return "".join(
        chr(unit) if 32 < unit < 127 and unit != 92 else f"\\u{unit:04x}" for unit in pairs
    )
