"""Settings on both sides of every boundary that the failure model draws and the lab can stage.

An edge is two pipelines that differ in one setting, or in the line of their brokers, and for which
one event permits different anomalies. If the model draws a boundary in the wrong place, runs on
both sides of an edge show it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations, pairwise, product

from advisor.catalog import Component, Family, Value, versions
from advisor.reasoning.dependence import dependence
from advisor.reasoning.event import FailureEvent
from advisor.reasoning.failures import all_events
from advisor.reasoning.guarantees import Anomaly
from advisor.reasoning.keys import Key
from advisor.reasoning.pipeline import Pipeline
from labs.engine.cluster.properties import SHORTENED
from labs.engine.scenarios import find
from labs.engine.scenarios.quota_throttled import BYTES_PER_S

OUTAGES = frozenset({Anomaly.UNAVAILABLE, Anomaly.BLOCKED, Anomaly.UNSEEN})
"""A run measures how long these lasted. Every failure causes some of them for a moment, so that
"seen" or "not seen" would mean nothing."""

TRIED: Mapping[str, tuple[Value, ...]] = {
    "acks": ("0", "1", "all"),
    "enable.idempotence": (False, True),
    "retries": (0, 2147483647),
    "max.in.flight.requests.per.connection": (1, 5),
    "delivery.timeout.ms": (3_000, 120_000),
    "replication.factor": (1, 3),
    "min.insync.replicas": (1, 2),
    "unclean.leader.election.enable": (False, True),
    "flush.messages": (1, 2**63 - 1),
    "enable.auto.commit": (False, True),
    "enable.auto.offset.store": (False, True),
    "commit": ("before-processing", "after-processing", "in-transaction"),
    "abort": ("rewinds", "continues"),
    "auto.offset.reset": ("earliest", "latest"),
    "startingOffsets": ("earliest", "latest"),
    "checkpoint": ("durable", "local"),
    "speculation": (False, True),
    "isolation.level": ("read_uncommitted", "read_committed"),
    "processing": ("synchronous", "asynchronous"),
    "processing.errors": ("retry", "close", "skip"),
    "commit.order": ("in-order", "as-done"),
    "sink": ("plain", "idempotent"),
    "processing.guarantee": ("at_least_once", "exactly_once_v2"),
    "readers": ("read_uncommitted", "read_committed"),
    "state": ("logged", "unlogged"),
    "restart": ("resumes", "forgets"),
    "resend": ("never", "on-error"),
    "delivery.errors": ("handled", "ignored"),
    "max.block.ms": (1_000, 60_000),
    "timestamps": ("now", "from-source"),
    "max.message.bytes": (20_000, 1_048_588),
    "message.timestamp.type": ("CreateTime", "LogAppendTime"),
    "cleanup.policy": ("delete", "compact"),
    "retention.ms": (-1, 604_800_000),
    "eligible.leader.replicas.version": (0, 1),
    "offsets.topic.replication.factor": (1, 3),
    "transaction.state.log.replication.factor": (1, 3),
    "transaction.state.log.min.isr": (1, 2),
    "topic.recreated": ("clients-stopped", "while-running"),
    "disk.lost": ("replica-elected", "returns-empty"),
}
"""The values between which edges are searched, by setting."""

UNTRIED: Mapping[str, str] = {
    **{
        name: f"every run uses {setting.lab}, to keep it short"
        for name, setting in SHORTENED.items()
    },
    "request.timeout.ms": "its boundary is how long a slow follower may stay in sync, longer than "
    "a run lasts",
    **dict.fromkeys(
        ("message.timestamp.before.max.ms", "message.timestamp.difference.max.ms"),
        "its boundary is how long a leader may be down, longer than in any run",
    ),
    "message.timestamp.after.max.ms": "only clocks that differ by more are tried",
    "clock.skew.ms": "the clock of a run is as far ahead as necessary to show an effect",
    **dict.fromkeys(
        ("batch.size", "batch.num.messages", "message.max.bytes"),
        "they matter only with a small max.message.bytes, which is tried",
    ),
    **dict.fromkeys(
        ("controller.quorum.fetch.timeout.ms", "controller.quorum.election.timeout.ms",
         "controller.quorum.append.linger.ms"),
        "a run's controller is not on a leader's machine, and keeps running",
    ),
    **dict.fromkeys(
        ("controllers", "zookeeper.servers", "metadata.disk.lost"),
        "a run's controllers are stopped, but none is lost for good",
    ),
    **dict.fromkeys(
        ("remote.storage.enable", "remote.metadata.replication.factor",
         "remote.metadata.min.insync.replicas"),
        "a run has no remote storage: Kafka's releases do not include any",
    ),
    "replicas.in.sync": "a run begins with every replica in sync",
    "segment.bytes": "since Kafka 4.1 it is at least 1 MiB, and the batches of a trial are smaller",
    **dict.fromkeys(
        (
            "largest.message.bytes",
            "max.request.size",
            "buffer.memory",
            "queue.buffering.max.kbytes",
        ),
        "the messages of a trial are small, and the largest size is not stated",
    ),
    **dict.fromkeys(
        ("producer.byte.rate", "queue.buffering.max.messages", "rate", "message.bytes"),
        "in a run the lab sets the quota and the load",
    ),
    "socket.timeout.ms": "it matters only with a delivery.timeout.ms that is as long",
    "linger.ms": "it matters only if it is longer than a delivery.timeout.ms that is not stated",
    "max.poll.interval.ms": "the model only mentions it: partitions also move for other reasons",
    **dict.fromkeys(
        ("transactional.id", "transaction.timeout.ms", "upstream"),
        "both sides of a trial have transactions, or neither has",
    ),
    "production.exception.handler": "in a run no topic refuses a record of Kafka Streams",
    **dict.fromkeys(
        ("deserialization.exception.handler", "processing.exception.handler",
         "errors.dead.letter.queue.topic.name", "default.timestamp.extractor"),
        "a run's Kafka Streams application can process every message",
    ),
    "failOnDataLoss": "it decides what a query does when messages are lost, not whether they are",
    **dict.fromkeys(
        ("metadata.max.age.ms", "topic.metadata.refresh.interval.ms"),
        "in a run a new partition is discovered within a second",
    ),
    "receive.message.max.bytes": "no run's record is larger than a response may be",
    **dict.fromkeys(
        ("minOffsetsPerTrigger", "max.task.idle.ms"), "no run's reader waits for more messages"
    ),
    "maxOffsetsPerTrigger": "a limit means nothing without the load, which its scenario sets",
    **dict.fromkeys(
        ("retention.bytes", "outage.ms"),
        "in all trials about them readers may be away for longer than messages are kept",
    ),
    "delete.retention.ms": "a run deletes no keys",
    "min.compaction.lag.ms": "no run is as long as a lag that covers the absence of readers",
    "history": "both sides of a trial need the latest message of each key",
    "idle.ms": "it only decides how long a producer or its readers wait",
    "topic.min.insync.replicas": "in a run the followers of a changelog are in sync",
    "offsets.topic.min.insync.replicas": "in a run its followers are in sync",
    "metadata.racks": "a run's controllers are stopped, but none is lost for good",
    "racks": "with another number of racks a run stages another failure",
    "metadata.mode": "every cluster of a run has controllers",
    "replicas.moved": "a run's replica is always moved while another one is away",
    **dict.fromkeys(
        ("retry.backoff.ms", "retry.backoff.max.ms"),
        "they matter only between no retries and all of them",
    ),
    **dict.fromkeys(
        ("reconnect.backoff.ms", "reconnect.backoff.max.ms"),
        "they matter only if the pause is nearly as long as a delivery.timeout.ms",
    ),
    "trigger": "a run's Spark query reads in micro-batches",
    "group.instance.id": "it only decides how long a group waits",
    **dict.fromkeys(
        ("queuing.strategy", "partitioner", "partitioner.class", "partitioner.ignore.keys",
         "other.writers", "minPartitions", "maxRecordsPerPartition"),
        "no run is about an order that a setting gives up without a failure",
    ),
    "processing.order": "a run's threads process whole polls, and nothing compares their progress",
    **dict.fromkeys(
        ("framework", "dead.letter", "retry.topics"),
        "a run's consumer is a plain loop without a dead-letter topic",
    ),
}  # fmt: skip
"""Settings on which events depend and that the lab does not vary, with the reason."""

UNSTAGED: Mapping[tuple[str, str], str] = {
    (
        "followers-slow",
        "replication.factor",
    ): "with one replica there is no follower that could be slow",
    ("reassignment-during-failure", "replication.factor"): "with one replica there is no "
    "other copy that could be removed",
    ("brokers-below-min-isr", "replication.factor"): "with one replica there is no follower that "
    "could be away",
    ("aborted-input-not-read-again", "commit"): "nothing can be aborted together with offsets that "
    "are in no transaction",
}
"""By scenario and setting, edges of which one side cannot be run, with the reason."""

_FAMILIES = (Family.JAVA, Family.LIBRDKAFKA)
"""The clients that trials use. An event that affects neither uses those it affects."""
_STARTS = {Family.SPARK: "startingOffsets"}
"""The setting for the start of a reader, by client, if it is not auto.offset.reset."""
_TRANSACTIONAL = {"transactions-sink", "consume-transform-produce", "consume-process-commit"}
"""The workloads that need a transactional.id."""
_ROOTS: tuple[Mapping[str, Value], ...] = (
    {"acks": "1"},
    {"acks": "all"},
    {"acks": "all", "enable.idempotence": False},
)

_APPLICATION_FACTS: Mapping[str, Value] = {
    "racks": 3, "timestamps": "from-source", "outage.ms": 864_000_000,
}  # fmt: skip
"""Facts about an application without which other settings have no effect, for some events."""

OPERATED: Mapping[str, Mapping[str, Value]] = {
    "leader-disk-lost": {"disk.lost": "returns-empty"},
    "leader-disk-fails": {"disk.lost": "returns-empty"},
    "clocks-differ": {"clock.skew.ms": 7_200_000},
    "quota-throttled": {"producer.byte.rate": BYTES_PER_S},
    "topic-recreated": {"topic.recreated": "while-running"},
    "reassignment-during-failure": {"replicas.moved": "any-time"},
}
"""What a scenario does in place of a team's operators, as settings, by scenario."""


LINE: Key = (Component.BROKER, "kafka")
"""The key of an edge between two lines of brokers. It is not a setting."""


@dataclass(frozen=True, slots=True)
class Edge:
    """Two pipelines that differ only in `key`, for which `event` permits different anomalies."""

    event: FailureEvent
    key: Key
    sides: tuple[Pipeline, Pipeline]

    def values(self) -> tuple[Value, Value]:
        """The setting's value on each side, or the line of brokers."""
        if self.key == LINE:
            return self.sides[0].kafka, self.sides[1].kafka
        return self.sides[0].value(*self.key), self.sides[1].value(*self.key)


def event_of(name: str) -> FailureEvent:
    """The event of this name. Raises `StopIteration` if there is none."""
    return next(event for event in all_events() if event.name == name)


def permitted(event: FailureEvent, pipeline: Pipeline) -> frozenset[Anomaly]:
    """The anomalies that one event permits for a pipeline, without outages."""
    return frozenset(event.permits(pipeline)) - OUTAGES


def as_staged(event: FailureEvent, pipeline: Pipeline) -> Pipeline:
    """The pipeline with what the event's scenario does in place of a team's operators.

    A value that the pipeline states is kept, if it differs from the default.
    """
    usual = replace(pipeline, settings={})
    for name, value in OPERATED.get(event.scenario, {}).items():
        key = Component.APPLICATION, name
        if pipeline.knows(*key) and pipeline.value(*key) == usual.value(*key):
            pipeline = pipeline.with_setting(*key, value)
    return pipeline


def edges(seed: int) -> list[Edge]:
    """One edge per event and setting on which it depends, in an order that the seed decides.

    There is also one for each pair of neighbouring lines of brokers between which an event differs.
    There are none for settings of `UNTRIED`, none for those of `UNSTAGED` in their scenario, and
    none if only outages differ.
    """
    dice = random.Random(seed)  # noqa: S311 - repeatable on purpose, nothing is secret
    results = []
    for event in all_events():
        for key in sorted(dependence(event).settings):
            if pairs := _pairs(event, key):
                results.append(Edge(event, key, dice.choice(pairs)))
        for pairs in _across_lines(event):
            results.append(Edge(event, LINE, dice.choice(pairs)))
    dice.shuffle(results)
    return results


@cache
def _pairs(event: FailureEvent, key: Key) -> tuple[tuple[Pipeline, Pipeline], ...]:
    if (event.scenario, key[1]) in UNSTAGED:
        return ()
    if key[0] is Component.BROKER and key[1] not in find(event.scenario).kept_broker_settings:
        return ()  # a run's topic states its own settings and inherits none from its brokers
    tried = combinations(TRIED.get(key[1], ()), 2)
    pairs = (
        tuple(patient(as_staged(event, base.with_setting(*key, value))) for value in values)
        for values, base in product(tried, bases(event))
    )
    return tuple((one, other) for one, other in pairs if _differ(event, one, other))


@cache
def _across_lines(event: FailureEvent) -> tuple[tuple[tuple[Pipeline, Pipeline], ...], ...]:
    """For each pair of neighbouring lines that differ, the same pipelines on both lines."""
    lines = find(event.scenario).lines
    by_line = {
        line: [patient(as_staged(event, replace(base, kafka=line))) for base in bases(event)]
        for line in lines
    }
    pipelines = (
        tuple(
            pair
            for pair in zip(by_line[newer], by_line[older], strict=True)
            if _differ(event, *pair)
        )
        for newer, older in pairwise(lines)
    )
    return tuple(pairs for pairs in pipelines if pairs)


def _differ(event: FailureEvent, one: Pipeline, other: Pipeline) -> bool:
    """Whether the event permits different anomalies for two pipelines, and both are valid."""
    return permitted(event, one) != permitted(event, other) and not (
        one.problems() or other.problems()
    )


def bases(event: FailureEvent) -> Iterator[Pipeline]:
    """Pipelines that the lab can stage, from which an event's settings are varied."""
    if event.families == {Family.STREAMS}:
        yield from _streams()
        return
    families = [family for family in _FAMILIES if family in event.families] or [*event.families]
    if find(event.scenario).workload in _TRANSACTIONAL:
        yield from map(_in_transactions, families)
    stated = {name: value for name, value in _APPLICATION_FACTS.items() if _knows(event, name)}
    for family, root, copies, unclean in product(families, _ROOTS, (1, 2), (False, True)):
        yield Pipeline(
            family, versions(family)[0],
            settings={
                Component.PRODUCER: root,
                Component.CONSUMER: {_STARTS.get(family, "auto.offset.reset"): "earliest"},
                Component.TOPIC: {
                    "replication.factor": 3, "min.insync.replicas": copies,
                    "unclean.leader.election.enable": unclean,
                },
                Component.BROKER: shortened(),
                Component.APPLICATION: stated,
            },
        )  # fmt: skip


def _streams() -> Iterator[Pipeline]:
    """Kafka Streams applications, with state and without."""
    for guarantee, readers, state in product(
        TRIED["processing.guarantee"], TRIED["readers"], ("none", "logged")
    ):
        yield Pipeline(
            Family.STREAMS, versions(Family.STREAMS)[0],
            settings={
                Component.STREAMS: {
                    "processing.guarantee": guarantee, "topic.min.insync.replicas": 2,
                },
                Component.TOPIC: {"replication.factor": 3, "min.insync.replicas": 2},
                Component.BROKER: shortened(),
                Component.APPLICATION: {"readers": readers, "state": state},
            },
        )  # fmt: skip


def _knows(event: FailureEvent, setting: str) -> bool:
    """Whether an event depends on a setting of that name."""
    return any(name == setting for _, name in dependence(event).settings)


def _in_transactions(family: Family) -> Pipeline:
    """An application that reads, processes and writes in transactions."""
    return Pipeline(
        family, versions(family)[0],
        settings={
            Component.PRODUCER: {"transactional.id": "orders-1"},
            Component.CONSUMER: {
                "auto.offset.reset": "earliest", "enable.auto.commit": False,
                "isolation.level": "read_committed",
            },
            Component.TOPIC: {"replication.factor": 3, "min.insync.replicas": 2},
            Component.BROKER: shortened(),
            Component.APPLICATION: {"commit": "in-transaction"},
        },
    )  # fmt: skip


def shortened() -> dict[str, Value]:
    """The shortened settings of the lab's brokers, so that the model judges what really runs."""
    return {"broker.session.timeout.ms": SHORTENED["broker.session.timeout.ms"].lab}


def patient(pipeline: Pipeline) -> Pipeline:
    """The pipeline with a request.timeout.ms that is shorter than a short delivery.timeout.ms.

    Otherwise the client would refuse its settings.
    """
    if pipeline.number(Component.PRODUCER, "delivery.timeout.ms") >= 30_000:
        return pipeline
    return pipeline.with_setting(Component.PRODUCER, "request.timeout.ms", 1_500)
