"""More configurations as people have them: of readers, Spark, Kafka Streams and frameworks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import JAVA, LRK, TOPIC, assert_answer, assert_file
from tests.advisor.programs import IGNORED

ONCE = "--want exactly-once"
OFFSETS = "application.offsets.topic.min.insync.replicas=2"
MERGED = f"{TOPIC} application.sink=idempotent"
QUERY = (
    '(spark.readStream.format("kafka").option("subscribe", "a")'
    '.option("startingOffsets", "earliest"){}.load()\n.writeStream{}.start())'
)
S3 = '.option("checkpointLocation", "s3a://b/c")'
TO_KAFKA = f'{S3}.format("kafka").option("topic", "b")'
OTHER = TO_KAFKA.replace("s3a://b/c", "s3a://b/d")
REAL_TIME = '.trigger(realTime="5 minutes")'
ASYNC = '.option("asyncProgressTrackingEnabled", "true")'


@pytest.mark.parametrize("place", [
    "/dev/shm/c", "/run/c", "/var/run/c", "file:///dev/shm/c", "FILE:/run/c", "/var/tmp/c",
    "/private/tmp/c", "//dev/shm/c", "/data/../tmp/c",
])  # fmt: skip
def test_a_checkpoint_in_a_folder_that_a_boot_empties_is_local(tmp_path: Path, place: str) -> None:
    code = QUERY.format("", f'.option("checkpointLocation", "{place}").foreachBatch(f)')
    assert_file(tmp_path / "q.py", code, ONCE, MERGED, 1, "application.checkpoint=local")


@pytest.mark.parametrize("place", ["/runner/c", "/data/run/c", "hdfs:///tmp/c"])
def test_another_checkpoint_is_not(tmp_path: Path, place: str) -> None:
    code = QUERY.format("", f'.option("checkpointLocation", "{place}").foreachBatch(f)')
    assert_file(tmp_path / "q.py", code, ONCE, MERGED, 0, "YES")


def test_a_checkpoint_without_a_file_system_is_said_to_be_assumed(tmp_path: Path) -> None:
    code = QUERY.format("", '.option("checkpointLocation", "/data/c").foreachBatch(f)')
    assert_file(tmp_path / "q.py", code, ONCE, MERGED, 0, "fs.defaultFS decides")


OF_SPARK = [
    # KafkaSourceProvider.scala, validateGeneralOptions
    (QUERY.format('.option("subscribePattern", "a.*")', TO_KAFKA), "", 2, "Only one of the follow"),
    (QUERY.format('.option("assign", \'{"a": [0]}\')', TO_KAFKA), "", 2, "Only one of the followi"),
    ("kafka.acks=all\nsubscribe=t\nsubscribePattern=t.*\nstartingOffsets=earliest", "", 2, "Only"),
    (QUERY.replace("subscribe", "assign").format("", TO_KAFKA) + "\n" + QUERY.format("", OTHER),
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


@pytest.mark.parametrize(("code", "options", "exit_code", "expected"), OF_SPARK)
def test_code_of_spark(
    tmp_path: Path, code: str, options: str, exit_code: int, expected: str
) -> None:
    assert_file(tmp_path / "q.py", code, options, TOPIC, exit_code, expected)


def test_a_lost_checkpoint_is_no_yes_for_a_sink_that_merges_as_far_as_anybody_says() -> None:
    settings = f"{MERGED} consumer.startingOffsets=earliest application.checkpoint=local"
    assert_answer(f"{ONCE} --client spark", settings, 1, "only its code shows that")


ERRORS = "org.apache.kafka.streams.errors."
SKIPS = f"streams.deserialization.exception.handler={ERRORS}LogAndContinueExceptionHandler"
SKIPS_TOO = f"streams.processing.exception.handler={ERRORS}LogAndContinueProcessingExceptionHandler"
STREAMS = f"{TOPIC} streams.replication.factor=3 streams.topic.min.insync.replicas=2"
LETTERS = "streams.errors.dead.letter.queue.topic.name=dead"
OF_STREAMS = [
    # KIP-1034: the letter goes with the output, before the offset is committed
    ("", f"{STREAMS} {SKIPS}", 1, "effect_missing in unprocessable-message"),
    ("", f"{STREAMS} {SKIPS} {SKIPS_TOO} {LETTERS}", 0, "YES"),
    ("", f"{STREAMS} {SKIPS} {LETTERS}", 0, "dead-letter-refused"),
    ("--ordering", f"{STREAMS} {SKIPS} {LETTERS}", 1, "key_reordered in unprocessable-message"),
    ("", f"{STREAMS} streams.deserialization.exception.handler=com.acme.H {LETTERS}", 1, "NO"),
    ("", f"{STREAMS} {SKIPS} {LETTERS} streams.processing.exception.handler=com.acme.H", 1, "NO"),
    ("", f"{STREAMS} {LETTERS} streams.production.exception.handler=com.acme.H", 1, "NO"),
    # StreamsConfig.verifyTopologyOptimizationConfigs
    ("", f"{STREAMS} streams.topology.optimization=foo", 2, "Unrecognized config"),
    ("", f"{STREAMS} streams.topology.optimization=none,all", 2, "not a valid optimization config"),
    ("", f"{STREAMS} streams.topology.optimization=merge.repartition.topics,"
     "single.store.self.join", 0, "YES"),
    ("", f"{STREAMS} streams.topology.optimization=all", 0, "YES"),
    # TopologyMetadata.numStreamThreads
    ("", f"{STREAMS} streams.num.stream.threads=0", 2, "without a thread"),
    ("", f"{STREAMS} streams.num.stream.threads=8", 0, "YES"),
    # a folder that a boot empties is read back from the changelog
    ("", f"{STREAMS} streams.state.dir=/dev/shm/a", 0, "S004 low: state.dir=/dev/shm"),
    ("", f"{STREAMS} streams.state.dir=/data/a", 0, "^(?!.*S004).*YES"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "settings", "code", "expected"), OF_STREAMS)
def test_settings_of_streams(options: str, settings: str, code: int, expected: str) -> None:
    assert_answer(f"--client streams {options}", settings, code, expected)


def test_a_line_without_dead_letters_passes_over_its_topic(tmp_path: Path) -> None:
    text = f"application.id=a\n{SKIPS.removeprefix('streams.')}\n{LETTERS.removeprefix('streams.')}"
    options = "--client streams --client-version 4.1"
    assert_file(tmp_path / "streams.properties", text, options, STREAMS, 1, "does nothing in this")


READS = f"{TOPIC} consumer.auto.offset.reset=earliest application.restart=resumes "
READS_C = f"{READS} application.commit=after-processing consumer.enable.auto.commit=false"
STORED = "consumer.enable.auto.offset.store=false"
IN_TRANSACTION = (
    f"{TOPIC} {OFFSETS} producer.transactional.id=t application.commit=in-transaction "
    "consumer.isolation.level=read_committed application.restart=resumes"
)
ORDER = "--want none --ordering"
BLIND = f"{TOPIC} producer.acks=all producer.enable.idempotence=false"
ALONE = "producer.max.in.flight.requests.per.connection=1"
OF_CLIENTS = [
    # librdkafka's 0 starts no timer (rd_kafka_cgrp_new); Java's commits with each poll
    (LRK, f"{READS} {STORED} consumer.auto.commit.interval.ms=0", 0,
     "interval.ms=0 only when its partitions are revoked or it closes"),
    (LRK, f"{READS} {STORED} consumer.auto.commit.interval.ms=0 application.rate=1000", 0,
     "^(?!.*Messages delivered again when a reader crashes).*YES"),
    (LRK, f"{READS} {STORED} application.rate=1000", 0, "reader crashes, at most: 5,000"),
    ("", f"{READS} consumer.auto.commit.interval.ms=0", 0, "the client commits every 0 ms"),
    # positions that are not in the group (rdkafka_assignment.c)
    (LRK, f"{READS_C} consumer.topic.blacklist=^orders", 2, "hides each topic that matches"),
    (LRK, f"{READS_C} producer.topic.blacklist=orders", 2, "hides each topic that matches"),
    (LRK, f"{READS_C} consumer.offset.store.method=file", 2, "keeps no position in the group"),
    (LRK, f"{READS_C} consumer.offset.store.method=none", 2, "keeps no position in the group"),
    (LRK, f"{READS_C} consumer.offset.store.method=broker", 0, "YES"),
    # what is not stored is not committed beside a transaction
    (f"{LRK} {ONCE}", f"{IN_TRANSACTION} {STORED} consumer.enable.auto.commit=true "
     "consumer.auto.offset.reset=error", 0, "YES"),
    (f"{LRK} {ONCE}", f"{IN_TRANSACTION} consumer.enable.auto.commit=true "
     "consumer.auto.offset.reset=error", 1,
     "enable.auto.commit: true -> false.*outside the transaction"),
    # a send that failed has its transaction aborted before another send is taken
    (ONCE, f"{IN_TRANSACTION} application.resend=on-error consumer.enable.auto.commit=false "
     "consumer.auto.offset.reset=none", 0, "YES"),
    (ONCE, f"{JAVA} application.resend=on-error", 1, "duplicate.* in delivery-timeout"),
    # with 1 in flight a retry is there before what is behind it (Sender, guaranteeMessageOrder);
    # what is not sent again may still come, by a connection that is closed
    (ORDER, f"{BLIND} {ALONE} producer.request.timeout.ms=100", 0, "YES"),
    (ORDER, f"{BLIND} {ALONE} producer.request.timeout.ms=100 producer.delivery.timeout.ms=5000", 1,
     "reordered in .*may still be on its way in the connection"),
    (ORDER, f"{BLIND} producer.retries=0", 1, "reordered in acknowledgement-lost"),
    (ORDER, f"{TOPIC} producer.acks=0", 1, "reordered in acknowledgement-lost"),
    (ORDER, f"{TOPIC} producer.delivery.timeout.ms=31000", 0, "YES"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "settings", "code", "expected"), OF_CLIENTS)
def test_settings_of_clients(options: str, settings: str, code: int, expected: str) -> None:
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
def test_a_consumer_of_a_share_group_is_none_of_a_group(
    tmp_path: Path, name: str, code: str
) -> None:
    assert_file(tmp_path / name, code, "", READS, 2, r"ShareConsumer: .*share group \(KIP-932\)")


SENDS = '{"bootstrap.servers": "a", "acks": "all", "enable.idempotence": true, '
TAKES = '{"bootstrap.servers": "a", "group.id": "g", "auto.offset.reset": "earliest", '
OF_BINDINGS = [
    # confluent-kafka-go (`confCopy.extract`) and confluent-kafka-dotnet (ConfigPropertyNames)
    (SENDS + '"go.delivery.reports": false}', 1, IGNORED),
    (SENDS + '"dotnet.producer.enable.delivery.reports": false}', 1, IGNORED),
    (SENDS + '"go.delivery.reports": true, "go.batch.producer": true}', 0, "YES"),
    (SENDS + '"dotnet.producer.enable.background.poll": false}', 0, "until the code calls Poll"),
    (TAKES + '"go.events.channel.enable": true}', 0, "messages in a channel"),
    (
        TAKES + '"dotnet.consumer.consume.result.fields": "none"}',
        0,
        "belongs to the client's binding",
    ),
    (SENDS + '"go.foo": 1}', 2, 'No such configuration property: "go.foo"'),
    (SENDS + '"dotnet.producer.foo": 1}', 2, "No such configuration property"),
]


@pytest.mark.parametrize(("text", "code", "expected"), OF_BINDINGS)
def test_names_that_a_binding_takes_for_itself(
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
OF_FRAMEWORKS = [
    # "the transactionIdPrefix must be unique per instance" (spring-kafka reference, Transactions)
    (f"{SPRING}tx-", 0, "is the same for each instance"),
    (f"{SPRING}tx-${{random.uuid}}", 0, "is new at each start"),
    (f"{SPRING}tx-${{HOSTNAME}}-", 0, "^(?!.*(same for each|new at each)).*YES"),
    # SmallRye, Kafka Transactions and Exactly-Once Processing; Quarkus' own default of the id
    (f"{QUARKUS}{INCOMING}commit-strategy=ignore\n{OUTGOING}transactional.id="
     "${quarkus.application.name}-${channelName}", 0, "KafkaTransactions, which commits"),
    (f"{QUARKUS}{INCOMING}commit-strategy=ignore\n{OUTGOING}transactional.id="
     "${quarkus.application.name}-${channelName}", 0, "is the same for each instance"),
    (f"{QUARKUS}{OUTGOING}transactional.id=t", 1, "NO"),
    (f"{QUARKUS}{INCOMING}commit-strategy=ignore", 2, "nothing commits"),
    (f"{QUARKUS}kafka-streams.processing.guarantee=exactly_once_v2", 2, "Streams is set up here"),
    # nothing that is known
    (f"{INCOMING}connector=helidon-kafka\n{INCOMING}auto.offset.reset=earliest", 2, "nothing is r"),
    (f"{BINDER}application-id=a\n{BINDER}configuration.commit.interval.ms=100", 2,
     "an application of the Kafka Streams binder"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code", "expected"), OF_FRAMEWORKS)
def test_files_of_frameworks(tmp_path: Path, text: str, code: int, expected: str) -> None:
    settings = f"{TOPIC} {OFFSETS} application.processing.errors=retry"
    assert_file(tmp_path / "application.properties", text, ONCE, settings, code, expected)
