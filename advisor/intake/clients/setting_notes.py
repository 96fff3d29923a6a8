"""Specific notes about existing settings that are not modelled.

Sources: KIP-405 and Kafka operations/tiered-storage.md; KIP-74 (the first batch of a response is
sent whatever its size); LogValidator.java (brokers recompress); QuorumConfig.java.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from advisor.catalog import Component
from advisor.catalog.nearest import nearest
from advisor.intake.clients.known_settings import decides
from advisor.intake.reading import Item

_LOCAL_COPIES = (
    "limits the copies on the brokers' own disks with remote.storage.enable=true, and does nothing "
    "without that"
)
_LOCAL = "counts for topics with remote.storage.enable=true only"
_PLUGIN = "is passed to a plug-in of tiered storage: not taken into account"
_NO_LIMIT = "does not limit a batch: a response has its first batch whatever its size (KIP-74)"
_COMPRESSED = (
    "makes the brokers recompress batches of another codec: max.message.bytes applies to the size "
    "after that, and a batch that fits when it is sent may be refused"
)
_QUORUM = (
    "is longer than clients wait: if the machine that dies is also the active controller, its "
    "partitions have no leader until another controller is elected. Delivery Lab does not take "
    "that wait into account"
)
_THROTTLED = (
    "throttles replicas that are not in sync (KIP-73), also after the reassignment that it was "
    "for: if the rate is below that of new records, a replica that fell behind never catches up"
)
_MIGRATING = (
    "is a step of the migration to KRaft (KIP-866): while it lasts the new controllers elect "
    "leaders for all brokers, by their own files. The answer is for the mode that this file runs in"
)
_FEW = (
    "allows few connections: a client has two to its bootstrap broker, and brokers have several "
    "to each other and to the active controller. One too many is closed"
)
_RACK = (
    "names the rack of this broker. If every broker's is given, the number of racks counts; "
    "otherwise state it as application.racks"
)
_CONNECTIONS = 20
_PATIENCE_MS = 30_000
"""The time that an election of controllers may take, in addition to a broker's session, within the
clients' default delivery timeout of 120 s."""


def _is_true(text: str) -> bool:
    return text.strip().lower() == "true"


def _is_other_codec(text: str) -> bool:
    return text.strip().lower() != "producer"


def _is_long(text: str) -> bool:
    return text.strip().isdecimal() and int(text) > _PATIENCE_MS


def _is_few(text: str) -> bool:
    return text.strip().isdecimal() and int(text) < _CONNECTIONS


def _any(_: str) -> bool:
    return True


_REMARKS: Mapping[tuple[Component, str], tuple[Callable[[str], bool], str]] = {
    (Component.TOPIC, "local.retention.ms"): (_any, _LOCAL_COPIES),
    (Component.TOPIC, "local.retention.bytes"): (_any, _LOCAL_COPIES),
    (Component.BROKER, "log.local.retention.ms"): (_any, _LOCAL_COPIES),
    (Component.BROKER, "log.local.retention.bytes"): (_any, _LOCAL_COPIES),
    (Component.BROKER, "remote.log.storage.system.enable"): (_is_true, _LOCAL),
    (Component.TOPIC, "compression.type"): (_is_other_codec, _COMPRESSED),
    (Component.BROKER, "compression.type"): (_is_other_codec, _COMPRESSED),
    (Component.BROKER, "replica.fetch.max.bytes"): (_any, _NO_LIMIT),
    (Component.BROKER, "replica.fetch.response.max.bytes"): (_any, _NO_LIMIT),
    (Component.BROKER, "controller.quorum.election.backoff.max.ms"): (_is_long, _QUORUM),
    (Component.BROKER, "controller.quorum.retry.backoff.ms"): (_is_long, _QUORUM),
    (Component.BROKER, "broker.rack"): (_any, _RACK),
    (Component.BROKER, "max.connections.per.ip"): (_is_few, _FEW),
    (Component.BROKER, "max.connections"): (_is_few, _FEW),
    (Component.BROKER, "zookeeper.metadata.migration.enable"): (_is_true, _MIGRATING),
    (Component.BROKER, "leader.replication.throttled.rate"): (_any, _THROTTLED),
    (Component.BROKER, "follower.replication.throttled.rate"): (_any, _THROTTLED),
    (Component.TOPIC, "leader.replication.throttled.replicas"): (_any, _THROTTLED),
    (Component.TOPIC, "follower.replication.throttled.replicas"): (_any, _THROTTLED),
}


def remark(item: Item) -> str:
    """The note about a setting with this value; empty if there is none."""
    if item.component is Component.BROKER and item.name.startswith(PLUGINS):
        return _PLUGIN
    applies, words = _REMARKS.get((item.component, item.name), (_any, ""))
    return words if applies(item.text) else ""


PLUGINS = ("rlmm.config.", "rsm.config.")
"""The prefixes of settings of tiered storage's plug-ins, unless brokers set others
(remote.log.metadata.manager.impl.prefix, remote.log.storage.manager.impl.prefix)."""


def hint(item: Item, names: frozenset[str]) -> str:
    """A hint about the known name after a team's own prefix, or about the nearest known name if it
    is too far for a typo; else empty."""
    parts = item.name.split(".")
    suffixes = (".".join(parts[first:]) for first in range(1, len(parts)))
    if name := next((suffix for suffix in suffixes if suffix in names and decides(suffix)), ""):
        return f". If your own code uses it for {name}, state that"
    near = nearest(item.name, names, cutoff=0.75)
    return f". The nearest known is {near}." if near else ""
