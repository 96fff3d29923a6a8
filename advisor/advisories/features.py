"""The conditions of a bug besides settings: how the pipeline is used, and what must happen.

The description of a pipeline decides some of these. The others are unknown, and a bug that needs
one of them is called possible, with the words here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from advisor.catalog import Component, Family
from advisor.reasoning.behaviour.replication import Replication
from advisor.reasoning.behaviour.sizes import client_limits, full_batch, topic_limit
from advisor.reasoning.pipeline import Pipeline

Decision = Callable[[Pipeline], bool | None]


@dataclass(frozen=True, slots=True)
class Feature:
    """`words` complete the sentence "It takes …"; `decide` returns None if it is unknown."""

    words: str
    decide: Decision = lambda _: None


def _transactions(pipeline: Pipeline) -> bool:
    if pipeline.family is Family.STREAMS:
        return _exactly_once(pipeline)
    if not pipeline.knows(Component.PRODUCER, "transactional.id"):
        return False
    return bool(pipeline.text(Component.PRODUCER, "transactional.id"))


def _exactly_once(pipeline: Pipeline) -> bool:
    if pipeline.family is not Family.STREAMS:
        return False
    guarantee = pipeline.text(Component.STREAMS, "processing.guarantee")
    return guarantee.startswith("exactly_once")


def _compaction(pipeline: Pipeline) -> bool:
    return "compact" in pipeline.text(Component.TOPIC, "cleanup.policy")


def _static_members(pipeline: Pipeline) -> bool:
    name = "group.instance.id"
    is_known = pipeline.knows(Component.CONSUMER, name)
    return is_known and bool(pipeline.text(Component.CONSUMER, name))


def _by_default(pipeline: Pipeline) -> bool:
    """Whether idempotence is on by default, neither by a transactional.id nor off by a conflicting
    setting."""
    stated = "enable.idempotence" in pipeline.stated(Component.PRODUCER)
    if stated or pipeline.text(Component.PRODUCER, "transactional.id"):
        return False
    return (
        pipeline.text(Component.PRODUCER, "acks") == "all"
        and pipeline.number(Component.PRODUCER, "retries") > 0
        and pipeline.number(Component.PRODUCER, "max.in.flight.requests.per.connection") <= 5
    )


def _idempotent_in_flight(pipeline: Pipeline) -> bool:
    """Whether idempotence is on without transactions, and a request may follow an unanswered
    one."""
    if not pipeline.knows(Component.PRODUCER, "enable.idempotence"):
        return False
    return (
        pipeline.flag(Component.PRODUCER, "enable.idempotence")
        and not _transactions(pipeline)
        and pipeline.number(Component.PRODUCER, "max.in.flight.requests.per.connection") > 1
    )


def _offsets(pipeline: Pipeline) -> bool:
    commit = "commit"
    if pipeline.family is Family.STREAMS:
        return _exactly_once(pipeline)
    is_known = pipeline.knows(Component.APPLICATION, commit)
    return is_known and pipeline.value(Component.APPLICATION, commit) == "in-transaction"


def _beyond_the_topic(pipeline: Pipeline) -> bool | None:
    """Whether the client accepts a record that the topic rejects; otherwise the client refuses
    it."""
    passes = min(limit.most for limit in client_limits(pipeline)) > topic_limit(pipeline).most
    return None if passes else False


def _disk_returns_empty(pipeline: Pipeline) -> bool:
    """Whether a broker restarts with an empty disk. It must be stated (otherwise an operator is
    assumed to elect another replica), and the cure of 4.0 must be off."""
    replication = Replication(pipeline)
    return replication.returns_empty and not replication.eligible_replicas


def _min_partitions(pipeline: Pipeline) -> bool:
    return "minPartitions" in pipeline.stated(Component.CONSUMER)


def _retention_by_size(pipeline: Pipeline) -> bool:
    return pipeline.number(Component.TOPIC, "retention.bytes") >= 0


def _state(pipeline: Pipeline) -> bool | None:
    if pipeline.family is not Family.STREAMS:
        return False
    stated = pipeline.stated(Component.APPLICATION).get("state")
    return None if stated is None else stated == "logged"


FEATURES: Mapping[str, Feature] = {
    "transactions": Feature("transactions", _transactions),
    "exactly-once-streams": Feature("processing.guarantee exactly-once", _exactly_once),
    "compaction": Feature("a compacted topic", _compaction),
    "kraft": Feature("brokers in KRaft mode", lambda pipeline: not Replication(pipeline).zookeeper),
    "static-members": Feature("static members (group.instance.id)", _static_members),
    "idempotence-by-default": Feature("enable.idempotence is left to its default", _by_default),
    "idempotent-in-flight": Feature(
        "an idempotent producer with more than one request in flight, and no transactions",
        _idempotent_in_flight,
    ),
    "offsets-in-transaction": Feature("offsets committed in the transaction", _offsets),
    "min-partitions": Feature("minPartitions is set", _min_partitions),
    "state": Feature("a state store with a changelog", _state),
    "several-log-dirs": Feature("brokers with several log directories"),
    "compression": Feature("compressed batches"),
    "marker-keys": Feature("a message with the key of a marker (four bytes)"),
    "size-retention": Feature("retention.bytes", _retention_by_size),
    "failed-remote-copies": Feature("copies to remote storage that fail"),
    "new-leader": Feature("a leader that was just elected"),
    "followers": Feature("more than one broker", lambda pipeline: pipeline.brokers > 1),
    "follower-from-remote": Feature("a follower that began its log from remote storage"),
    "local-deletion": Feature("a read of what local retention deletes at that moment"),
    "partial-cleaning": Feature(
        "a cleaning that ends within a segment, its map of keys being full"
    ),
    "migrated-group": Feature(
        "a group that was of the classic protocol, and its old record of that cleaned away"
    ),
    "whole-log-cleaned": Feature("cleaning that removes the newest records of closed segments"),
    "topic-recreated": Feature("a topic that is deleted and made again under its name"),
    "topic-away": Feature("brokers that for a while do not know an existing topic"),
    "rolling-upgrade": Feature("an inter.broker.protocol.version older than the brokers"),
    "dynamic-log-defaults": Feature("cluster-wide log defaults that are changed twice at run time"),
    "cooperative-assignor": Feature("the cooperative-sticky assignor"),
    "sticky-assignor": Feature("the sticky assignor"),
    "follower-fetching": Feature("consumers that read from followers"),
    "reads-at-the-end": Feature("a read at the very end of the log beside a write"),
    "suppress": Feature("suppress() in the topology"),
    "corrupted-task": Feature("a task that is found corrupted, as after a timeout"),
    "repartition": Feature("a repartition topic, and a task that fails before it commits"),
    "pause-or-seek": Feature("pause, resume or seek in the consumer"),
    "batch-consume": Feature("the batch calls for consuming"),
    "partition-ends": Feature("enable.partition.eof=true"),
    "subscription-change": Feature("a subscription that changes, or topics that it newly matches"),
    "manual-assign": Feature("partitions by assign(), with commits"),
    "stored-offsets": Feature("offsets that the application stores itself"),
    "idle-partitions": Feature("commits older than offsets.retention.minutes"),
    "disk-failure": Feature("a disk that fails"),
    "last-in-sync-disk-lost": Feature(
        "a last broker in sync that loses its disk and comes back by itself",
        _disk_returns_empty,
    ),
    "power-cut": Feature("a power cut"),
    "crash-then-failed-start": Feature("a crash, and then a start that fails"),
    "network-partition": Feature("a controller that is cut off"),
    "leader-changes": Feature("leaders that change in quick succession"),
    "coordinator-moves": Feature("a coordinator that moves"),
    "delayed-requests": Feature("a request that the network delays and the client repeats"),
    "request-outlived": Feature("a batch that expires, or a broker that goes, during a request"),
    "sequence-reset": Feature("a producer epoch that is raised while batches are on their way"),
    "follower-behind-retention": Feature("a follower whose log begins after its leader's"),
    "many-transactions": Feature("transactions that complete at the same moment"),
    "transaction-times-out": Feature("a transaction that outlives its timeout"),
    "producers-expire": Feature("transactional producers that are silent for long"),
    "rebalance-takes-a-task": Feature(
        "a rebalance that takes a task away beside others, and a crash"
    ),
    "rebalance-while-restoring": Feature("a rebalance while a store is restored"),
    "batches-above-limit": Feature(
        "a batch.size above max.message.bytes", lambda pipeline: full_batch(pipeline) is not None
    ),
    "record-above-limit-then-tiny": Feature(
        "uncompressed records above max.message.bytes, each with one of some bytes behind it",
        _beyond_the_topic,
    ),
    "large-records": Feature("batches that are too large for the broker or the retry"),
    "failed-sends": Feature("sends that fail or time out"),
    "partitions-move": Feature("a source that is told of no partitions, as while they move"),
    "short-retention": Feature("records that expire while a batch runs"),
    "wall-clock": Feature("session windows"),
    "mirror-maker": Feature("MirrorMaker 2 with translated offsets"),
    "source-connector": Feature("a source connector"),
    "sink-connector": Feature("a sink connector"),
}
