"""Kafka's internal topics, which tools and resources describe like any other topic.

Their settings do not belong to the pipeline's topic. The catalog has names for some of them: the
replication factor and the minimum of committed offsets, of transactions and of the metadata of
tiered storage (Topic.java, INTERNAL_TOPICS; TopicBasedRemoteLogMetadataManagerConfig).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from advisor.catalog import Component
from advisor.intake.reading import Item, Reading
from advisor.intake.text import shown

OFFSETS_MINIMUM = (Component.APPLICATION, "offsets.topic.min.insync.replicas")
_FACTOR, _MINIMUM = "replication.factor", "min.insync.replicas"
_UNCLEAN = "unclean.leader.election.enable"
_BROKER, _APPLICATION = Component.BROKER, Component.APPLICATION
_SETTINGS: Mapping[str, Mapping[str, tuple[Component, str]]] = {
    "__consumer_offsets": {
        _FACTOR: (_BROKER, "offsets.topic.replication.factor"),
        _MINIMUM: OFFSETS_MINIMUM,
    },
    "__transaction_state": {
        _FACTOR: (_BROKER, "transaction.state.log.replication.factor"),
        _MINIMUM: (_BROKER, "transaction.state.log.min.isr"),
    },
    "__remote_log_metadata": {
        _FACTOR: (_APPLICATION, "remote.metadata.replication.factor"),
        _MINIMUM: (_APPLICATION, "remote.metadata.min.insync.replicas"),
        "retention.ms": (_BROKER, "rlmm.config.remote.log.metadata.topic.retention.ms"),
    },
    "__share_group_state": {},
    "__cluster_metadata": {},
}


_COMPACTED = ("__consumer_offsets", "__transaction_state")
"""Created with cleanup.policy=compact (GroupCoordinator; TransactionStateManager)."""
_DELETES = (
    "deletes records older than its retention.ms, and the brokers store them nowhere else. That is "
    "not covered; set cleanup.policy=compact"
)


def is_internal(topic: str) -> bool:
    """Whether this is one of Kafka's internal topics."""
    return topic in _SETTINGS


def internal_name(topic: str | None) -> str:
    """The topic, if it is one of Kafka's internal topics; else empty."""
    return topic if topic and is_internal(topic) else ""


def take(reading: Reading, topic: str, items: Iterable[Item]) -> None:
    """Sets the settings of an internal topic on which an answer depends.

    An unclean election of an internal topic loses records as for any topic, so that it counts for
    all topics.
    """
    for item in items:
        setting = _SETTINGS[topic].get(item.name)
        if item.name == "cleanup.policy" and topic in _COMPACTED and "delete" in item.text:
            message = f"{shown(item.name)}={shown(item.text)} of {topic} {_DELETES}"
            reading.add_problem(Component.TOPIC, item.name, item.line, message)
            continue
        if item.name == _UNCLEAN and item.text.strip().lower() == "true" and _SETTINGS[topic]:
            setting = (_BROKER, _UNCLEAN)
        if setting:
            reading.add_setting(*setting, item.text, item.line)
            reading.note(item.line, f"{shown(item.name)} of {topic} is taken as {setting[1]}")
        else:
            reading.note(item.line, f"{shown(item.name)} of {topic} is not taken into account")
