"""Configurations of frameworks, Kafka Streams and other products; answers follow from sources."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import (
    JAVA,
    LRK,
    SPARK,
    STREAMS,
    TOPIC,
    C,
    assert_answer,
    assert_file,
)

S = "--client streams"
EXTRACTOR = "streams.default.timestamp.extractor"
TIMES = "org.apache.kafka.streams.processor"
CONTINUE = (
    "streams.deserialization.exception.handler="
    "org.apache.kafka.streams.errors.LogAndContinueExceptionHandler"
)
API_TIMEOUT = "default.api.timeout.ms"
SMALLER = "must be no smaller than the value of request.timeout.ms"
SETTINGS = [
    # RecordQueue.updateHead drops records with a negative timestamp
    (S, f"{STREAMS} {EXTRACTOR}={TIMES}.LogAndSkipOnInvalidTimestamp", 1,
     "-> org.apache.kafka.streams.processor.UsePartitionTimeOnInvalidTimestamp"),
    (f"{S} --want exactly-once", f"{STREAMS} {EXTRACTOR}={TIMES}.LogAndSkipOnInvalidTimestamp "
     "streams.processing.guarantee=exactly_once_v2", 1, "effect_missing in unprocessable-message"),
    (S, f"{STREAMS} {EXTRACTOR}={TIMES}.LogAndSkipOnInvalidTimestamp {CONTINUE} "
     "streams.errors.dead.letter.queue.topic.name=d", 1, "negative timestamp is dropped"),
    (S, f"{STREAMS} {EXTRACTOR}={TIMES}.UsePartitionTimeOnInvalidTimestamp", 0, "^YES"),
    (S, f"{STREAMS} {EXTRACTOR}={TIMES}.FailOnInvalidTimestamp", 0, "^YES(?!.*S006)"),
    (S, f"{STREAMS} {EXTRACTOR}={TIMES}.WallclockTimestampExtractor", 0, "^YES(?!.*S006)"),
    (S, f"{STREAMS} {EXTRACTOR}=com.acme.FailOnInvalidTimestamp", 0, "S006 low"),
    # a custom class with the name of one of Kafka's classes
    (S, f"{STREAMS} streams.deserialization.exception.handler=com.acme.LogAndFailExceptionHandler",
     1, "effect_missing in unprocessable-message"),
    # commitSync() waits for default.api.timeout.ms; the client's own commits do not
    ("", f"{C} consumer.{API_TIMEOUT}=1", 1, "CANNOT WORK.*commitSync"),
    ("", f"{C} consumer.{API_TIMEOUT}=11", 0, "YES"),
    ("", f"{JAVA} consumer.{API_TIMEOUT}=1", 0, "YES"),
    (S, f"{STREAMS} consumer.{API_TIMEOUT}=1", 1, "CANNOT WORK"),
    (S, f"{STREAMS} consumer.{API_TIMEOUT}=1 streams.processing.guarantee=exactly_once_v2", 0,
     "YES"),
    (LRK, f"{C} consumer.{API_TIMEOUT}=1", 2, "There is no consumer setting"),
    ("--client spark", f"{SPARK} consumer.kafka.{API_TIMEOUT}=1", 2, SMALLER),
    ("--client spark", f"{SPARK} consumer.kafka.{API_TIMEOUT}=30000", 0, "YES"),
    # KIP-1071: the brokers configure standbys
    (S, f"{STREAMS} streams.group.protocol=streams streams.num.standby.replicas=1", 0,
     "group.streams.num.standby.replicas=0: the task waits"),
    (S, f"{STREAMS} streams.num.standby.replicas=1", 0, "num.standby.replicas=1: an instance"),
    # threads may process messages of one key concurrently
    ("--ordering", f"{C} application.processing=asynchronous application.commit.order=in-order", 1,
     "C012 high"),
    ("--ordering", f"{C} application.processing=asynchronous application.commit.order=in-order "
     "application.processing.order=by-key", 0, "^YES(?!.*C012)"),
    ("--ordering", f"{C} application.processing=parallel", 1, "processing.order: any -> by-key"),
    ("", f"{C} application.processing=parallel", 0, "^YES(?!.*C012)"),
    ("", f"{C} application.processing=asynchronous application.commit.order=in-order", 0,
     "^YES(?!.*C012)"),
    ("--ordering", C, 0, "^YES(?!.*C012)"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "settings", "code", "expected"), SETTINGS)
def test_settings_get_the_expected_answer(
    options: str, settings: str, code: int, expected: str
) -> None:
    assert_answer(options, settings, code, expected)


@pytest.mark.parametrize(("line", "code", "expected"), [
    (f"{API_TIMEOUT}=1", 2, SMALLER),
    (f"{API_TIMEOUT}=1\nadmin.request.timeout.ms=1", 2, "no request is answered in that time"),
    (f"{API_TIMEOUT}=20\nadmin.request.timeout.ms=21", 2, SMALLER),
    (f"{API_TIMEOUT}=20\nadmin.request.timeout.ms=20", 0, "YES"),
    (f"main.consumer.{API_TIMEOUT}=1", 1, "CANNOT WORK"),
    (f"{API_TIMEOUT}=30000", 0, "YES"),
])  # fmt: skip
def test_a_timeout_of_kafka_streams_gets_the_expected_answer(
    tmp_path: Path, line: str, code: int, expected: str
) -> None:
    file = tmp_path / "s.properties"
    assert_file(file, f"application.id=a\n{line}\n", "", STREAMS, code, expected)


DEFAULTS = "has its own defaults"
TO_LIBRDKAFKA = "choose --client librdkafka"
ON_JAVA = "ProducerConfig values"
PROGRAMS = [
    ('import "github.com/IBM/sarama"\nc.Producer.RequiredAcks = sarama.WaitForAll', "sarama",
     DEFAULTS),
    ("c := sarama.NewConfig()\nc.Producer.Retry.Max = 5", "sarama", DEFAULTS),
    ('import "github.com/twmb/franz-go/pkg/kgo"', "franz-go", DEFAULTS),
    ("w := &kafka.Writer{RequiredAcks: kafka.RequireAll}", "kafka-go", DEFAULTS),
    ("const { Kafka } = require('kafkajs')\nkafka.producer({ idempotent: true })", "KafkaJS",
     DEFAULTS),
    ('import { Kafka } from "kafkajs";', "KafkaJS", DEFAULTS),
    ('require "kafka"\nkafka.producer(required_acks: :all)', "ruby-kafka", DEFAULTS),
    ("config :brod, clients: []", "brod", DEFAULTS),
    ("import faust\napp = faust.App('a', broker='kafka://k')", "Faust", DEFAULTS),
    ("import bytewax.operators as op\nadd_config={'enable.auto.commit': False}", "Bytewax",
     "not covered"),
    ("from pyspark.streaming.kafka import KafkaUtils\nKafkaUtils.createDirectStream(s, ['t'], "
     "{'metadata.broker.list': 'k'})", "DStreams", "not covered"),
    ("import kafka.consumer.ConsumerConfig;\nnew ConsumerConfig(props);", "before 2.0",
     "Move to KafkaConsumer"),
    ("import kafka.javaapi.consumer.ConsumerConnector;\nKafkaUtils.createConsumer(p);",
     "before 2.0", "Move to KafkaConsumer"),
    ("new ConsumerConfig { GroupId = g };", "confluent-kafka-dotnet", TO_LIBRDKAFKA),
    ("camel:\n  component:\n    kafka:\n      acks: 1\n", "Camel", "not covered"),
    ('from("kafka:orders?autoOffsetReset=earliest").to("direct:x")', "Camel", "not covered"),
    ("from faststream.kafka import KafkaBroker\nb = KafkaBroker(acks='all')", "FastStream",
     DEFAULTS),
    ('p := kafka.NewProducer(&kafka.ConfigMap{\n  "acks": "1",\n})', "confluent-kafka-go",
     TO_LIBRDKAFKA),
    ("const c = require('node-rdkafka');\nnew c.Producer({'acks': 1});", "node-rdkafka",
     TO_LIBRDKAFKA),
    ("using Confluent.Kafka;\nvar c = new ProducerConfig { Acks = Acks.All };", "C#",
     TO_LIBRDKAFKA),
    ('use rdkafka::config::ClientConfig;\nClientConfig::new().set("acks", "1")', "rust-rdkafka",
     TO_LIBRDKAFKA),
    ("<?php\n$conf = new RdKafka\\Conf();\n$conf->set('acks', 'all');", "PHP", TO_LIBRDKAFKA),
    ('Rdkafka::Config.new({:"acks" => "all"})', "rdkafka-ruby", TO_LIBRDKAFKA),
    ('#include <librdkafka/rdkafka.h>\nrd_kafka_conf_set(c, "acks", "1", e, n);', "librdkafka",
     TO_LIBRDKAFKA),
    ('from quixstreams import Application\nApplication(consumer_extra_config={"auto.offset.reset": '
     '"earliest"})', "Quix Streams", TO_LIBRDKAFKA),
    ('import org.apache.kafka.clients.producer.*;\nprops.put("acks", "1");', "Java clients",
     "acks=all for ACKS_CONFIG"),
    ("import reactor.kafka.sender.SenderOptions;", "Reactor Kafka", ON_JAVA),
    ("import akka.kafka.scaladsl.Consumer", "Alpakka", ON_JAVA),
    ("import org.springframework.kafka.listener.MessageListener;",
     "Spring for Apache Kafka", ON_JAVA),
    ("import org.apache.flink.connector.kafka.sink.KafkaSink;", "Flink", "not covered"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "library", "instead"), PROGRAMS)
def test_a_program_with_an_unsupported_library_is_refused_with_its_name(
    tmp_path: Path, text: str, library: str, instead: str
) -> None:
    expected = rf"this is code with .*{library}.* Delivery Lab does not read.*{instead}"
    assert_file(tmp_path / "program.txt", text, "", TOPIC, 2, expected)


@pytest.mark.parametrize("comment", [
    '# const { Kafka } = require("kafkajs")', "! import org.apache.kafka.clients.producer.*",
    "# as in sarama.NewConfig()", "# use rdkafka::config",
])  # fmt: skip
def test_a_library_name_in_a_comment_does_not_make_a_program(tmp_path: Path, comment: str) -> None:
    assert_file(tmp_path / "p.properties", f"{comment}\nacks=all\n", "", JAVA, 0, "YES")


def test_spark_code_may_name_kafka_classes(tmp_path: Path) -> None:
    code = (
        "import org.apache.kafka.common.serialization.StringDeserializer\n"
        'spark.readStream.format("kafka").option("subscribe", "a")'
        '.option("startingOffsets", "earliest").load().writeStream.format("kafka")'
        '.option("checkpointLocation", "s3a://b/c").start()'
    )
    assert_file(tmp_path / "q.scala", code, "", TOPIC, 0, "YES")


BINDER = "spring.cloud.stream.kafka.streams.binder."
PRODUCTS = [
    ('output {\n  kafka {\n    topic_id => "t"\n  }\n}', "Logstash"),
    ('[sinks.k]\ntype = "kafka"\nbootstrap_servers = "b"', "Vector"),
    ("sinks:\n  k:\n    type: kafka\n    bootstrap_servers: b", "Vector"),
    ("[OUTPUT]\n    Name kafka\n    rdkafka.request.required.acks 1", "Fluent Bit"),
    ("<match **>\n  @type kafka2\n  required_acks -1\n</match>", "Fluentd"),
    ('[[outputs.kafka]]\n  required_acks = 1', "Telegraf"),
    ("output.kafka:\n  required_acks: 1", "Filebeat"),
    ("exporters:\n  otlp:\n  kafka/a:\n    brokers: [b]", "OpenTelemetry"),
    ('action(type="omkafka" confParam=["acks=1"])', "rsyslog"),
    ("spec:\n  type: pubsub.kafka\n  metadata: []", "Dapr"),
    ("output:\n  kafka_franz:\n    seed_brokers: [b]", "Redpanda Connect"),
    ("CREATE TABLE q (x UInt8) ENGINE = Kafka SETTINGS kafka_broker_list='b'", "ClickHouse"),
    ("CREATE TABLE o (i INT) WITH (\n 'connector' = 'kafka',\n 'properties.acks' = '1')", "Flink"),
    ("CREATE STREAM s (i INT) WITH (KAFKA_TOPIC='t', VALUE_FORMAT='JSON');", "ksqlDB"),
    ("clusters = a, b\na.bootstrap.servers = a\nreplication.factor=3", "MirrorMaker 2"),
    ("name=m\nconnector.class=org.apache.kafka.connect.mirror.MirrorSourceConnector", "Connect"),
    ("key.converter=x\nproducer.acks=1\nexactly.once.source.support=enabled", "Kafka Connect"),
    ("ksql.streams.num.standby.replicas=1\nbootstrap.servers=b", "ksqlDB"),
    ("debezium.sink.kafka.producer.acks=1", "Debezium"),
    ("bootstrap.servers=b\nmetric.sampler.class=x\nwebserver.http.port=9090",
     "2 of 3 names in this file are not settings of such a file"),
    (f"{BINDER}configuration.acks=1\n{BINDER}deserialization-exception-handler=logAndContinue",
     "Kafka Streams binder"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), PRODUCTS)
def test_a_file_of_another_product_is_refused_with_the_name_of_the_product(
    tmp_path: Path, text: str, expected: str
) -> None:
    assert_file(tmp_path / "a.conf", f"{text}\n", "", JAVA, 2, expected)


def test_a_container_named_kafka_is_not_refused_as_another_product(tmp_path: Path) -> None:
    text = (
        "apiVersion: apps/v1\nkind: StatefulSet\n"
        "spec:\n  replicas: 3\n  template:\n    spec:\n      containers:\n"
        "      - name: kafka\n        image: apache/kafka:4.1.0\n        env:\n"
        "        - name: KAFKA_MIN_INSYNC_REPLICAS\n          value: '2'\n"
    )
    assert_file(tmp_path / "a.yml", text, "", JAVA, 1, "a broker whose pod is deleted comes back")


TOPIC_COPIES = "topic.replication.factor=3 topic.min.insync.replicas=2"
COPIES = "kafka-streams.replication.factor=3\nkafka-streams.topic.min.insync.replicas=2\n"
QUARKUS = [
    (f"quarkus.kafka-streams.application-id=a\n{COPIES}", 0, "^YES.*For streams 4.3 clients"),
    (f"{COPIES}kafka-streams.producer.acks=1", 1, "producer.acks: 1 -> all"),
    (f"{COPIES}kafka-streams.{CONTINUE.removeprefix('streams.')}", 1, "LogAndContinue"),
    (f"{COPIES}%dev.kafka-streams.producer.acks=1", 0, "in profile dev is not read"),
    (f"{COPIES}%prod.kafka-streams.producer.acks=1", 1, "producer.acks: 1 -> all"),
    (f"{COPIES}quarkus.kafka-streams.producer.acks=1\nkafka-streams.producer.acks=all", 0, "YES"),
    (f"{COPIES}kafka-streams.application.id=${{APP}}", 0, "YES"),
    ("quarkus:\n  kafka-streams:\n    application-id: a\nkafka-streams:\n  producer.acks: '0'\n"
     "  replication.factor: 3\n  topic.min.insync.replicas: 2", 1, "producer.acks: 0 -> all"),
    ("mp.messaging.outgoing.a.connector=smallrye-kafka\nkafka-streams.producer.acks=1", 2,
     "2: Kafka Streams is set up here, too"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code", "expected"), QUARKUS)
def test_kafka_streams_in_quarkus_gets_the_expected_answer(
    tmp_path: Path, text: str, code: int, expected: str
) -> None:
    assert_file(tmp_path / "application.properties", text, "", TOPIC_COPIES, code, expected)


WITH_BINDER = "spring.cloud.stream.kafka.streams.binder.configuration.auto.offset.reset=latest\n"
WITH_BINDER += "spring.cloud.stream.kafka.binder.brokers=a:9092\n"
WITH_BINDER += "spring.cloud.stream.bindings.in-0.group=g\n"


@pytest.mark.parametrize(("text", "option", "code", "expected"), [
    (WITH_BINDER, "", 2, "Kafka Streams binder, whose names are not read"),
    (WITH_BINDER, "--only in-0", 1, "the binder sets it to earliest"),
    (QUARKUS[-1][0], "--only a", 1, "the connector uses acks=1"),
    (QUARKUS[-1][0], "--kind quarkus-streams", 1, "producer.acks: 1 -> all"),
])  # fmt: skip
def test_kafka_streams_with_another_client_gets_the_expected_answer(
    tmp_path: Path, text: str, option: str, code: int, expected: str
) -> None:
    path = tmp_path / "application.properties"
    assert_file(path, text, option, TOPIC_COPIES, code, expected)


MICRONAUT = "kafka:\n  streams:\n    default:\n      application.id: a\n      producer.acks: 1\n"
BINDINGS = "  cloud:\n    stream:\n      bindings:\n        a-out-0:\n          destination: t\n"
CLIENTS = (
    "spring:\n  kafka:\n    producer:\n      acks: all\n"
    "    consumer:\n      auto-offset-reset: earliest\n"
)
RETRIED = f"{TOPIC} application.processing.errors=retry application.restart=resumes"
FRAMEWORKS = [
    (MICRONAUT, "", STREAMS, 1, "producer.acks: 1 -> all"),
    ("kafka.streams.default.producer.acks=1", "", STREAMS, 1, "producer.acks: 1 -> all"),
    ("kafka:\n  streams:\n    a:\n      producer.acks: 1\n    b:\n      producer.acks: 1\n", "",
     STREAMS, 2, "a, b: one pipeline has one Streams application"),
    ("kafka:\n  producers:\n    default:\n      acks: all\n  streams:\n    default:\n      a: 1\n",
     "", JAVA, 0, "give them as streams.properties"),
    # bindings of the configured binder, which does not check the result of a send
    (CLIENTS + BINDINGS, "", RETRIED, 1, "application.delivery.errors: ignored -> handled"),
    (f"{CLIENTS}{BINDINGS}          binder: kafka1\n", "", RETRIED, 1, "ignored -> handled"),
    (f"{CLIENTS}{BINDINGS}          binder: rabbit\n", "", RETRIED, 0, "YES"),
    (f"{CLIENTS}{BINDINGS}      rabbit:\n        default: {{}}\n        a: {{b: 1}}\n", "",
     RETRIED, 0, "YES"),
    (f"spring:\n{BINDINGS}", "", RETRIED, 2, "say the kind: spring"),
    (f"spring:\n{BINDINGS}", "--kind spring", JAVA, 1, "application.delivery.errors: ignored"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "options", "settings", "code", "expected"), FRAMEWORKS)
def test_framework_files_get_the_expected_answer(
    tmp_path: Path, text: str, options: str, settings: str, code: int, expected: str
) -> None:
    assert_file(tmp_path / "application.yml", text, options, settings, code, expected)


QUERY = (
    'spark.readStream.format("kafka").option("subscribe", "a")'
    '.option("startingOffsets", "earliest").load()'
)
SINK = '{}.writeStream.format("{}").option("checkpointLocation", "{}").start("s3a://t")'
SINKS = [
    (SINK.format(QUERY, "delta", "s3a://c"), 0, "takes each batch once"),
    (SINK.format(QUERY, "parquet", "s3a://c"), 0, "YES"),
    (SINK.format(QUERY, "parquet", "/tmp/c"), 1, "application.checkpoint=local"),
    (SINK.format(QUERY, "console", "s3a://c"), 1, "application.sink=plain"),
    (SINK.format(QUERY, "memory", "s3a://c"), 2, "a sink of format memory is for tests"),
    (f'{QUERY}.writeStream.option("checkpointLocation", "s3a://c").toTable("t")', 0,
     "a table or folder takes each batch once"),
    (f'{QUERY}.writeStream.option("checkpointLocation", "s3a://c").start("s3a://t")', 0, "YES"),
    (f'{QUERY}.writeStream.option("checkpointLocation", "s3a://c").start()', 1, "sink=plain"),
    (f"{SINK.format(QUERY, 'delta', 's3a://c')}\n{SINK.format(QUERY, 'kafka', 's3a://d')}", 1,
     "application.sink=plain"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "exit_code", "expected"), SINKS)
def test_a_spark_sink_is_judged_by_its_format(
    tmp_path: Path, code: str, exit_code: int, expected: str
) -> None:
    assert_file(tmp_path / "q.py", code, "--want exactly-once", TOPIC, exit_code, expected)


OUT, IN = "mp.messaging.outgoing.", "mp.messaging.incoming."
BOUND = "spring.cloud.stream.kafka.bindings."
START = '.option("checkpointLocation", "s3a://a").start()'
SEVERAL_CLIENTS = [
    (f"{OUT}a.connector=smallrye-kafka\n{OUT}a.acks=1\n{OUT}b.connector=smallrye-kafka\n"
     f"{OUT}b.acks=all", 2, "acks differs from line 2. The file has several producers"),
    (f"{OUT}a.connector=smallrye-kafka\n{OUT}a.acks=all\n{OUT}b.connector=smallrye-kafka", 2,
     "acks differs from another one, which does not state it"),
    (f"kafka.acks=all\n{OUT}a.connector=smallrye-kafka\n{OUT}b.connector=smallrye-kafka", 0, "YES"),
    (f"{OUT}a.connector=smallrye-kafka\n{OUT}a.acks=all\n{OUT}b.connector=smallrye-kafka\n"
     f"{OUT}b.acks=all\n{OUT}b.topic=t", 0, "YES"),
    (f"{IN}a.connector=smallrye-kafka\n{IN}a.failure-strategy=ignore\n"
     f"{IN}b.connector=smallrye-kafka\nkafka.auto.offset.reset=earliest", 2,
     "processing.errors differs from another one"),
    (f"{BOUND}a-out-0.producer.sync=true\n{BOUND}a-out-0.producer.configuration.acks=1\n"
     f"{BOUND}b-out-0.producer.sync=true\n{BOUND}b-out-0.producer.configuration.acks=all", 2,
     "acks differs from line 2"),
    (f"spring.cloud.stream.kafka.binder.required-acks=all\n{BOUND}a-out-0.producer.sync=true\n"
     f"{BOUND}b-out-0.producer.sync=false", 1, "application.delivery.errors: ignored -> handled"),
    ("kafka:\n  producers:\n    a:\n      acks: 1\n    b:\n      acks: all", 2, "acks differs"),
    ("kafka:\n  producers:\n    a:\n      acks: all\n    b:\n      acks: all", 0, "YES"),
    ("a = Producer({'bootstrap.servers': 'b', 'acks': '1'})\n"
     "b = Producer({'bootstrap.servers': 'b', 'acks': 'all'})", 2, "acks differs from line 1"),
    ("base = {'acks': '0'}\na = Producer({'bootstrap.servers': 'b', **base})", 1, "acks: 0 -> all"),
    ("c = {'bootstrap.servers': 'b', 'acks': 'all'}\nc.update(acks='0')", 1, "acks: 0 -> all"),
    ("c = {'bootstrap.servers': 'b'}\nc.setdefault('acks', '0')", 1, "acks: 0 -> all"),
    ("ACKS = '0'\nc = {'bootstrap.servers': 'b', 'acks': ACKS}", 1, "acks: 0 -> all"),
    ("ACKS = '0'\nACKS = f()\nc = {'bootstrap.servers': 'b', 'acks': ACKS}", 2,
     "acks is not a plain value here. Write the one that counts"),
    ("import os\nc = {'bootstrap.servers': os.environ['B'], 'acks': 'all'}", 0, "not read"),
    ("go.delivery.reports=false\nbootstrap.servers=b\nlinger.ms=5", 1,
     "application.delivery.errors: ignored -> handled"),
]  # fmt: skip
READER = f"{C} application.processing.errors=retry"


@pytest.mark.parametrize(("text", "code", "expected"), SEVERAL_CLIENTS)
def test_several_clients_in_one_file_get_the_expected_answer(
    tmp_path: Path, text: str, code: int, expected: str
) -> None:
    settings = TOPIC if "earliest" in text else READER
    assert_file(tmp_path / "a.conf", f"{text}\n", "", settings, code, expected)


@pytest.mark.parametrize(("first", "second", "code", "expected"), [
    ('"startingOffsets", "latest"', '"startingOffsets", "earliest"', 2, "startingOffsets differs"),
    ('"startingOffsets", "earliest"', '"startingOffsets", "earliest"', 0, "YES"),
])  # fmt: skip
def test_queries_in_one_file_must_have_the_same_settings(
    tmp_path: Path, first: str, second: str, code: int, expected: str
) -> None:
    text = "\n".join(
        f'spark.readStream.format("kafka").option("subscribe", "{topic}").option({start}).load()'
        f'.writeStream.format("kafka").option("topic", "o"){START.replace("//a", f"//{topic}")}'
        for topic, start in (("a", first), ("b", second))
    )
    assert_file(tmp_path / "q.py", text, "", TOPIC, code, expected)


def test_heartbeat_settings_are_not_taken_for_elastic_heartbeat(tmp_path: Path) -> None:
    text = "heartbeat.interval.ms=1000\nauto.offset.reset=earliest\n"
    assert_file(tmp_path / "c.properties", text, "", JAVA, 0, "YES")
