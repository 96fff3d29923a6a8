"""Strimzi's resources: Kafka, KafkaNodePool, KafkaTopic, and the producer's quota of a KafkaUser.

Source: Strimzi's CRDs, v1beta2 and v1.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from advisor.catalog import Component, Problem
from advisor.intake.absent_files import absence
from advisor.intake.clients.created_topics import combine_topics
from advisor.intake.clients.placeholders import FILLED_IN
from advisor.intake.cluster import internal_topics
from advisor.intake.cluster.metadata_version import (
    PROTOCOLS,
    take_group_protocols,
    take_metadata_version,
)
from advisor.intake.cluster.mode import ZOOKEEPER
from advisor.intake.deployments import kustomization
from advisor.intake.deployments.settings_elsewhere import refuse_resource
from advisor.intake.deployments.several_clusters import refuse_repeated, subject_of
from advisor.intake.formats.yaml_nodes import Leaf, documents, with_joined_lists
from advisor.intake.reading import Reading
from advisor.intake.text import IntakeError, shown

_FORBIDDEN = (
    "listeners", "advertised.", "broker.", "listener.", "host.name", "port",
    "inter.broker.listener.name", "sasl.", "ssl.", "security.", "password.", "log.dir",
    "zookeeper.connect", "zookeeper.set.acl", "zookeeper.ssl", "zookeeper.clientcnxnsocket",
    "authorizer.", "super.user", "node.id", "process.roles", "controller.", "metadata.log.dir",
    "zookeeper.metadata.migration.enable",
)  # fmt: skip
_ALLOWED = (
    "zookeeper.connection.timeout.ms", "sasl.server.max.receive.size", "ssl.cipher.suites",
    "ssl.protocol", "ssl.enabled.protocols", "ssl.secure.random.implementation",
    "broker.session.timeout.ms", "broker.heartbeat.interval.ms", "controller.socket.timeout.ms",
    "controller.quorum.election.backoff.max.ms", "controller.quorum.election.timeout.ms",
    "controller.quorum.fetch.timeout.ms",
)  # fmt: skip
_UNMANAGED = {"strimzi.io/pause-reconciliation": "true", "strimzi.io/managed": "false"}
QUOTA, _RATE = "producer.byte.rate", "producerByteRate"
_STORAGE = ("persistent-claim", "ephemeral", "jbod")
_API = re.compile(
    r"^[ -]*apiVersion:\s*['\"]?kafka\.strimzi\.io/|\"apiVersion\":\s*\"kafka\.strimzi\.io/",
    re.MULTILINE,
)
"""In YAML, or in JSON as `kubectl get -o json` prints it."""
_PATCH = re.compile(
    r"\A(?:[ \t]*#.*\n|[ \t]*\n|---[ \t]*\n)*spec:[ \t]*\n[ \t]+kafka:[ \t]*\n[ \t]+config:"
)


def read_resources(every: Sequence[list[Leaf]], *, is_all: bool = True) -> Reading:
    """Returns the settings of the brokers and the topic, and the number of brokers. Raises
    `IntakeError` if these are all resources and hold no setting."""
    others, topics = list[Leaf](), list[tuple[Reading, int]]()
    brokers, controllers = 0, 0
    reading = Reading(subject=subject_of(every))
    _refuse_no_brokers(every)
    refuse_repeated(every)
    for leaves in every:
        kind = next((leaf for leaf in leaves if leaf.path == ("kind",)), None)
        if kind is None:
            _take_patch(reading, leaves)
            continue
        if kind.text == "KafkaTopic":
            reading.part_names.add(kind.text)
            topics += [(topic, kind.line) for topic in _topic_readings(reading, leaves)]
            continue
        if kind.text == "KafkaNodePool":
            brokers += _pool_size(leaves, "broker")
            controllers += _pool_size(leaves, "controller")
            _take_pool_disks(reading, leaves)
        if kind.text == "Kafka":
            _take_mode(reading, leaves)
            _take_metadata_version(reading, leaves)
            _take_disks(reading, leaves, ("spec", "kafka", "storage"))
        take = _KINDS.get(kind.text)
        quotas = any(leaf.path[:2] == ("spec", "quotas") for leaf in leaves)
        if take is None or (take is _take_user and not quotas):
            others.append(kind)
            continue
        reading.part_names.add(kind.text)
        for leaf in leaves:
            take(reading, leaf)
    _take_default_quota(reading, chain.from_iterable(every))
    combine_topics(reading, [topic for topic, _ in topics], [line for _, line in topics])
    if brokers:
        reading.heads["brokers"] = str(brokers)
    if controllers:
        reading.add_setting(Component.APPLICATION, "controllers", str(controllers), 1)
    _say_unread(reading, others, is_all=is_all)
    return reading


def refuse_unread(reading: Reading, leaves: Sequence[Leaf]) -> None:
    """Refuses settings that decide in a resource that is neither Strimzi's nor a workload."""
    kind = next((leaf for leaf in leaves if leaf.path == ("kind",)), None)
    if kind and kind.text not in _OTHERS and kind.text not in _KINDS:
        refuse_resource(reading, kind, leaves)


def _topic_readings(reading: Reading, leaves: Sequence[Leaf]) -> Iterator[Reading]:
    """Yields the reading of a topic's resource; an internal topic of Kafka is taken separately."""
    topic = Reading()
    _say_unmanaged(reading, leaves)
    for leaf in with_joined_lists(leaves):
        _take_topic(topic, leaf)
    if internal := _internal_topic(leaves):
        internal_topics.take(reading, internal, topic.items)
    else:
        yield topic


def _take_patch(reading: Reading, leaves: Iterable[Leaf]) -> None:
    """Takes a part of a Kafka resource, as `kubectl patch` reads it and this advisor writes it."""
    for leaf in leaves:
        if leaf.path[:3] == ("spec", "kafka", "config"):
            reading.part_names.add("Kafka")
            _take_kafka(reading, leaf)


def _say_unread(reading: Reading, others: list[Leaf], *, is_all: bool) -> None:
    """Notes resources that are not read. Resources with clients of their own are refused, unless
    somebody chooses the others. Raises `IntakeError` if there are no others."""
    for kind in others:
        what = _OTHERS.get(kind.text, "")
        words = f"a {kind.text} {what}. Nothing of it is read"
        if what and not reading.part_names:
            raise IntakeError(f"Line {kind.line}: {words}.")
        if not what:
            reading.note(kind.line, f"of {shown(kind.text)} no setting affects the advice")
            continue
        one = next(name for name in _KINDS if name in reading.part_names)
        how = f"Leave it out, or choose the rest on the command line: --only {one}"
        message = f"Line {kind.line}: {words}. {how}."
        reading.problems_unless_chosen.append(Problem(Component.APPLICATION, kind.text, message))
    if is_all and others and not (reading.items or reading.heads):
        what = "there is no Kafka, KafkaNodePool, KafkaTopic, or KafkaUser with quotas in this file"
        raise IntakeError(f"Line {others[0].line}: {what}.")


def resources(text: str) -> Iterator[list[Leaf]]:
    """Yields the resources, including those in a List, as of `kubectl get -o yaml`, and those that
    a kustomization generates. Raises `IntakeError`."""
    for leaves in documents(text):
        items: dict[str, list[Leaf]] = {}
        for leaf in leaves:
            if leaf.path[:1] == ("items",) and len(leaf.path) > 2:
                items.setdefault(leaf.path[1], []).append(replace(leaf, path=leaf.path[2:]))
        is_kustomization = not items and kustomization.is_kustomization(leaves)
        yield from (
            kustomization.generated(leaves) if is_kustomization else items.values() or [leaves]
        )


def _refuse_no_brokers(every: Iterable[Sequence[Leaf]]) -> None:
    """Raises `IntakeError` if every pool of brokers has 0 replicas."""
    roles, counts = ("spec", "roles"), ("spec", "replicas")
    pools = [
        next((leaf for leaf in leaves if leaf.path == counts), None)
        for leaves in every
        if any(leaf.path[:2] == roles and leaf.text == "broker" for leaf in leaves)
    ]
    if pools and all(leaf and leaf.text == "0" for leaf in pools):
        line = min(leaf.line for leaf in pools if leaf)
        raise IntakeError(f"Line {line}: no broker is left: every pool of brokers has 0 replicas.")


def _pool_size(leaves: list[Leaf], role: str) -> int:
    """The number of a pool's servers with this role."""
    roles = {leaf.text for leaf in leaves if leaf.path[:2] == ("spec", "roles")}
    counts = [leaf.text for leaf in leaves if leaf.path == ("spec", "replicas")]
    return int(counts[0]) if role in roles and counts and counts[0].isdecimal() else 0


def _take_pool_disks(reading: Reading, leaves: list[Leaf]) -> None:
    if _pool_size(leaves, "broker"):
        _take_disks(reading, leaves, ("spec", "storage"))
    if _pool_size(leaves, "controller"):
        _take_metadata_disks(reading, leaves, ("spec", "storage"))


def _take_disks(reading: Reading, leaves: list[Leaf], storage: tuple[str, ...]) -> None:
    """Takes a disk that is lost with its pod: the broker comes back by itself, on an empty disk."""
    if line := _ephemeral_line(leaves, storage):
        reading.lose_disks(line, "type: ephemeral")


def _take_metadata_disks(reading: Reading, leaves: list[Leaf], storage: tuple[str, ...]) -> None:
    """The same for a controller, or a server of ZooKeeper."""
    if line := _ephemeral_line(leaves, storage):
        reading.lose_metadata(line, "type: ephemeral, for the metadata")


def _ephemeral_line(leaves: list[Leaf], storage: tuple[str, ...]) -> int:
    """The line of an ephemeral disk; 0 if there is none. Raises `IntakeError` for a type of storage
    that Strimzi does not have: it refuses the resource, or keeps the old disks."""
    line = 0
    for leaf in leaves:
        if leaf.path[: len(storage)] != storage or leaf.path[-1] != "type":
            continue
        if leaf.text not in _STORAGE and not FILLED_IN.search(leaf.text):
            words = f"storage has no type {shown(leaf.text)}: Strimzi has {', '.join(_STORAGE)}"
            raise IntakeError(f"Line {leaf.line}: {words}.")
        if leaf.text == "ephemeral":
            line = line or leaf.line
    return line


def _take_mode(reading: Reading, leaves: list[Leaf]) -> None:
    """Takes the ZooKeeper of a cluster that has one and does not enable KRaft."""
    kraft = ("metadata", "annotations", "strimzi.io/kraft")
    _say_unmanaged(reading, leaves)
    if any((leaf.path, leaf.text) == (kraft, "enabled") for leaf in leaves):
        return
    for leaf in leaves:
        if leaf.path == ("spec", "zookeeper", "replicas"):
            reading.add_setting(Component.APPLICATION, "zookeeper.servers", leaf.text, leaf.line)
            reading.add_setting(Component.BROKER, ZOOKEEPER, "spec.zookeeper", leaf.line)
            _take_metadata_disks(reading, leaves, ("spec", "zookeeper", "storage"))


def _say_unmanaged(reading: Reading, leaves: Iterable[Leaf]) -> None:
    """Notes a resource whose cluster or topic Strimzi does not change (Strimzi documentation,
    "Pausing reconciliation" and "Managing KafkaTopic resources without impacting Kafka topics")."""
    for leaf in leaves:
        if (
            leaf.path[:-1] == ("metadata", "annotations")
            and _UNMANAGED.get(leaf.path[-1]) == leaf.text
        ):
            words = (
                f"{leaf.path[-1]}: Strimzi does not apply this resource. Kafka's tools print what "
            )
            reading.note(
                leaf.line,
                absence(f"{words}applies (kafka-topics.sh, kafka-configs.sh --describe)"),
            )


def _take_metadata_version(reading: Reading, leaves: list[Leaf]) -> None:
    """Takes a metadata version that may be older than the brokers: from 4.0, it limits features."""
    by_path = {leaf.path: leaf for leaf in leaves}
    kafka, stated = (
        by_path.get(("spec", "kafka", name)) for name in ("version", "metadataVersion")
    )
    if stated and kafka and not kafka.text.startswith(("2.", "3.")):
        take_metadata_version(reading, stated.text, stated.line)
        if not any(".".join(path[3:]) == PROTOCOLS for path in by_path):
            take_group_protocols(reading, stated.text, kafka.text, stated.line)


def _take_kafka(reading: Reading, leaf: Leaf) -> None:
    match leaf.path:
        case ("spec", "kafka", "config", name) if _is_set_by_strimzi(name):
            reading.note(leaf.line, f"{shown(name)}: Strimzi sets this itself: not read")
        case ("spec", "kafka", "config", *name):
            _refuse_nested(name, leaf.line)
            _refuse_list(name, leaf)
            reading.add_setting(Component.BROKER, ".".join(name), leaf.text, leaf.line)
        case ("spec", "kafka", "version"):
            reading.heads["kafka"] = leaf.text
        case ("spec", "kafka", "tieredStorage", *_):
            reading.note(leaf.line, "tieredStorage applies to topics with remote.storage.enable")
        case ("spec", "kafka", "quotas", name) if name not in ("type", _RATE):
            reading.note(
                leaf.line, f"quotas: {shown(name)} of all clients is not taken into account"
            )
        case ("spec", "kafka", "replicas"):
            reading.heads["brokers"] = leaf.text
        case _:
            pass


def _is_set_by_strimzi(name: str) -> bool:
    """Whether Strimzi ignores a setting of brokers and sets its own (KafkaClusterSpec,
    FORBIDDEN_PREFIXES and FORBIDDEN_PREFIX_EXCEPTIONS; AbstractConfiguration, filterForbidden)."""
    return name.lower().startswith(_FORBIDDEN) and not name.lower().startswith(_ALLOWED)


def _refuse_list(name: Sequence[str], leaf: Leaf) -> None:
    """Raises `IntakeError` for a broker's setting that is a list, or has no value: Strimzi refuses
    the resource (OrderedProperties, addIterablePairs). A topic may have a list
    (TopicOperatorUtil, configValueAsString)."""
    if len(name) == 2 and name[1].isdecimal():
        words = f"Strimzi takes no list for {shown(name[0])} of brokers. Write it as one text"
        raise IntakeError(f"Line {leaf.line}: {words}.")
    if leaf.is_null:
        words = f"Strimzi takes no {shown(name[0])} without a value. Leave it out, or write one"
        raise IntakeError(f"Line {leaf.line}: {words}.")


def _refuse_nested(name: Sequence[str], line: int) -> None:
    """Raises `IntakeError` for a setting whose value is a mapping: Strimzi refuses the resource
    (OrderedProperties, addIterablePairs; TopicOperatorUtil, configValueAsString)."""
    if len(name) > 1 and not name[1].isdecimal():
        words = (
            f"Strimzi has no {shown(name[0])} with keys of its own. Write {shown('.'.join(name))}"
        )
        raise IntakeError(f"Line {line}: {words} as one name.")


def _take_topic(reading: Reading, leaf: Leaf) -> None:
    match leaf.path:
        case ("spec", "config", *name):
            _refuse_nested(name, leaf.line)
            reading.add_setting(Component.TOPIC, ".".join(name), leaf.text, leaf.line)
        case ("spec", "replicas"):
            reading.add_setting(Component.TOPIC, "replication.factor", leaf.text, leaf.line)
        case _:
            pass


def _internal_topic(leaves: Iterable[Leaf]) -> str:
    """The internal topic of Kafka that a resource describes; empty for any other topic."""
    names = {leaf.path: leaf.text for leaf in leaves}
    return internal_topics.internal_name(
        names.get(("spec", "topicName")) or names.get(("metadata", "name"))
    )


def _take_user(reading: Reading, leaf: Leaf) -> None:
    """Takes the quota of a producer; other fields are credentials, rights and other quotas."""
    match leaf.path:
        case ("spec", "quotas", name) if name == _RATE:
            reading.add_setting(Component.APPLICATION, QUOTA, leaf.text, leaf.line)
        case ("spec", "quotas", name):
            reading.note(leaf.line, f"{shown(name)} is not taken into account")
        case _:
            pass


def _take_default_quota(reading: Reading, leaves: Iterable[Leaf]) -> None:
    """Takes the quota of clients without their own (`type: kafka`), or of all of a broker's."""
    if any(item.name == QUOTA for item in reading.items):
        return
    for leaf in leaves:
        if leaf.path == ("spec", "kafka", "quotas", _RATE):
            reading.add_setting(Component.APPLICATION, QUOTA, leaf.text, leaf.line)


def _take_nothing(reading: Reading, leaf: Leaf) -> None:
    """Takes no field of a pool: pools are counted as a whole."""


_CONNECT = (
    "belongs to Kafka Connect, which configures the clients of its connectors by its own rules"
)
_OTHERS: Mapping[str, str] = {
    **dict.fromkeys(("KafkaConnect", "KafkaConnector", "KafkaMirrorMaker2"), _CONNECT),
    "KafkaMirrorMaker": "copies topics between clusters by its own rules",
    "KafkaBridge": "configures clients for HTTP requests by its own rules",
}
"""Resources with clients of their own, which this advisor does not cover."""

_KINDS: Mapping[str, Callable[[Reading, Leaf], None]] = {
    "Kafka": _take_kafka,
    "KafkaTopic": _take_topic,
    "KafkaNodePool": _take_nothing,
    "KafkaUser": _take_user,
}


def likeness(text: str) -> float:
    """The likelihood, from 0 to 1, that a text holds these resources."""
    return 1.0 if _API.search(text) else 0.9 if _PATCH.search(text) else 0.0
