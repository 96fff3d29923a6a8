"""Pipelines for tests: from fields as a user states them, or drawn by Hypothesis."""

from __future__ import annotations

from hypothesis import assume
from hypothesis import strategies as st

from advisor.catalog import Component, Family, kafka_versions, settings_of, versions
from advisor.reasoning.assess import assess, judgements
from advisor.reasoning.failures import events_for
from advisor.reasoning.fields import from_fields
from advisor.reasoning.guarantees import Anomaly
from advisor.reasoning.judgement import EventAssessment
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.wish import breaking, forbidden
from tests.advisor.values import texts

A = Anomaly
HARMLESS = {A.UNAVAILABLE, A.BLOCKED}
SKIP = {A.SKIPPED, A.EFFECT_MISSING}
TRUNCATED = {A.LOST_WRITE, A.DIVERGED} | SKIP
AGAIN = {A.REDELIVERY, A.EFFECT_DUPLICATED}
LRK = {"family": "librdkafka"}
SPARK = {"family": "spark"}
RF3 = {"topic.replication.factor": "3"}
ACKS_0 = {"producer.acks": "0", "producer.enable.idempotence": "false"}
ACKS_1 = {"producer.acks": "1", "producer.enable.idempotence": "false"}
UNCLEAN = {"topic.unclean.leader.election.enable": "true"}
TRANSACTIONAL = {
    "producer.transactional.id": "orders-1",
    "application.commit": "in-transaction",
    "consumer.enable.auto.commit": "false",
    "consumer.isolation.level": "read_committed",
}
SAFE = {
    "topic.replication.factor": "3",
    "topic.min.insync.replicas": "2",
    "producer.enable.idempotence": "true",
    "consumer.auto.offset.reset": "earliest",
    "application.offsets.topic.min.insync.replicas": "2",
}
"""Java settings that give at-least-once, and exactly-once into the log."""


def described(fields: dict[str, str]) -> Pipeline:
    """The pipeline that these fields describe. They must be valid."""
    pipeline, problems = from_fields(fields)
    assert pipeline is not None, [problem.message for problem in problems]
    return pipeline


def permits(pipeline: Pipeline, name: str) -> set[Anomaly]:
    """The anomalies that one event permits, in scope or not."""
    [event] = [event for event in events_for(pipeline) if event.name == name]
    return set(event.permits(pipeline))


def assessed(pipeline: Pipeline, name: str) -> EventAssessment:
    """How one event is assessed."""
    [assessment] = [failure for failure in assess(pipeline).failures if failure.event.name == name]
    return assessment


def broken(pipeline: Pipeline) -> bool:
    """Whether an anomaly that the pipeline's requirement forbids may happen."""
    return bool(breaking(pipeline))


def falls_short(pipeline: Pipeline, described: Pipeline) -> bool:
    """Whether an anomaly that is forbidden for `described` may happen in `pipeline`.

    An idempotent sink that only the recommendation proposes does not allow duplicates.
    """
    forbids = forbidden(described)
    return any(
        assessment.in_scope and forbids & assessment.permits.keys()
        for assessment in judgements(pipeline)
    )


_COMMON = {
    "producer.acks": ["all", "1", "0"],
    "producer.enable.idempotence": ["true", "false"],
    "producer.retries": ["0", "3", "2147483647"],
    "producer.max.in.flight.requests.per.connection": ["1", "5", "6"],
    "producer.delivery.timeout.ms": ["0", "1000", "40000", "120000", "90000000"],
    "topic.replication.factor": ["1", "2", "3", "5"],
    "topic.min.insync.replicas": ["1", "2", "3", "7"],
    "topic.unclean.leader.election.enable": ["true", "false"],
    "broker.default.replication.factor": ["1", "3"],
    "broker.min.insync.replicas": ["1", "2"],
    "consumer.isolation.level": ["read_committed", "read_uncommitted"],
    "application.sink": ["plain", "idempotent"],
    "application.racks": ["1", "2", "3"],
    "application.metadata.racks": ["1", "2", "3"],
    "application.topic.recreated": ["never", "clients-stopped", "while-running"],
    "application.outage.ms": ["0", "172800000", "9223372036854775807"],
    "application.idle.ms": ["0", "604800000", "9223372036854775807"],
    "application.timestamps": ["now", "from-source"],
    "application.other.writers": ["none", "java", "librdkafka"],
    "topic.retention.ms": ["-1", "3600000"],
    "topic.retention.bytes": ["-1", "1073741824"],
    "topic.cleanup.policy": ["delete", "compact", "compact,delete"],
    "topic.message.timestamp.type": ["CreateTime", "LogAppendTime"],
    "topic.message.timestamp.before.max.ms": ["0", "1000", "86400000"],
    "topic.message.timestamp.after.max.ms": ["0", "3600000"],
    "topic.flush.messages": ["1", "10000"],
    "topic.max.message.bytes": ["0", "100", "20000", "2000000"],
    "application.largest.message.bytes": ["0", "1500000"],
    "broker.offsets.topic.replication.factor": ["1", "3"],
    "application.offsets.topic.min.insync.replicas": ["1", "2"],
    "broker.unclean.leader.election.enable": ["true", "false"],
    "broker.offsets.retention.minutes": ["1", "10080"],
    "broker.producer.id.expiration.ms": ["60000", "86400000"],
    "broker.transaction.state.log.replication.factor": ["1", "3"],
    "broker.transaction.state.log.min.isr": ["1", "2"],
    "producer.request.timeout.ms": ["1000", "60000"],
    "producer.linger.ms": ["0", "5", "119000"],
    "producer.batch.size": ["0", "16384", "2000000"],
    "producer.retry.backoff.max.ms": ["1000", "3000000"],
    "producer.reconnect.backoff.max.ms": ["1000", "3000000"],
    "producer.transaction.timeout.ms": ["1000", "900000"],
    "topic.segment.bytes": ["1048576", "1073741824"],
    "topic.delete.retention.ms": ["0", "86400000"],
    "topic.min.compaction.lag.ms": ["0", "300000", "9000000000"],
    "application.clock.skew.ms": ["0", "7200000"],
    "application.disk.lost": ["replica-elected", "returns-empty", "each-restart"],
    "application.metadata.disk.lost": ["rebuilt", "returns-empty", "each-restart"],
    "application.replicas.in.sync": ["0", "1", "3"],
    "application.history": ["latest", "every"],
    "application.message.bytes": ["100", "50000"],
    "application.producer.byte.rate": ["10000", "100000000"],
    "broker.replica.lag.time.max.ms": ["1000", "30000"],
    "broker.socket.request.max.bytes": ["20000", "104857600"],
}
_KRAFT = {
    "broker.broker.session.timeout.ms": ["3000", "200000"],
    "application.controllers": ["1", "3"],
}
_ZOOKEEPER = {
    "broker.zookeeper.session.timeout.ms": ["6000", "200000"],
    "application.zookeeper.servers": ["1", "3"],
}
_EITHER = {
    "application.metadata.mode": ["kraft", "zookeeper"],
    "application.replicas.moved": ["in-sync-only", "any-time"],
}
_CLIENTS = "org.apache.kafka.clients."
_OWN = {
    "java": {
        "consumer.auto.offset.reset": ["latest", "earliest", "none"],
        "producer.transactional.id": ["orders-1"],
        "producer.max.block.ms": ["1000", "60000"],
        "consumer.group.instance.id": ["reader-1"],
        "consumer.group.protocol": ["classic", "consumer"],
        "application.framework": ["none", "spring", "quarkus"],
        "producer.partitioner.class": [f"{_CLIENTS}producer.RoundRobinPartitioner"],
        "producer.partitioner.ignore.keys": ["true", "false"],
        "producer.max.request.size": ["1000", "2000000"],
        "producer.buffer.memory": ["10000", "33554432"],
        "application.partitioner": ["by-key", "other"],
    },
    "librdkafka": {
        "consumer.auto.offset.reset": ["latest", "earliest", "error"],
        "consumer.enable.auto.offset.store": ["true", "false"],
        "producer.partitioner": ["consistent_random", "murmur2_random", "random"],
        "producer.queuing.strategy": ["fifo", "lifo"],
        "producer.queue.buffering.max.kbytes": ["1", "1048576"],
    },
    "spark": {
        "consumer.startingOffsets": ["latest", "earliest"],
        "consumer.failOnDataLoss": ["true", "false"],
        "application.speculation": ["true", "false"],
        "application.checkpoint": ["durable", "local"],
        "application.processing.errors": ["retry", "skip"],
        "application.upstream": ["plain", "transactional"],
        "application.trigger": ["micro-batch", "continuous"],
        "consumer.maxOffsetsPerTrigger": ["1000"],
        "consumer.minPartitions": ["1", "12"],
        "consumer.maxRecordsPerPartition": ["1000"],
    },
}
_HANDLERS = "org.apache.kafka.streams.errors."
_OWN["streams"] = {
    "streams.processing.guarantee": ["at_least_once", "exactly_once_v2", "exactly_once_beta"],
    "streams.replication.factor": ["-1", "1", "3"],
    "streams.topic.min.insync.replicas": ["1", "2"],
    "streams.num.standby.replicas": ["0", "1"],
    "streams.commit.interval.ms": ["100", "20000"],
    "streams.default.deserialization.exception.handler": [
        f"{_HANDLERS}LogAndFailExceptionHandler", f"{_HANDLERS}LogAndContinueExceptionHandler",
    ],
    "streams.processing.exception.handler": ["com.example.Ours"],
    "streams.default.production.exception.handler": ["com.example.Ours"],
    "consumer.auto.offset.reset": ["latest", "earliest", "none"],
    "consumer.group.instance.id": ["reader-1"],
    "application.state": ["none", "logged", "unlogged"],
    "application.sink": ["topics", "plain", "idempotent"],
    "application.processing.errors": ["retry", "skip"],
    "application.readers": ["read_committed", "read_uncommitted"],
    "application.upstream": ["plain", "transactional"],
}  # fmt: skip
_CODE = {
    "consumer.enable.auto.commit": ["true", "false"],
    "application.commit": ["auto", "before-processing", "after-processing", "in-transaction"],
    "application.delivery.errors": ["handled", "ignored"],
    "application.resend": ["never", "on-error"],
    "application.restart": ["resumes", "forgets"],
    "application.processing": ["synchronous", "parallel", "asynchronous"],
    "application.processing.order": ["by-key", "any"],
    "application.processing.errors": ["retry", "close", "skip"],
    "application.commit.order": ["in-order", "as-done"],
    "application.dead.letter": ["none", "acknowledged", "unacknowledged"],
    "application.retry.topics": ["true", "false"],
    "application.abort": ["rewinds", "continues"],
}
_VERSIONS = {
    "java": ["2.8", "3.9", "4.3"], "librdkafka": ["2.16"], "spark": ["4.2"],
    "streams": ["2.8", "3.9", "4.3"],
}  # fmt: skip


@st.composite
def pipelines(draw: st.DrawFn) -> Pipeline:
    """Any valid pipeline; each setting is stated or left at its default."""
    family = draw(st.sampled_from(list(_OWN)))
    kafka = draw(st.sampled_from(["4.3", "4.0", "3.5", "3.1"]))
    settings = _COMMON | _OWN[family] | (_CODE if family in ("java", "librdkafka") else {})
    settings |= {"3.1": _ZOOKEEPER, "3.5": _ZOOKEEPER | _KRAFT | _EITHER}.get(kafka, _KRAFT)
    fields = {
        "family": family,
        "version": draw(st.sampled_from(_VERSIONS[family])),
        "kafka": kafka,
        "brokers": draw(st.sampled_from(["1", "3", "5"])),
        "need.guarantee": draw(
            st.sampled_from(["at-most-once", "at-least-once", "exactly-once", "none"])
        ),
        "need.survive": draw(st.sampled_from(["0", "1", "2"])),
        "need.ordering": draw(st.sampled_from(["", "on"])),
    }
    for name in draw(st.lists(st.sampled_from(sorted(settings)), unique=True, max_size=12)):
        fields[name] = draw(st.sampled_from(settings[name]))
    pipeline, _ = from_fields(fields)
    assume(pipeline is not None)
    assert pipeline is not None
    return pipeline


@st.composite
def anything(draw: st.DrawFn) -> Pipeline:
    """Any valid pipeline of any version, with any settings of the catalog."""
    family = draw(st.sampled_from(list(Family)))
    version, kafka = (
        draw(st.sampled_from(versions(family))),
        draw(st.sampled_from(kafka_versions())),
    )
    fields = {
        "family": family.value, "version": version, "kafka": kafka,
        "brokers": draw(st.sampled_from(["1", "2", "3", "6", "1000"])),
        "need.guarantee": draw(
            st.sampled_from(["at-most-once", "at-least-once", "exactly-once", "none"])
        ),
        "need.survive": draw(st.sampled_from(["0", "1", "2", "1000"])),
        "need.ordering": draw(st.sampled_from(["", "on"])),
    }  # fmt: skip
    entries = [
        (f"{component}.{setting.name}", setting)
        for component in Component
        for setting in settings_of(family, version, kafka, component)
    ]
    for name, setting in draw(st.lists(st.sampled_from(entries), unique=True, max_size=8)):
        fields[name] = draw(st.sampled_from(texts(setting)))
    pipeline, _ = from_fields(fields)
    assume(pipeline is not None)
    assert pipeline is not None
    return pipeline
