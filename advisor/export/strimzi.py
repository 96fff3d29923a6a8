"""Strimzi's resources: the topic, and what to patch into the cluster's configuration.

Source: Strimzi's CRDs, `KafkaTopicSpec` and `KafkaClusterSpec.config`; the API version is v1 from
Strimzi 0.49 on and v1beta2 before.
"""

from __future__ import annotations

from advisor.catalog import Component
from advisor.export.base import Export, Revision, Stamp, always, head
from advisor.export.choice import added, changes_copies, chosen, file_notes
from advisor.export.server_properties import changes_brokers, states_brokers
from advisor.export.yaml_document import Node, document, scalar, settings

_API = "kafka.strimzi.io/v1"
_OLDER = f"Before Strimzi 0.49 the apiVersion is kafka.strimzi.io/v1beta2 instead of {_API}."
_TOPIC_NOTES = (
    "Fill in the names of the topic and of its cluster, then: kubectl apply -f kafka-topic.yaml",
    _OLDER,
)
_COPIES_NOTE = (
    "The Topic Operator gives a topic that exists more replicas only where Cruise Control runs; "
    "elsewhere reassign.sh does, before this is applied. It keeps the partitions as they are."
)
_KAFKA_NOTES = (
    "A part of the Kafka resource, not all of it. Put in the name of your cluster, then: "
    "kubectl patch kafka my-cluster --type merge --patch-file kafka-patch.yaml",
    "The Cluster Operator restarts the brokers one by one where a setting needs it.",
)
_REPLICAS = "replication.factor"
_FORBIDDEN = ("log.dirs", "controller.quorum.append.linger.ms")
"""Settings that Strimzi does not accept (KafkaClusterSpec.FORBIDDEN_PREFIXES): the storage of its
node pools determines where messages are, and of the quorum it accepts two timeouts and two
backoffs."""


def _topic(revision: Revision, stamp: Stamp) -> str:
    options, comments = chosen(revision, Component.TOPIC), file_notes(revision, Component.TOPIC)
    replicas = {setting.name: scalar(setting) for setting in options}[_REPLICAS]
    config = settings(setting for setting in options if setting.name != _REPLICAS)
    resource: dict[str, Node] = {
        "apiVersion": _API,
        "kind": "KafkaTopic",
        "metadata": {"name": "my-topic", "labels": {"strimzi.io/cluster": "my-cluster"}},
        "spec": {"replicas": replicas, "config": config},
    }
    notes = (*_TOPIC_NOTES, *([_COPIES_NOTE] if changes_copies(revision) else []), *comments)
    return head("A topic for Strimzi.", stamp, *notes) + document(resource)


def _kafka(revision: Revision, stamp: Stamp) -> str:
    options = (
        setting for setting in added(revision, Component.BROKER) if setting.name not in _FORBIDDEN
    )
    patch: dict[str, Node] = {"spec": {"kafka": {"config": settings(options)}}}
    notes = (*_KAFKA_NOTES, *file_notes(revision, Component.BROKER))
    return head("Settings of the brokers for Strimzi.", stamp, *notes) + document(patch)


EXPORTS = (
    Export(
        "strimzi-topic", "Strimzi topic", "kafka-topic.yaml", "application/yaml", always, _topic
    ),
    Export(
        "strimzi-kafka", "Strimzi cluster", "kafka-patch.yaml", "application/yaml",
        states_brokers, _kafka, changes_brokers,
    ),
)  # fmt: skip
