"""Refusals of files with servers of more than one Kafka cluster: their settings are unrelated.

All servers of a cluster have its id (InconsistentClusterIdException). Their voters and their
ZooKeeper are compared where the settings are read (see cluster.identity).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from advisor.intake.clients.placeholders import COMPOSE, FILLED_IN
from advisor.intake.cluster.internal_topics import is_internal
from advisor.intake.formats.yaml_nodes import Leaf
from advisor.intake.reading import Subject
from advisor.intake.text import OTHER_CLUSTER, IntakeError, shown

IDS = ("CLUSTER_ID", "KAFKA_CLUSTER_ID", "KAFKA_KRAFT_CLUSTER_ID")
"""Variables of the cluster's id in the images of Apache Kafka, Confluent and Bitnami."""
_LABEL, _SPACE = ("metadata", "labels", "strimzi.io/cluster"), ("metadata", "namespace")
_BROKER_KINDS = ("Kafka", "KafkaNodePool")
_CLUSTER_KINDS = (*_BROKER_KINDS, "KafkaTopic", "KafkaUser")


def refuse_several(variables: Iterable[tuple[str, str, int]]) -> None:
    """Raises `IntakeError` if variables of servers hold the ids of two clusters."""
    ids: dict[str, int] = {}
    for name, text, line in variables:
        value = COMPOSE.sub(r"\2", text).strip()
        if name in IDS and value and "$" not in value and not FILLED_IN.search(value):
            ids.setdefault(value, line)
    if len(ids) > 1:
        begins, line, *_ = ids.values()
        raise IntakeError(
            f"Line {line}: this id belongs to another cluster than that on line {begins}: "
            f"{OTHER_CLUSTER}."
        )


def refuse_repeated(resources: Iterable[Sequence[Leaf]]) -> None:
    """Raises `IntakeError` for a Kafka resource or a pool that occurs twice: only the last one
    counts, and its servers count once."""
    lines: dict[tuple[str, ...], int] = {}
    for leaves in resources:
        by_path = {leaf.path: leaf for leaf in leaves}
        kind, space = by_path.get(("kind",)), by_path.get(_SPACE)
        name = by_path.get(("metadata", "name"))
        if kind and name and kind.text in _BROKER_KINDS and not FILLED_IN.search(name.text):
            place = (kind.text, name.text, space.text if space else "")
            first_line = lines.setdefault(place, kind.line)
            if first_line != kind.line:
                words = f"this {kind.text} is already on line {first_line}. Leave one of them"
                raise IntakeError(f"Line {kind.line}: {words}.")


def subject_of(resources: Iterable[Sequence[Leaf]]) -> Subject:
    """The cluster of Strimzi's resources: a Kafka has it as its name and namespace, others as their
    label strimzi.io/cluster. Only topics and users may belong to several clusters; raises
    `IntakeError` for other resources that do."""
    topics = set[str]()
    names, spaces, brokers = dict[str, int](), dict[str, int](), False
    for leaves in resources:
        by_path = {leaf.path: leaf for leaf in leaves}
        kind = by_path.get(("kind",))
        if kind is None or kind.text not in _CLUSTER_KINDS:
            continue
        is_kafka = kind.text == "Kafka"
        if kind.text == "KafkaTopic":
            topics |= {leaf.text for leaf in _topic_names(by_path)}
        brokers = brokers or kind.text in _BROKER_KINDS
        cluster = by_path.get(("metadata", "name") if is_kafka else _LABEL)
        space = by_path.get(_SPACE)
        if cluster and not FILLED_IN.search(cluster.text):
            names.setdefault(cluster.text, kind.line)
        if space and is_kafka and not FILLED_IN.search(space.text):
            spaces.setdefault(space.text, kind.line)
    for lines in (names, spaces) if brokers else ():
        if len(lines) > 1:
            (_, begins), (name, line), *_ = lines.items()
            words = (
                f"this belongs to another cluster than that on line {begins} ({shown(name)}): "
                f"{OTHER_CLUSTER}"
            )
            raise IntakeError(f"Line {line}: {words}.")
    return Subject.by_name(topics, next(iter(names), ""), brokers=brokers)


def _topic_names(by_path: Mapping[tuple[str, ...], Leaf]) -> list[Leaf]:
    """The name of a topic, from the first field that states it; empty for an internal topic."""
    paths = (("spec", "topicName"), ("metadata", "name"))
    names = [by_path[path] for path in paths if path in by_path][:1]
    return [leaf for leaf in names if not is_internal(leaf.text)]
