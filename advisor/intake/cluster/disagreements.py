"""Which of two values counts if the brokers of one cluster, or two files of a topic, disagree.

The weaker value counts, because any of the brokers may lead the partition or be the active
controller.
"""

from __future__ import annotations

from advisor.catalog import Value
from advisor.catalog.texts import IN_MEMORY, TEMPORARY, temporary

LOG_DIRS = "log.dirs"
_LOWER_IS_WEAKER = {
    "connections.max.idle.ms", "controllers", "default.replication.factor", "delete.retention.ms",
    "group.max.session.timeout.ms", "max.message.bytes", "message.timestamp.after.max.ms",
    "message.timestamp.before.max.ms", "message.timestamp.difference.max.ms",
    "min.compaction.lag.ms", "min.insync.replicas", "offsets.commit.required.acks",
    "offsets.commit.timeout.ms", "offsets.retention.minutes", "offsets.topic.replication.factor",
    "producer.id.expiration.ms", "replica.socket.timeout.ms", "replication.factor",
    "retention.bytes", "retention.ms", "segment.bytes", "socket.request.max.bytes",
    "transaction.max.timeout.ms", "transaction.partition.verification.enable",
    "transaction.state.log.min.isr", "transaction.state.log.replication.factor",
    "transactional.id.expiration.ms",
}  # fmt: skip
"""Settings whose lower value promises less. Below 0 there is no limit, or each replica counts."""
_HIGHER_IS_WEAKER = {
    "auto.create.topics.enable", "broker.heartbeat.interval.ms", "broker.session.timeout.ms",
    "controller.quorum.append.linger.ms", "controller.quorum.election.timeout.ms",
    "controller.quorum.fetch.timeout.ms", "flush.messages", "group.consumer.session.timeout.ms",
    "group.min.session.timeout.ms", "group.streams.session.timeout.ms", "replica.fetch.wait.max.ms",
    "replica.lag.time.max.ms", "transaction.abort.timed.out.transaction.cleanup.interval.ms",
    "unclean.leader.election.enable", "zookeeper.session.timeout.ms",
}  # fmt: skip
_POLICY, _BOTH_POLICIES = "cleanup.policy", "compact,delete"
_STAMPED, _BY_SENDER = "message.timestamp.type", "CreateTime"
_UNSAFE_PLACES = (TEMPORARY, IN_MEMORY)


def weaker(name: str, one: Value, other: Value) -> Value:
    """The value that promises less; None if that is not certain of either.

    Of two policies it is neither, but both policies together: one deletes old messages, the other
    all but the latest of each key.
    """
    if name == LOG_DIRS:
        first, second = _safety(one), _safety(other)
        return None if first == second else one if first < second else other
    if name == _POLICY and one != other:
        return _BOTH_POLICIES
    if name == _STAMPED and one != other:
        return _BY_SENDER
    if not (isinstance(one, int) and isinstance(other, int)):
        return None
    if name in _LOWER_IS_WEAKER:
        return min(one, other) if min(one, other) >= 0 else max(one, other)
    return max(one, other) if name in _HIGHER_IS_WEAKER else None


def _safety(folders: Value) -> int:
    """A rank, higher for safer, of how the least safe of several folders survives a restart of its
    machine."""
    names = [folder.strip() for folder in str(folders).split(",")]
    return sum(not any(temporary(name, places) for name in names) for places in _UNSAFE_PLACES)
