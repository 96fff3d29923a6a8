"""More realistic configurations of consumers, Spark, Kafka Streams and frameworks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import JAVA, LRK, TOPIC, assert_answer, assert_file
from tests.advisor.programs import IGNORED

ONCE = "--want exactly-once"
OFFSETS = "application.offsets.topic.min.insync.replicas=2"
IDEMPOTENT = f"{TOPIC} application.sink=idempotent"
QUERY = (
    '(spark.readStream.format("kafka").option("subscribe", "a")'
    '.option("startingOffsets", "earliest"){}.load()\n.writeStream{}.start())'
)
S3 = '.option("checkpointLocation", "s3a://b/c")'
TO_KAFKA = f'{S3}.format("kafka").option("topic", "b")'
TO_KAFKA_TOO = TO_KAFKA.replace("s3a://b/c", "s3a://b/d")
REAL_TIME = '.trigger(realTime="5 minutes")'
ASYNC = '.option("asyncProgressTrackingEnabled", "true")'


@pytest.mark.parametrize("location", [
    "/dev/shm/c", "/run/c", "/var/run/c", "file:///dev/shm/c", "FILE:/run/c", "/var/tmp/c",
    "/private/tmp/c", "//dev/shm/c", "/data/../tmp/c",
])  # fmt: skip
def test_a_checkpoint_in_a_folder_that_a_reboot_empties_is_local(
    tmp_path: Path, location: str
) -> None:
    code = QUERY.format("", f'.option("checkpointLocation", "{location}").foreachBatch(f)')
    assert_file(tmp_path / "q.py", code, ONCE, IDEMPOTENT, 1, "application.checkpoint=local")


@pytest.mark.parametrize("location", ["/runner/c", "/data/run/c", "hdfs:///tmp/c"])
def test_a_checkpoint_in_another_folder_is_not_local(tmp_path: Path, location: str) -> None:
    code = QUERY.format("", f'.option("checkpointLocation", "{location}").foreachBatch(f)')
    assert_file(tmp_path / "q.py", code, ONCE, IDEMPOTENT, 0, "YES")


def test_a_checkpoint_without_a_file_system_is_reported_as_an_assumption(tmp_path: Path) -> None:
    code = QUERY.format("", '.option("checkpointLocation", "/data/c").foreachBatch(f)')
    assert_file(tmp_path / "q.py", code, ONCE, IDEMPOTENT, 0, "fs.defaultFS decides")


SPARK_QUERIES = [
    # KafkaSourceProvider.scala, validateGeneralOptions
    (QUERY.format('.option("subscribePattern", "a.*")', TO_KAFKA), "", 2, "Only one of the follow"),
    (QUERY.format('.option("assign", \'{"a": [0]}\')', TO_KAFKA), "", 2, "Only one of the followi"),
    ("kafka.acks=all\nsubscribe=t\nsubscribePattern=t.*\nstartingOffsets=earliest", "", 2, "Only"),
    (QUERY.replace("subscribe", "assign").format("", TO_KAFKA) + "\n" + QUERY.format("",
                                                                                     TO_KAFKA_TOO),
     "", 0, "belongs to another query"),
    # a batch query
    ('d = spark.read.format("kafka").option("subscribe", "t").load()\n'
     'd.write.format("kafka").option("topic", "o").save()', "", 2, "spark.read is a batch query"),
    ('val d = spark.read().format("kafka").option("subscribe", "t").load()\n'
     + QUERY.format("", TO_KAFKA), "", 0, "It is not read"),
    ('d = spark.read.format("parquet").option("mergeSchema", "true").load("x")\n'
     + QUERY.format("", TO_KAFKA), "", 0, "YES"),
    # error-conditions.json (STREAMING_REAL_TIME_MODE); real-time-mode.md
    (QUERY.format("", f"{S3}{REAL_TIME}.foreachBatch(f)"), "", 2, "SINK_NOT_SUPPORTED"),
    (QUERY.format("", f"{TO_KAFKA}{REAL_TIME}.outputMode('update')"), "", 0, "YES"),
    (QUERY.format("", f"{TO_KAFKA}{REAL_TIME}.outputMode('append')"), "", 2, "output mode append"),
    (QUERY.format("", f"{TO_KAFKA}{REAL_TIME}{ASYNC}"), "", 2, "not supported in real-time mode"),
    (QUERY.format("", f"{TO_KAFKA}{REAL_TIME}"), "--client spark --client-version 4.0", 2,
     "Spark 4.0 has no real-time mode"),
    # DataStreamWriter.scala; AsyncProgressTrackingMicroBatchExecution.scala
    (QUERY.format("", f'{S3}.trigger(continuous="1 second").foreachBatch(f)'), "", 2,
     "'foreachBatch' is not supported with continuous trigger"),
    (QUERY.format("", f"{S3}{ASYNC}.foreachBatch(f)"), "", 2, "does not support async progress"),
    (QUERY.format("", f"{TO_KAFKA}{ASYNC}.trigger(availableNow=True)"), "", 2, "AvailableNow"),
    (QUERY.format("", f'{S3}{ASYNC}.format("delta")'), "", 2, "Sink delta does not support async"),
    (QUERY.format("", f'{S3}{REAL_TIME}.format("delta")'), "", 2, "no sink of format delta"),
    (QUERY.format("", f'{S3}{ASYNC}.format("console")'), "", 0, "YES"),
    (QUERY.format("", f"{TO_KAFKA}{ASYNC}.trigger(once=True)"), "", 2, "with Once trigger"),
    (QUERY.format("", f"{TO_KAFKA}.trigger(availableNow=True)"), "", 0, "YES"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "options", "exit_code", "expected"), SPARK_QUERIES)
def test_spark_code_gets_the_expected_answer(
    tmp_path: Path, code: str, options: str, exit_code: int, expected: str
) -> None:
    assert_file(tmp_path / "q.py", code, options, TOPIC, exit_code, expected)


def test_a_lost_checkpoint_is_a_no_if_the_idempotent_sink_is_only_stated() -> None:
    settings = f"{IDEMPOTENT} consumer.startingOffsets=earliest application.checkpoint=local"
    assert_answer(f"{ONCE} --client spark", settings, 1, "only its code shows that")


ERRORS = "org.apache.kafka.streams.errors."
SKIPS = f"streams.deserialization.exception.handler={ERRORS}LogAndContinueExceptionHandler"
SKIPS_TOO = f"streams.processing.exception.handler={ERRORS}LogAndContinueProcessingExceptionHandler"
STREAMS = f"{TOPIC} streams.replication.factor=3 streams.topic.min.insync.replicas=2"
DLQ = "streams.errors.dead.letter.queue.topic.name=dead"
STREAMS_SETTINGS = [
    # KIP-1034: the dead letter is sent with the output, before the offset is committed
    ("", f"{STREAMS} {SKIPS}", 1, "effect_missing in unprocessable-message"),
    ("", f"{STREAMS} {SKIPS} {SKIPS_TOO} {DLQ}", 0, "YES"),
    ("", f"{STREAMS} {SKIPS} {DLQ}", 0, "dead-letter-refused"),
    ("--ordering", f"{STREAMS} {SKIPS} {DLQ}", 1,
     "key_reordered in unprocessable-message"),
    ("", f"{STREAMS} streams.deserialization.exception.handler=com.acme.H {DLQ}", 1, "NO"),
    ("", f"{STREAMS} {SKIPS} {DLQ} streams.processing.exception.handler=com.acme.H", 1,
     "NO"),
    ("", f"{STREAMS} {DLQ} streams.production.exception.handler=com.acme.H", 1, "NO"),
    # StreamsConfig.verifyTopologyOptimizationConfigs
    ("", f"{STREAMS} streams.topology.optimization=foo", 2, "Unrecognized config"),
    ("", f"{STREAMS} streams.topology.optimization=none,all", 2, "not a valid optimization config"),
    ("", f"{STREAMS} streams.topology.optimization=merge.repartition.topics,"
     "single.store.self.join", 0, "YES"),
    ("", f"{STREAMS} streams.topology.optimization=all", 0, "YES"),
    # TopologyMetadata.numStreamThreads
    ("", f"{STREAMS} streams.num.stream.threads=0", 2, "without a thread"),
    ("", f"{STREAMS} streams.num.stream.threads=8", 0, "YES"),
    # a state folder that a reboot empties is restored from the changelog
    ("", f"{STREAMS} streams.state.dir=/dev/shm/a", 0, "S004 low: state.dir=/dev/shm"),
    ("", f"{STREAMS} streams.state.dir=/data/a", 0, "^(?!.*S004).*YES"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "settings", "code", "expected"), STREAMS_SETTINGS)
def test_streams_settings_get_the_expected_answer(
    options: str, settings: str, code: int, expected: str
) -> None:
    assert_answer(f"--client streams {options}", settings, code, expected)


def test_a_release_without_dead_letters_ignores_the_dead_letter_topic(tmp_path: Path) -> None:
    text = f"application.id=a\n{SKIPS.removeprefix('streams.')}\n{DLQ.removeprefix('streams.')}"
    options = "--client streams --client-version 4.1"
    assert_file(tmp_path / "streams.properties", text, options, STREAMS, 1, "does nothing in this")


READS = f"{TOPIC} consumer.auto.offset.reset=earliest application.restart=resumes "
READS_C = f"{READS} application.commit=after-processing consumer.enable.auto.commit=false"
NO_AUTO_STORE = "consumer.enable.auto.offset.store=false"
IN_TRANSACTION = (
    f"{TOPIC} {OFFSETS} producer.transactional.id=t application.commit=in-transaction "
    "consumer.isolation.level=read_committed application.restart=resumes"
)
ORDER = "--want none --ordering"
NOT_IDEMPOTENT = f"{TOPIC} producer.acks=all producer.enable.idempotence=false"
ONE_IN_FLIGHT = "producer.max.in.flight.requests.per.connection=1"
CLIENT_SETTINGS = [
    # with 0, librdkafka starts no timer (rd_kafka_cgrp_new), and Java commits with each poll
    (LRK, f"{READS} {NO_AUTO_STORE} consumer.auto.commit.interval.ms=0", 0,
     "interval.ms=0 only when its partitions are revoked or it closes"),
    (LRK, f"{READS} {NO_AUTO_STORE} consumer.auto.commit.interval.ms=0 application.rate=1000", 0,
     "^(?!.*Messages delivered again when a reader crashes).*YES"),
    (LRK, f"{READS} {NO_AUTO_STORE} application.rate=1000", 0, "reader crashes, at most: 5,000"),
    ("", f"{READS} consumer.auto.commit.interval.ms=0", 0, "the client commits every 0 ms"),
    # offsets that are not stored in the group (rdkafka_assignment.c)
    (LRK, f"{READS_C} consumer.topic.blacklist=^orders", 2, "hides each topic that matches"),
    (LRK, f"{READS_C} producer.topic.blacklist=orders", 2, "hides each topic that matches"),
    (LRK, f"{READS_C} consumer.offset.store.method=file", 2, "keeps no position in the group"),
    (LRK, f"{READS_C} consumer.offset.store.method=none", 2, "keeps no position in the group"),
    (LRK, f"{READS_C} consumer.offset.store.method=broker", 0, "YES"),
    # offsets that are not stored are not committed in addition to a transaction
    (f"{LRK} {ONCE}", f"{IN_TRANSACTION} {NO_AUTO_STORE} consumer.enable.auto.commit=true "
     "consumer.auto.offset.reset=error", 0, "YES"),
    (f"{LRK} {ONCE}", f"{IN_TRANSACTION} consumer.enable.auto.commit=true "
     "consumer.auto.offset.reset=error", 1,
     "enable.auto.commit: true -> false.*outside the transaction"),
    # after a failed send, the transaction must be aborted before the next send
    (ONCE, f"{IN_TRANSACTION} application.resend=on-error consumer.enable.auto.commit=false "
     "consumer.auto.offset.reset=none", 0, "YES"),
    (ONCE, f"{JAVA} application.resend=on-error", 1, "duplicate.* in delivery-timeout"),
    # with 1 in flight, a retry arrives before later batches (Sender, guaranteeMessageOrder);
    # a batch that is not sent again may still arrive, by a closed connection
    (ORDER, f"{NOT_IDEMPOTENT} {ONE_IN_FLIGHT} producer.request.timeout.ms=100", 0, "YES"),
    (ORDER, f"{NOT_IDEMPOTENT} {ONE_IN_FLIGHT} producer.request.timeout.ms=100 "
     "producer.delivery.timeout.ms=5000", 1,
     "reordered in .*may still be on its way in the connection"),
    (ORDER, f"{NOT_IDEMPOTENT} producer.retries=0", 1, "reordered in acknowledgement-lost"),
    (ORDER, f"{TOPIC} producer.acks=0", 1, "reordered in acknowledgement-lost"),
    (ORDER, f"{TOPIC} producer.delivery.timeout.ms=31000", 0, "YES"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "settings", "code", "expected"), CLIENT_SETTINGS)
def test_client_settings_get_the_expected_answer(
    options: str, settings: str, code: int, expected: str
) -> None:
    assert_answer(options, settings, code, expected)


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("c.py", "c = ShareConsumer({'bootstrap.servers': 'a', 'group.id': 'g'})"),
        (
            "A.java",
            'class A { void f() { Properties p = new Properties(); p.put("group.id", "g");\n'
            "var c = new KafkaShareConsumer<String, String>(p);\n"
            "for (var r : c.poll(Duration.ofMillis(100))) save(r); } }",
        ),
        (
            "A.kt",
            "import org.apache.kafka.clients.consumer.*\nfun f() { val p = Properties()\n"
            "val c = KafkaShareConsumer<String, String>(p)\n"
            "while (true) c.poll(Duration.ofMillis(100)).forEach { save(it) } }",
        ),
    ],
)
def test_a_share_consumer_is_refused(tmp_path: Path, name: str, code: str) -> None:
    assert_file(tmp_path / name, code, "", READS, 2, r"ShareConsumer: .*share group \(KIP-932\)")


PRODUCER = '{"bootstrap.servers": "a", "acks": "all", "enable.idempotence": true, '
CONSUMER = '{"bootstrap.servers": "a", "group.id": "g", "auto.offset.reset": "earliest", '
BINDING_FILES = [
    # confluent-kafka-go (`confCopy.extract`) and confluent-kafka-dotnet (ConfigPropertyNames)
    (PRODUCER + '"go.delivery.reports": false}', 1, IGNORED),
    (PRODUCER + '"dotnet.producer.enable.delivery.reports": false}', 1, IGNORED),
    (PRODUCER + '"go.delivery.reports": true, "go.batch.producer": true}', 0, "YES"),
    (PRODUCER + '"dotnet.producer.enable.background.poll": false}', 0, "until the code calls Poll"),
    (CONSUMER + '"go.events.channel.enable": true}', 0, "messages in a channel"),
    (
        CONSUMER + '"dotnet.consumer.consume.result.fields": "none"}',
        0,
        "belongs to the client's binding",
    ),
    (PRODUCER + '"go.foo": 1}', 2, 'No such configuration property: "go.foo"'),
    (PRODUCER + '"dotnet.producer.foo": 1}', 2, "No such configuration property"),
]


@pytest.mark.parametrize(("text", "code", "expected"), BINDING_FILES)
def test_settings_that_a_librdkafka_binding_reads_get_the_expected_answer(
    tmp_path: Path, text: str, code: int, expected: str
) -> None:
    assert_file(tmp_path / "c.json", text, LRK, READS_C, code, expected)


SPRING = (
    "spring.kafka.consumer.group-id=g\nspring.kafka.consumer.auto-offset-reset=none\n"
    "spring.kafka.consumer.isolation-level=read_committed\n"
    "spring.kafka.producer.transaction-id-prefix="
)
INCOMING, OUTGOING = "mp.messaging.incoming.o.", "mp.messaging.outgoing.p."
QUARKUS = (
    f"{INCOMING}connector=smallrye-kafka\n{INCOMING}auto.offset.reset=none\n"
    f"{INCOMING}isolation.level=read_committed\n{OUTGOING}connector=smallrye-kafka\n"
)
BINDER = "spring.cloud.stream.kafka.streams.binder."
FRAMEWORK_FILES = [
    # "the transactionIdPrefix must be unique per instance" (spring-kafka reference, Transactions)
    (f"{SPRING}tx-", 0, "is the same for each instance"),
    (f"{SPRING}tx-${{random.uuid}}", 0, "is new at each start"),
    (f"{SPRING}tx-${{HOSTNAME}}-", 0, "^(?!.*(same for each|new at each)).*YES"),
    # SmallRye, Kafka Transactions and Exactly-Once Processing; the default id of Quarkus
    (f"{QUARKUS}{INCOMING}commit-strategy=ignore\n{OUTGOING}transactional.id="
     "${quarkus.application.name}-${channelName}", 0, "KafkaTransactions, which commits"),
    (f"{QUARKUS}{INCOMING}commit-strategy=ignore\n{OUTGOING}transactional.id="
     "${quarkus.application.name}-${channelName}", 0, "is the same for each instance"),
    (f"{QUARKUS}{OUTGOING}transactional.id=t", 1, "NO"),
    (f"{QUARKUS}{INCOMING}commit-strategy=ignore", 2, "nothing commits"),
    (f"{QUARKUS}kafka-streams.processing.guarantee=exactly_once_v2", 2, "Streams is set up here"),
    # unsupported connectors and binders
    (f"{INCOMING}connector=helidon-kafka\n{INCOMING}auto.offset.reset=earliest", 2, "nothing is r"),
    (f"{BINDER}application-id=a\n{BINDER}configuration.commit.interval.ms=100", 2,
     "an application of the Kafka Streams binder"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code", "expected"), FRAMEWORK_FILES)
def test_framework_files_get_the_expected_answer(
    tmp_path: Path, text: str, code: int, expected: str
) -> None:
    settings = f"{TOPIC} {OFFSETS} application.processing.errors=retry"
    assert_file(tmp_path / "application.properties", text, ONCE, settings, code, expected)
