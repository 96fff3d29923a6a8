"""Settings that are not modelled, with values that prevent all writes or reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import (
    JAVA,
    LRK,
    SPARK,
    STREAMS,
    C,
    assert_answer,
    assert_file,
)

STREAMS_CLI, SPARK_CLI = "--client streams", "--client spark"
LINGER, COMMIT = "broker.group.coordinator.append.linger.ms", "broker.offsets.commit.timeout.ms"
TIERED = "topic.remote.storage.enable=true broker.remote.log.storage.system.enable=true"
TIERED += " application.remote.metadata.replication.factor=3"
TIERED += " application.remote.metadata.min.insync.replicas=2"

WINDOWS = "streams.windowstore.changelog.additional.retention.ms"
INITIAL_DELAY = "broker.group.initial.rebalance.delay.ms"
ABORTED = "producer.transactional.id=a producer.transaction.timeout.ms=10 "
ABORTED += "broker.transaction.abort.timed.out.transaction.cleanup.interval.ms"
ASYNC_API = "consumer.group.protocol=consumer consumer.default.api.timeout.ms"
LRK_BASE = f"{JAVA} consumer.enable.auto.offset.store=false"
CONNECT = "application.framework=connect application.processing.errors=skip"
ASSIGNOR = "group.remote.assignor"
TOMBSTONES = "broker.log.cleaner.delete.retention.ms"
SLOW_FETCH = "broker.replica.fetch.min.bytes=2 broker.replica.fetch.wait.max.ms"

SETTINGS = [
    # ExponentialBackoff: a timeout that doubles, starting from 1
    ("", f"{C} producer.socket.connection.setup.timeout.ms=0", 2, "each connection immediately"),
    ("", f"{C} consumer.socket.connection.setup.timeout.ms=-1", 2, "each connection immediately"),
    ("", f"{C} broker.socket.connection.setup.timeout.ms=0", 2, "each connection immediately"),
    ("", f"{C} broker.socket.connection.setup.timeout.ms=1", 0, "YES"),
    (SPARK_CLI, f"{SPARK} producer.kafka.socket.connection.setup.timeout.ms=0", 2, "immediately"),
    # commits have no metadata, except those of Kafka Streams (TopicPartitionMetadata)
    ("", f"{C} broker.offset.metadata.max.bytes=-1", 2, "refuses each commit"),
    ("", f"{C} broker.offset.metadata.max.bytes=0", 0, "YES"),
    (STREAMS_CLI, f"{STREAMS} broker.offset.metadata.max.bytes=11", 2, "refuses each commit"),
    (STREAMS_CLI, f"{STREAMS} broker.offset.metadata.max.bytes=12", 0, "YES"),
    (SPARK_CLI, f"{SPARK} broker.offset.metadata.max.bytes=-1", 0, "YES"),
    # ... and the size of its batch, whatever the limit of the topic
    ("", f"{C} broker.message.max.bytes=999 topic.max.message.bytes=1000000", 2, "the members of"),
    ("", f"{C} broker.message.max.bytes=1000 topic.max.message.bytes=1000000", 0, "YES"),
    (SPARK_CLI, f"{SPARK} broker.message.max.bytes=100 topic.max.message.bytes=1000000", 0, "YES"),
    # CoordinatorRuntime: a write that waits for others is timed out
    ("", f"{C} {LINGER}=5000", 2, "so that each commit fails"),
    ("", f"{C} {LINGER}=4999", 0, "YES"),
    ("", f"{C} {LINGER}=5000 {COMMIT}=10000", 0, "YES"),
    ("--kafka 3.9", f"{C} {LINGER}=5000", 0, "YES"),
    (SPARK_CLI, f"{SPARK} {LINGER}=5000", 0, "YES"),
    # internal topics with segments that Kafka refuses, or that are smaller than a batch
    ("", f"{C} broker.offsets.topic.segment.bytes=1048575", 2, "and no group ever reads"),
    ("", f"{C} broker.transaction.state.log.segment.bytes=1", 2, "no transaction ever begins"),
    ("--kafka 3.9", f"{C} broker.offsets.topic.segment.bytes=127", 2, "and no group ever reads"),
    ("--kafka 3.9", f"{C} broker.offsets.topic.segment.bytes=1000", 0, "YES"),
    # TimeIndex.isFull, AbstractIndex
    ("", f"{C} topic.segment.index.bytes=23", 2, "leaves no room for an entry in an index"),
    ("", f"{C} broker.log.index.size.max.bytes=4", 2, "leaves no room for an entry in an index"),
    ("", f"{C} topic.segment.index.bytes=24", 0, "YES"),
    # DelayedRemoteFetch
    ("", f"{C} {TIERED} broker.remote.fetch.max.wait.ms=10", 2, "given up before it completes"),
    ("", f"{C} {TIERED} broker.remote.fetch.max.wait.ms=500", 0, "YES"),
    ("", f"{C} broker.remote.fetch.max.wait.ms=10", 0, "YES"),
    # StreamThread.pollRequests; StreamTask.process resumes at exactly that many records
    (STREAMS_CLI, f"{STREAMS} streams.poll.ms=-1", 2, "at its first poll"),
    (STREAMS_CLI, f"{STREAMS} streams.poll.ms=0", 0, "YES"),
    # StreamThread.runOnce
    (STREAMS_CLI, f"{STREAMS} streams.poll.ms=300001", 2, "before its next commit"),
    (STREAMS_CLI, f"{STREAMS} streams.poll.ms=300000", 0, "YES"),
    (STREAMS_CLI, f"{STREAMS} streams.buffered.records.per.partition=-1", 2, "never resumes it"),
    (STREAMS_CLI, f"{STREAMS} streams.buffered.records.per.partition=0", 0, "YES"),
    # WindowedChangelogTopicConfig adds it to the retention of a window
    (STREAMS_CLI, f"{STREAMS} streams.windowstore.changelog.additional.retention.ms=-1", 2,
     "a shorter time than they are open"),
    (STREAMS_CLI, f"{STREAMS} {WINDOWS}=0", 0, "YES.*S007 medium"),
    (STREAMS_CLI, f"{STREAMS} application.outage.ms=172800000", 0,
     "YES.*S007 medium.*and the application may be away for 172,800,000 ms"),
    (STREAMS_CLI, f"{STREAMS} application.outage.ms=172800000 {WINDOWS}=345600000", 0,
     "^YES(?!.*S007)"),
    # librdkafka closes only connections without a request (Java's is modelled); 0 means never
    (LRK, f"{LRK_BASE} producer.connections.max.idle.ms=1", 2, "before the first request is on it"),
    (LRK, f"{LRK_BASE} consumer.connections.max.idle.ms=10", 2,
     "before the first request is on it"),
    (LRK, f"{LRK_BASE} producer.connections.max.idle.ms=0", 0, "YES"),
    (LRK, f"{LRK_BASE} producer.connections.max.idle.ms=11", 0, "YES"),
    # a pause that doubles up to this maximum
    ("", f"{C} consumer.reconnect.backoff.max.ms=300001", 2, "keeps a consumer away after"),
    ("", f"{C} consumer.retry.backoff.max.ms=604800000", 2, "keeps a consumer away after"),
    (STREAMS_CLI, f"{STREAMS} streams.reconnect.backoff.max.ms=300001", 2, "keeps a consumer away"),
    ("", f"{C} consumer.reconnect.backoff.max.ms=300000", 0, "YES"),
    # ... or does not double, because it is longer than the maximum
    ("", f"{C} consumer.reconnect.backoff.ms=300001", 2, "keeps a consumer away after"),
    ("", f"{C} consumer.retry.backoff.ms=300001", 2, "keeps a consumer away after"),
    (SPARK_CLI, f"{SPARK} consumer.kafka.retry.backoff.ms=300001", 2, "keeps a consumer away"),
    (SPARK_CLI, f"{SPARK} consumer.fetchOffset.retryIntervalMs=300001", 2, "keeps a consumer away"),
    (SPARK_CLI, f"{SPARK} consumer.fetchOffset.retryIntervalMs=300000", 0, "YES"),
    # partition assignment by the brokers
    ("", f"{C} broker.group.consumer.assignment.interval.ms=300001 "
     "broker.group.consumer.max.assignment.interval.ms=300001", 2, "may wait for a member"),
    (STREAMS_CLI, f"{STREAMS} broker.group.streams.initial.rebalance.delay.ms=300001", 2,
     "may wait for a member"),
    (STREAMS_CLI, f"{STREAMS} broker.group.streams.initial.rebalance.delay.ms=300000", 0, "YES"),
    # the first rebalance of an empty group
    ("", f"{C} {INITIAL_DELAY}=300001", 2, "before its first member reads"),
    ("", f"{C} {INITIAL_DELAY}=300000", 0, "YES"),
    (SPARK_CLI, f"{SPARK} {INITIAL_DELAY}=300001", 0, "YES"),
    # timedOutTransactions of a coordinator that checks continuously
    ("", f"{C} {ABORTED}=10", 1, "CANNOT WORK.*each transaction is aborted before"),
    ("", f"{C} {ABORTED}=11", 0, "YES"),
    # rd_kafka_transport_framed_recv
    (LRK, f"{LRK_BASE} producer.receive.message.max.bytes=99999", 2, "the producer sends nothing"),
    (LRK, f"{LRK_BASE} producer.receive.message.max.bytes=100000", 0, "YES"),
    # rd_kafka_broker_timeout_scan: a connection is closed after so many unanswered requests
    (LRK, f"{LRK_BASE} producer.socket.max.fails=0", 2, "keeps a connection on which no response"),
    (LRK, f"{LRK_BASE} consumer.socket.max.fails=0", 2, "keeps a connection on which no response"),
    (LRK, f"{LRK_BASE} producer.socket.max.fails=5", 2, "so many times socket.timeout.ms=60000"),
    (LRK, f"{LRK_BASE} producer.socket.max.fails=4", 0, "YES"),
    (LRK, f"{LRK_BASE} consumer.socket.max.fails=5", 0, "YES"),
    (LRK, f"{LRK_BASE} producer.socket.max.fails=5 producer.message.timeout.ms=0", 0, "YES"),
    (LRK, f"{LRK_BASE} producer.socket.max.fails=4 producer.message.timeout.ms=240000", 2,
     "records are given up, because delivery.timeout.ms is 240000"),
    # DelayedFetch of a follower: 5 s for a commit, and half of 30 s to stay in sync
    ("", f"{C} {SLOW_FETCH}=5000", 2, "delays the responses to followers"),
    ("", f"{C} {SLOW_FETCH}=4999", 0, "YES"),
    ("", f"{C} {SLOW_FETCH}=15000 broker.offsets.commit.timeout.ms=60000", 2, "in-sync set"),
    ("", f"{C} {SLOW_FETCH}=14999 broker.offsets.commit.timeout.ms=60000", 0, "YES"),
    ("", f"{C} broker.replica.fetch.wait.max.ms=29999", 0, "YES"),
    # tombstones in a changelog are also needed by instances that were down
    (STREAMS_CLI, f"{STREAMS} {TOMBSTONES}=3599999", 2, "also applies to changelogs"),
    (STREAMS_CLI, f"{STREAMS} {TOMBSTONES}=3600000", 0, "YES"),
    ("", f"{C} {TOMBSTONES}=0", 0, "YES"),
    # RequestManager: the time until a broker that reached no controller tries again
    ("", f"{C} broker.controller.quorum.retry.backoff.ms=60000", 2, "and it shuts down"),
    ("", f"{C} broker.controller.quorum.retry.backoff.ms=59999", 0, "YES"),
    ("", f"{C} broker.controller.quorum.retry.backoff.ms=60000 "
     "broker.initial.broker.registration.timeout.ms=120000", 0, "YES"),
    # RetryWithToleranceOperator ignores the future of a send to the dead letter queue
    ("", f"{C} {CONNECT} application.dead.letter=acknowledged", 2, "letter is unacknowledged"),
    ("", f"{C} {CONNECT} application.dead.letter=unacknowledged", 1, "errors: skip -> retry"),
    # KIP-950
    ("", f"{C} topic.remote.storage.enable=false topic.remote.log.delete.on.disable=true", 2,
     "removes what is in the remote storage"),
    ("", f"{C} topic.remote.storage.enable=false topic.remote.log.delete.on.disable=false", 0,
     "YES"),
    ("", f"{C} {TIERED} topic.remote.log.delete.on.disable=true", 0, "YES"),
    # KafkaOffsetReaderAdmin.withRetries
    (SPARK_CLI, f"{SPARK} consumer.fetchOffset.numRetries=0", 2, "never requests an offset"),
    (SPARK_CLI, f"{SPARK} consumer.fetchOffset.numRetries=1", 0, "YES"),
    # messages of the Java client inside Spark
    (SPARK_CLI, f"{SPARK} consumer.kafka.session.timeout.ms=3000", 2,
     "Heartbeat must be set lower"),
    (SPARK_CLI, f"{SPARK} consumer.kafka.heartbeat.interval.ms=45000", 2, "Heartbeat must be set"),
    (SPARK_CLI, f"{SPARK} consumer.kafka.session.timeout.ms=3001", 0, "YES"),
    (SPARK_CLI, f"{SPARK} consumer.kafka.group.remote.assignor=uniform", 2, "cannot be set when"),
    # ... and inside Kafka Streams; before 3.9 there is no message (jars of 3.8.1 and 3.9.2)
    (STREAMS_CLI, f"{STREAMS} consumer.{ASSIGNOR}=uniform", 2, "cannot be set when"),
    (f"{STREAMS_CLI} --client-version 3.8", f"{STREAMS} consumer.{ASSIGNOR}=uniform", 0, "YES"),
    ("--client-version 3.9", f"{C} consumer.{ASSIGNOR}=uniform", 2, "cannot be set when"),
    ("--client-version 3.8", f"{C} consumer.{ASSIGNOR}=uniform", 0, "YES"),
    # AsyncKafkaConsumer, whose thread starts within it (seen with the jars of 4.1.2 and 4.2.1)
    ("", f"{JAVA} {ASYNC_API}=5", 1, "CANNOT WORK.*consumer cannot be created within that time"),
    ("", f"{JAVA} {ASYNC_API}=11", 0, "YES"),
    ("--client-version 4.1", f"{JAVA} {ASYNC_API}=5", 0, "YES"),
    (STREAMS_CLI, f"{STREAMS} producer.compression.gzip.level=10", 2, "between 1 and 9"),
    (STREAMS_CLI, f"{STREAMS} producer.compression.gzip.level=9", 0, "YES"),
    (SPARK_CLI, f"{SPARK} producer.kafka.compression.gzip.level=20", 2, "between 1 and 9"),
    # a name without a prefix is for each internal client (StreamsConfig.getClientPropsWithPrefix)
    (STREAMS_CLI, f"{STREAMS} streams.request.timeout.ms=1", 1,
     "CANNOT WORK.*no request.*(Before anything else: Set)(?!.*Before anything)"),
    (STREAMS_CLI, f"{STREAMS} streams.request.timeout.ms=1 producer.request.timeout.ms=30000 "
     "consumer.request.timeout.ms=30000", 0, "YES"),
    (STREAMS_CLI, f"{STREAMS} streams.connections.max.idle.ms=1", 1, "CANNOT WORK"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "settings", "code", "expected"), SETTINGS)
def test_settings_get_the_expected_answer(
    options: str, settings: str, code: int, expected: str
) -> None:
    assert_answer(options, settings, code, expected)


def test_such_settings_in_a_pipeline_file_get_the_same_answer(tmp_path: Path) -> None:
    text = 'family = "streams"\n[streams]\n"request.timeout.ms" = 1\n'
    file = tmp_path / "pipeline.toml"
    assert_file(file, text, "--pipeline", STREAMS, 1, "CANNOT WORK")
