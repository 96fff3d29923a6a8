"""Which of two values counts where the brokers of one cluster, or two files of a topic, state
different ones.

Any of the brokers may lead the partition, or be the active controller: so the weaker one,
whichever has it.
"""

from __future__ import annotations

from advisor.catalog import Value
from advisor.catalog.texts import IN_MEMORY, TEMPORARY, temporary

FOLDERS = "log.dirs"
_LESS = {
    "controllers", "default.replication.factor", "max.message.bytes", "min.insync.replicas",
    "offsets.retention.minutes", "offsets.topic.replication.factor", "producer.id.expiration.ms",
    "replication.factor", "retention.bytes", "retention.ms", "segment.bytes",
    "socket.request.max.bytes",
    "transaction.state.log.min.isr", "transaction.state.log.replication.factor",
    "transactional.id.expiration.ms",
}  # fmt: skip
"""Settings of which less promises less."""
_MORE = {
    "auto.create.topics.enable", "broker.session.timeout.ms",
    "controller.quorum.append.linger.ms", "controller.quorum.election.timeout.ms",
    "controller.quorum.fetch.timeout.ms",
    "replica.lag.time.max.ms",
    "unclean.leader.election.enable", "zookeeper.session.timeout.ms",
}  # fmt: skip
_UNSAFE = (TEMPORARY, IN_MEMORY)


def weaker(name: str, one: Value, other: Value) -> Value:
    """The value of the two that promises less; None where neither does for certain."""
    if name == FOLDERS:
        first, second = _safety(one), _safety(other)
        return None if first == second else one if first < second else other
    if not (isinstance(one, int) and isinstance(other, int)):
        return None
    if name in _LESS:
        # Below 0 retention has no bound.
        return min(one, other) if min(one, other) >= 0 else max(one, other)
    return max(one, other) if name in _MORE else None


def _safety(folders: Value) -> int:
    """How safe the least safe of a list of folders is from a restart of its machine."""
    names = [folder.strip() for folder in str(folders).split(",")]
    return sum(not any(temporary(name, places) for name in names) for places in _UNSAFE)
