"""Files of whole applications: settings of Kafka are read, and everything else is skipped."""

from __future__ import annotations

import pytest

from advisor.catalog import Family
from advisor.intake import Intake, Product, read
from advisor.intake.inputs import Inputs
from advisor.intake.programs.code_facts import NOTE as OF_A_PROGRAM

JAVA = Product(Family.JAVA, "4.3", "4.3")


def _read(text: str) -> Intake:
    intake = read(text, JAVA)
    assert [problem.message for problem in intake.problems] == []
    return intake


def test_a_dict_without_client_settings_is_skipped() -> None:
    text = (
        "registry = SchemaRegistryClient({'url': 'http://r'})\n"
        "producer = Producer({'acks': 'all'})\n"
        "admin.create_topics([NewTopic('t', 3, 3, config={'min.insync.replicas': '2'})])\n"
        "producer.produce('t', b'x', headers={'trace': '1'}, callback=heard)\n"
    )
    intake = _read(text)
    topic = {"topic.replication.factor": 3, "topic.min.insync.replicas": 2}
    assert intake.settings == {"producer.acks": "all", **topic}
    assert intake.notes == [
        *(f"Line {line}: a dict without a setting of a client: not read." for line in (1, 4)),
        OF_A_PROGRAM,
    ]


def test_an_unknown_setting_of_a_client_is_refused() -> None:
    text = "p = Producer({'nonsense': 1})\nc = Consumer({'group.id': 'g'})"
    [problem] = read(text, JAVA).problems
    assert problem.message == 'Line 1: No such configuration property: "nonsense"'


FROM_MAPS = {
    "consumer.startingOffsets": "earliest", "consumer.failOnDataLoss": False, "producer.acks": "1",
}  # fmt: skip


@pytest.mark.parametrize("code", [
    'val o = Map("startingOffsets" -> "earliest", "failOnDataLoss" -> "false")\n'
    "spark.readStream.format(\"kafka\").options(o).load()\n"
    'val sink = Map("kafka.acks" -> "1", "x" -> "y")',
    'o.put("startingOffsets", "earliest"); o.put("failOnDataLoss", "false");\n'
    'spark.readStream().format("kafka").options(o);\n'
    'df.writeStream().options(Map.of("topic", "t", "kafka.acks", "1"));',
    'spark.readStream()\n'
    'val o = mapOf("startingOffsets" to "earliest", "failOnDataLoss" to false)\n'
    '// "kafka.acks" to "all"\nval s = mapOf("kafka.acks" to "1")',
    '{"source": {"startingOffsets": "earliest", "failOnDataLoss": false},\n'
    ' "sink": {"kafka.acks": "1"}}',
])  # fmt: skip
def test_spark_options_are_read_from_maps(code: str) -> None:
    assert _read(code).settings == FROM_MAPS


HOURS = "process.roles=broker\nlog.retention.hours=2\nlog.cleanup.policy=compact\n"
CLUSTER = (
    "Default configs for brokers in the cluster are:\n  min.insync.replicas=2 sensitive=false "
    "synonyms={DYNAMIC_DEFAULT_BROKER_CONFIG:min.insync.replicas=2}\n"
)


def test_a_broker_default_for_topics_counts_for_the_topic() -> None:
    intake = _read(HOURS)
    assert intake.settings == {"topic.retention.ms": 7_200_000, "topic.cleanup.policy": "compact"}
    note = "Line 2: log.retention.hours counts for a topic that does not set retention.ms."
    assert note in intake.notes


@pytest.mark.parametrize(("lines", "retention_ms"), [
    ("log.retention.hours=1\nlog.retention.minutes=5\n", 300_000),
    ("log.retention.ms=1000\nlog.retention.minutes=5\nlog.retention.hours=1\n", 1000),
    ("log.retention.hours=-1\n", -1),
])  # fmt: skip
def test_the_retention_with_the_finer_unit_counts(lines: str, retention_ms: int) -> None:
    assert _read(f"process.roles=broker\n{lines}").settings == {"topic.retention.ms": retention_ms}


@pytest.mark.parametrize("brokers_first", [True, False])
@pytest.mark.parametrize(("brokers", "field", "topic_value"), [
    (HOURS, "retention.ms", "86400000"), (CLUSTER, "min.insync.replicas", "1"),
])  # fmt: skip
def test_a_topic_setting_overrides_the_broker_default_in_either_order(
    brokers: str, field: str, topic_value: str, brokers_first: bool
) -> None:
    topic = (
        f"Dynamic configs for topic t are:\n  {field}={topic_value} sensitive=false synonyms={{}}\n"
    )
    inputs = Inputs()
    for text in (brokers, topic) if brokers_first else (topic, brokers):
        inputs.add_text("a file", text)
    assert inputs.fields[f"topic.{field}"] == topic_value


def test_a_cluster_wide_default_is_not_read_as_a_line_of_a_broker_file() -> None:
    offsets = "application.offsets.topic.min.insync.replicas"
    assert _read(CLUSTER).settings == {"topic.min.insync.replicas": 2, offsets: 2}
    unclean = CLUSTER.replace("min.insync.replicas=2", "unclean.leader.election.enable=true")
    for_topics = {"topic.unclean.leader.election.enable": True}
    # __consumer_offsets has it too, because it is created without a value of its own
    assert _read(unclean).settings == {**for_topics, "broker.unclean.leader.election.enable": True}


COMPOSE = """services:
  kafka:
    image: confluentinc/cp-kafka:${CP:-7.6.1}
    volumes: ['d:/var/lib/kafka/data']
    environment: {KAFKA_NODE_ID: 1, KAFKA_MIN_INSYNC_REPLICAS: 2}
  app:
    image: example/app
    environment:
      - KAFKA_MIN_INSYNC_REPLICAS=1
      - KAFKA_RETENTION_MS=1000
      - SPRING_KAFKA_PRODUCER_ACKS=1
"""


def test_variables_of_an_application_are_not_read_as_broker_settings() -> None:
    intake = _read(COMPOSE)
    assert intake.settings == {"broker.min.insync.replicas": 2, "producer.acks": "1"}
    assert (
        "Line 9: the KAFKA_… of app are those of its application and are not read." in intake.notes
    )
    assert intake.heads["kafka"] == "3.6"


def test_an_image_tag_may_begin_with_the_scala_version() -> None:
    text = COMPOSE.replace("confluentinc/cp-kafka:${CP:-7.6.1}", "wurstmeister/kafka:2.13-2.8.1")
    assert _read(text).heads["kafka"] == "2.8"


def test_spring_settings_of_listeners_are_not_passed_to_kafka_streams() -> None:
    text = (
        "spring:\n  kafka:\n    producer: {acks: 1, retries: 0}\n    listener: {ack-mode: record}\n"
        "    streams:\n      application-id: a\n      properties: {producer.acks: all}\n"
    )
    intake = _read(text)
    assert intake.heads["family"] == Family.STREAMS
    assert intake.settings == {"streams.application.id": "stated", "producer.acks": "all"}
    assert intake.notes == [
        "Line 3: spring.kafka.producer is not passed to Kafka Streams: not read.",
        "Line 4: spring.kafka.listener is not passed to Kafka Streams: not read.",
    ]


def test_an_application_with_kafka_streams_switched_off_is_a_plain_client() -> None:
    intake = _read("spring.kafka.streams.auto-startup=false\nspring.kafka.producer.acks=1\n")
    assert intake.heads["family"] == Family.JAVA
    assert intake.settings == {"producer.acks": "1"}


def test_the_source_of_settings_of_a_described_topic_is_unknown() -> None:
    text = "Topic: t\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: min.insync.replicas=2\n"
    intake = _read(text)
    assert intake.settings == {"topic.replication.factor": 3, "topic.min.insync.replicas": 2}
    [note] = intake.notes
    assert note.startswith("Line 1: min.insync.replicas is in force; kafka-configs")


def test_compose_services_of_products_with_their_own_clients_are_named() -> None:
    text = (
        "services:\n  k:\n    environment: [KAFKA_NODE_ID=1]\n  c:\n    environment:\n"
        "      CONNECT_PRODUCER_ACKS: 1\n      CONNECT_GROUP_ID: g\n"
        "  q:\n    environment: [KSQL_BOOTSTRAP_SERVERS=k]\n"
    )
    notes = [note for note in _read(text).notes if "clients by its own rules" in note]
    assert [note.partition(" belong")[0] for note in notes] == [
        "Line 6: the CONNECT_… of c", "Line 9: the KSQL_… of q",
    ]  # fmt: skip
