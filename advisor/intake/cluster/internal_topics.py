"""Topics that Kafka makes for itself, of which tools and resources speak as of any other.

Their settings are not those of the pipeline's topic. Where the model has a word for one, it is
taken as that: the copies and the minimum of committed offsets, of transactions and of what tiered
storage keeps (Topic.java, INTERNAL_TOPICS; TopicBasedRemoteLogMetadataManagerConfig).
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
_HELD: Mapping[str, Mapping[str, tuple[Component, str]]] = {
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
"""Made with cleanup.policy=compact (GroupCoordinator; TransactionStateManager)."""
_DELETED = (
    "deletes what is older than its retention.ms, and the brokers have kept it nowhere else. That "
    "is not advised on; set cleanup.policy=compact"
)


def is_internal(topic: str) -> bool:
    """Whether this is one of Kafka's own topics."""
    return topic in _HELD


def internal(topic: str | None) -> str:
    """The topic, if it is one of Kafka's own; empty for any other."""
    return topic if topic and is_internal(topic) else ""


def take(reading: Reading, topic: str, items: Iterable[Item]) -> None:
    """States what is said of one of Kafka's own topics, as far as an answer depends on it.

    An unclean election of one loses what it holds, as one of any topic does: it counts for all.
    """
    for item in items:
        held = _HELD[topic].get(item.name)
        if item.name == "cleanup.policy" and topic in _COMPACTED and "delete" in item.text:
            message = f"{shown(item.name)}={shown(item.text)} of {topic} {_DELETED}"
            reading.wrong(Component.TOPIC, item.name, item.line, message)
            continue
        if item.name == _UNCLEAN and item.text.strip().lower() == "true" and _HELD[topic]:
            held = (_BROKER, _UNCLEAN)
        if held:
            reading.state(*held, item.text, item.line)
            reading.note(item.line, f"{shown(item.name)} of {topic} is taken as {held[1]}")
        else:
            reading.note(item.line, f"{shown(item.name)} of {topic} is not taken into account")
