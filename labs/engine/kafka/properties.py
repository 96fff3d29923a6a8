"""What a disposable broker is told: who it is, what the lab shortened, what the caller set."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

Settings = Mapping[str, str | int | bool]


class RefusedSetting(ValueError):
    """A broker setting that must not reach a properties file; the message says which and why."""


@dataclass(frozen=True, slots=True)
class Shortened:
    """A setting in which a lab's broker differs from the product; `why` is for the page."""

    lab: int
    product: int
    why: str


# The product's values are those of AbstractKafkaConfig.CONFIG_DEF of Kafka 4.1.0 to 4.3.1.
SHORTENED: Mapping[str, Shortened] = {
    "broker.session.timeout.ms": Shortened(
        4000,
        9000,
        "a dead broker is noticed, and its partitions get a new leader, earlier",
    ),
    "broker.heartbeat.interval.ms": Shortened(
        500, 2000, "a broker that comes back serves clients earlier"
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

_IDENTITY = re.compile(
    r"process\.roles|node\.id|broker\.id|(advertised\.)?listeners?(\..*)?|log\.dirs?|"
    r"metadata\.log\.dir|controller\.(listener|quorum)\..*|inter\.broker\..*|.*security.*|.*sasl.*|"
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
        if _IDENTITY.fullmatch(name):
            raise RefusedSetting(f"{name} is the lab's own to set: it keeps clusters apart")
        if any(ord(char) < 32 or 127 <= ord(char) < 160 for char in str(value)):
            raise RefusedSetting(f"the value of {name} holds a line break or control character")


def shortened(settings: Settings) -> dict[str, tuple[int, int]]:
    """Setting → (value in the lab, the product's default), for those the caller left alone."""
    return {
        name: (entry.lab, entry.product)
        for name, entry in SHORTENED.items()
        if name not in settings
    }


def broker_properties(node: int, ports: Mapping[int, tuple[int, int]], settings: Settings) -> str:
    """The server.properties of one broker and controller among `ports`: id → (client, quorum).

    `settings` come last and win. The folder of the log is `data` in the broker's working folder.
    Raises `RefusedSetting`.
    """
    check(settings)
    client, quorum = ports[node]
    replicas = min(3, len(ports))
    voters = ",".join(f"{id_}@127.0.0.1:{port}" for id_, (_, port) in sorted(ports.items()))
    told: dict[str, str | int | bool] = {
        "process.roles": "broker,controller",
        "node.id": node,
        "listeners": f"CLIENTS://127.0.0.1:{client},QUORUM://127.0.0.1:{quorum}",
        "advertised.listeners": f"CLIENTS://127.0.0.1:{client}",
        "listener.security.protocol.map": "CLIENTS:PLAINTEXT,QUORUM:PLAINTEXT",
        "inter.broker.listener.name": "CLIENTS",
        "controller.listener.names": "QUORUM",
        "controller.quorum.voters": voters,
        "log.dirs": "data",
        # The product's default of 3 cannot be met by a smaller cluster, and then nobody can
        # commit an offset; with three brokers these are the product's own values.
        "offsets.topic.replication.factor": replicas,
        "transaction.state.log.replication.factor": replicas,
        "transaction.state.log.min.isr": min(2, replicas),
        "share.coordinator.state.topic.replication.factor": replicas,
        "share.coordinator.state.topic.min.isr": min(2, replicas),
        **{name: entry.lab for name, entry in SHORTENED.items()},
        **settings,
    }
    return "".join(f"{name}={_escape(value)}\n" for name, value in told.items())


def _escape(value: str | int | bool) -> str:
    """A value as `java.util.Properties.load` reads it back (its javadoc: ISO 8859-1, `\\`)."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    units = text.encode("utf-16-be")
    pairs = (int.from_bytes(units[i : i + 2], "big") for i in range(0, len(units), 2))
    return "".join(
        chr(unit) if 32 < unit < 127 and unit != 92 else f"\\u{unit:04x}" for unit in pairs
    )
