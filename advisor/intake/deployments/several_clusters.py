"""Servers of more than one Kafka cluster in one file: what one is set to says nothing of another.

Each server of a cluster has its id (InconsistentClusterIdException). What voters and which
ZooKeeper they name is looked at where their settings are (see cluster.identity).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from advisor.intake.clients.placeholders import COMPOSE, FILLED_IN
from advisor.intake.cluster.internal_topics import is_internal
from advisor.intake.formats.yaml_nodes import Leaf
from advisor.intake.reading import Subject
from advisor.intake.text import OTHER_CLUSTER, IntakeError, shown

IDS = ("CLUSTER_ID", "KAFKA_CLUSTER_ID", "KAFKA_KRAFT_CLUSTER_ID")
"""What the images of Apache Kafka, Confluent and Bitnami call the cluster's id."""
_LABEL, _SPACE = ("metadata", "labels", "strimzi.io/cluster"), ("metadata", "namespace")
_OF_BROKERS = ("Kafka", "KafkaNodePool")
_OF_CLUSTER = (*_OF_BROKERS, "KafkaTopic", "KafkaUser")


def refuse_several(variables: Iterable[tuple[str, str, int]]) -> None:
    """Raises `IntakeError` where variables of servers hold the ids of two clusters."""
    ids: dict[str, int] = {}
    for name, text, line in variables:
        value = COMPOSE.sub(r"\2", text).strip()
        if name in IDS and value and "$" not in value and not FILLED_IN.search(value):
            ids.setdefault(value, line)
    if len(ids) > 1:
        begins, line, *_ = ids.values()
        raise IntakeError(
            f"Line {line}: this id is of another cluster than on line {begins}: {OTHER_CLUSTER}."
        )


def refuse_repeated(resources: Iterable[Sequence[Leaf]]) -> None:
    """Raises `IntakeError` for a Kafka or a pool that is there twice: the last one counts, and
    its servers once."""
    found: dict[tuple[str, ...], int] = {}
    for leaves in resources:
        of = {leaf.path: leaf for leaf in leaves}
        kind, name, space = of.get(("kind",)), of.get(("metadata", "name")), of.get(_SPACE)
        if kind and name and kind.text in _OF_BROKERS and not FILLED_IN.search(name.text):
            place = (kind.text, name.text, space.text if space else "")
            before = found.setdefault(place, kind.line)
            if before != kind.line:
                words = f"this {kind.text} is on line {before} already. Leave one of them"
                raise IntakeError(f"Line {kind.line}: {words}.")


def subject_of(resources: Iterable[Sequence[Leaf]]) -> Subject:
    """Whose Strimzi's resources are: a Kafka by its name and namespace, the others by their label
    strimzi.io/cluster. Topics and users alone may be of several clusters; raises `IntakeError` for
    other resources that are."""
    topics = set[str]()
    names, spaces, brokers = dict[str, int](), dict[str, int](), False
    for leaves in resources:
        of = {leaf.path: leaf for leaf in leaves}
        kind = of.get(("kind",))
        if kind is None or kind.text not in _OF_CLUSTER:
            continue
        is_kafka = kind.text == "Kafka"
        topics |= {leaf.text for leaf in _names(of)} if kind.text == "KafkaTopic" else set()
        brokers = brokers or kind.text in _OF_BROKERS
        named, space = of.get(("metadata", "name") if is_kafka else _LABEL), of.get(_SPACE)
        if named and not FILLED_IN.search(named.text):
            names.setdefault(named.text, kind.line)
        if space and is_kafka and not FILLED_IN.search(space.text):
            spaces.setdefault(space.text, kind.line)
    for found in (names, spaces) if brokers else ():
        if len(found) > 1:
            (_, begins), (name, line), *_ = found.items()
            words = (
                f"this is of another cluster than on line {begins} ({shown(name)}): {OTHER_CLUSTER}"
            )
            raise IntakeError(f"Line {line}: {words}.")
    return Subject.by_name(topics, next(iter(names), ""), brokers=brokers)


def _names(of: Mapping[tuple[str, ...], Leaf]) -> list[Leaf]:
    """What a topic of a team's is called: the first of these that there is."""
    paths = (("spec", "topicName"), ("metadata", "name"))
    names = [of[path] for path in paths if path in of][:1]
    return [leaf for leaf in names if not is_internal(leaf.text)]
