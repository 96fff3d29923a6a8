"""Whole files as teams have them: every setting is read, and no secret is."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from django.apps import apps
from django.test import Client

from advisor.catalog import Family
from advisor.intake import Product, detect, read
from advisor.intake.file_text import FileProblem, decoded

FILES = Path(__file__).parent.with_name("files")
JAVA = Product(Family.JAVA, "4.4", "4.3")
SECRET = "hunter2"

EXPECTED = {
    "application.yml": ("spring", {"family": "java"}, {
        "producer.acks": "1", "producer.retries": 3, "producer.batch.size": 32768,
        "producer.transactional.id": "stated", "producer.linger.ms": 20,
        "producer.max.in.flight.requests.per.connection": 5, "producer.delivery.timeout.ms": 60000,
        "consumer.auto.offset.reset": "earliest", "consumer.enable.auto.commit": False,
        "consumer.max.poll.records": 250, "consumer.isolation.level": "read_committed",
        "consumer.max.poll.interval.ms": 600000, "consumer.session.timeout.ms": 30000,
        "application.framework": "spring", "application.commit": "in-transaction",
    }),
    "strimzi.yaml": ("strimzi", {"kafka": "4.1", "brokers": "3"}, {
        "broker.offsets.topic.replication.factor": 3,
        "broker.transaction.state.log.replication.factor": 3,
        "broker.transaction.state.log.min.isr": 2, "broker.default.replication.factor": 3,
        "broker.min.insync.replicas": 2, "topic.replication.factor": 3,
        "topic.retention.ms": 604800000, "topic.cleanup.policy": "delete",
        "topic.segment.bytes": 1073741824,
        "broker.auto.create.topics.enable": False, "application.producer.byte.rate": 1048576,
    }),
    "compose-cp.yml": ("compose", {"kafka": "3.9", "brokers": "1"}, {
        "application.metadata.mode": "kraft", "application.controllers": 1,
        "broker.offsets.topic.replication.factor": 1,
        "broker.transaction.state.log.min.isr": 1,
        "broker.transaction.state.log.replication.factor": 1,
        "broker.log.dirs": "/tmp/kraft-combined-logs",
        "application.disk.lost": "returns-empty", "application.metadata.disk.lost": "returns-empty",
    }),
    "compose-apache.yml": ("compose", {"kafka": "4.1", "brokers": "3"}, {
        "broker.min.insync.replicas": 2, "broker.default.replication.factor": 3,
        "broker.offsets.topic.replication.factor": 3, "application.controllers": 3,
        "application.disk.lost": "returns-empty", "application.metadata.disk.lost": "returns-empty",
    }),
    "describe-3.txt": ("topics-describe", {}, {
        "topic.replication.factor": 3, "topic.min.insync.replicas": 1,
        "topic.retention.ms": 86400000, "topic.segment.bytes": 1073741824,
        "application.replicas.in.sync": 0,
    }),
    "describe-4.txt": ("topics-describe", {}, {
        "topic.replication.factor": 3, "topic.min.insync.replicas": 2,
        "application.replicas.in.sync": 1,
    }),
    "configs-topic.txt": ("configs-describe", {}, {
        "topic.min.insync.replicas": 2, "topic.retention.ms": 604800000,
        "application.offsets.topic.min.insync.replicas": 2,
    }),
    "configs-broker.txt": ("configs-describe", {}, {
        "broker.default.replication.factor": 3, "topic.min.insync.replicas": 1,
        "broker.offsets.topic.replication.factor": 1,
        "application.offsets.topic.min.insync.replicas": 1,
    }),
    "client.py.txt": ("python-dict", {"family": "librdkafka"}, {
        "producer.acks": "1", "producer.linger.ms": 50, "producer.delivery.timeout.ms": 30000,
        "producer.enable.idempotence": False, "consumer.auto.offset.reset": "earliest",
        "consumer.enable.auto.commit": True,
    }),
    "query.py.txt": ("spark-options", {"family": "spark"}, {
        "consumer.startingOffsets": "earliest", "consumer.failOnDataLoss": False,
        "consumer.isolation.level": "read_committed", "producer.acks": "1",
        "consumer.maxOffsetsPerTrigger": 10000, "application.checkpoint": "local",
    }),
}  # fmt: skip


@pytest.mark.parametrize("name", EXPECTED)
def test_a_whole_file_is_recognised_and_read(name: str) -> None:
    text = (FILES / name).read_text("utf-8")
    kind, heads, settings = EXPECTED[name]
    intake, reader = read(text, JAVA), detect(text)
    assert reader
    assert reader.kind == kind
    assert [problem.message for problem in intake.problems] == []
    assert intake.heads == heads
    assert intake.settings == settings
    assert len(set(intake.notes)) == len(intake.notes)
    assert not [note for note in intake.notes if "replaces" in note], "a merge is no contradiction"


def test_every_file_has_expected_settings() -> None:
    assert {path.name for path in FILES.iterdir()} == set(EXPECTED)


def test_profiles_without_other_relevant_settings_are_named() -> None:
    notes = read((FILES / "application.yml").read_text("utf-8"), JAVA).notes
    profiles = [note for note in notes if "profile" in note]
    assert profiles == [
        "Line 46: profile prod sets nothing else that decides.",
        "Line 51: profile dev sets nothing else that decides.",
    ]


@pytest.mark.parametrize(("image", "line"), [
    ("apache/kafka:4.2.1", "4.2"), ("apache/kafka-native:4.0.0", "4.0"),
    ("bitnami/kafka:3.7.0-debian-12-r3", "3.7"), ("registry.example.com/x/cp-server:8.1.0", "4.1"),
    ("confluentinc/cp-kafka:7.6.1", "3.6"), ("confluentinc/cp-kafka:latest", None),
    ("apache/kafka", None), ("confluentinc/cp-kafka:7.2.0", "3.2"),
    ("confluentinc/cp-kafka:6.2.1", "2.8"), ("confluentinc/cp-kafka:6.1.0", "2.8"),
    ("confluentinc/cp-kafka:5.5.1", "2.8"), ("apache/kafka:9.9.0", None),
    ("confluentinc/cp-kafka-connect:8.0.0", None),
])  # fmt: skip
def test_an_image_states_its_kafka_version(image: str, line: str | None) -> None:
    text = f"services: {{k: {{image: '{image}', environment: {{KAFKA_NODE_ID: 1}}}}}}"
    intake = read(text, JAVA, "compose")
    assert intake.heads.get("kafka") == line
    older = "Line 1: the image's Kafka {} is older than those known here: 2.8 is used."
    assert (older.format("2.7") in intake.notes) == (":6.1" in image)
    assert (older.format("2.5") in intake.notes) == (":5.5" in image)
    unknown = "Line 1: the image's Kafka 9.9 is not known here and is not used."
    assert (unknown in intake.notes) == (":9.9" in image)


def test_an_image_states_the_kafka_version_of_a_broker_without_an_id() -> None:
    text = (
        "services:\n  broker:\n    image: confluentinc/cp-kafka:7.6.0\n"
        "    environment: {KAFKA_MIN_INSYNC_REPLICAS: 2}\n"
    )
    intake = read(text, JAVA, "compose")
    assert intake.heads == {"kafka": "3.6", "brokers": "1"}


def test_the_oldest_of_several_images_states_the_kafka_version() -> None:
    service = "image: 'apache/kafka:{}', environment: {{KAFKA_NODE_ID: {}}}"
    text = f"services: {{a: {{{service.format('4.0.0', 1)}}}, b: {{{service.format('4.1.0', 2)}}}}}"
    intake = read(text.replace("4.0.0", "3.9.0"), JAVA, "compose")
    assert intake.heads["kafka"] == "3.9"
    assert "Line 1: brokers of Kafka 3.9, 4.1: the oldest is taken." in intake.notes


@pytest.mark.parametrize(("expression", "value"), [
    ("24 * 60 * 60 * 1000", 86_400_000), ("2 * 0", 0), ("10 ** 4", None), ("60 * n", None),
    ("2 * 1.5", None), ("True * 9", None), ("'9' * 9", None), ("9" * 18 + " * 99", None),
])  # fmt: skip
def test_a_product_of_numbers_is_a_plain_value(expression: str, value: int | None) -> None:
    intake = read(f"producer = {{'message.timeout.ms': {expression}}}", JAVA, "python-dict")
    assert intake.settings.get("producer.delivery.timeout.ms") == value
    assert bool(intake.problems) == (value is None)


@pytest.mark.parametrize(("kind", "looks_like"), [
    ("topic-properties", "Output of kafka-topics --describe"), ("topics-describe", "")
])  # fmt: skip
def test_a_file_of_another_kind_is_refused_with_the_kind_it_looks_like(
    kind: str, looks_like: str
) -> None:
    problems = read((FILES / "describe-4.txt").read_text("utf-8"), JAVA, kind).problems
    text = f"Line 1: no setting of Kafka is in this file; it looks like: {looks_like}."
    assert [problem.message for problem in problems] == ([text] if looks_like else [])


@pytest.mark.parametrize(("content", "message"), [
    (b"# a\nacks=1 # \xe4\n", "f:2: this is not text in UTF-8."),
    (b"# \xe4\r\nclient.id=\xc3\xa4\r\nclient.id=\xe4\r\n", "f:3: this is not text in UTF-8."),
    (b"# \xe4\nclient.id=\xc3\xa4\n", "f:1: this is not text in UTF-8."),
    (b"\x7fELF\x02\x01\x01\xff", "f:1: this is not text in UTF-8."),
    (b" \n", "f: there is nothing in it."), (b"", "f: there is nothing in it."),
])  # fmt: skip
def test_bytes_that_are_not_text_are_reported_with_their_line(content: bytes, message: str) -> None:
    with pytest.raises(FileProblem) as problem:
        decoded("f", content)
    assert str(problem.value) == message


def test_utf_16_from_powershell_is_decoded() -> None:
    for byte_order_mark, encoding in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        assert decoded("f", byte_order_mark + "acks=1\r\n".encode(encoding)) == "acks=1\r\n"


@pytest.mark.parametrize("source", ["consumer.properties", "file 1 (.env)", "c.json"])
def test_utf_16_is_refused_where_programs_do_not_read_it(source: str) -> None:
    """Java's Properties.load reads ISO-8859-1: no name of a setting is left, and defaults count."""
    with pytest.raises(FileProblem, match=r"this is UTF-16.* Save it as UTF-8"):
        decoded(source, "auto.offset.reset=earliest\r\n".encode("utf-16"))


@pytest.mark.parametrize("source", ["f.properties", "f", "Pasted text"])
def test_a_comment_may_be_in_latin_1(source: str) -> None:
    text = decoded(source, b"# f\xfcr alle\n ! \xe4\nacks=1\n")
    assert text == "# f\u00fcr alle\n ! \u00e4\nacks=1\n"


def test_an_ellipsis_of_windows_ends_no_comment() -> None:
    content = "# not … acks=1\nacks=all\n".encode("cp1252")
    assert decoded(".env", content).splitlines() == ["# not   acks=1", "acks=all"]


def test_a_byte_order_mark_may_precede_comments_in_latin_1() -> None:
    assert decoded("f", b"\xef\xbb\xbfacks=1\n# \xfc\n") == "\ufeffacks=1\n# \u00fc\n"


@pytest.mark.parametrize("source", ["application.yml", "file 1 (application.yml)"])
def test_latin_1_in_yaml_is_refused(source: str) -> None:
    with pytest.raises(FileProblem):
        decoded(source, b"# \xfc\n")


@pytest.mark.django_db
@pytest.mark.parametrize("destination", ["questions", "advice"])
def test_a_secret_is_in_no_table_no_session_and_no_log(
    client: Client, caplog: pytest.LogCaptureFixture, destination: str
) -> None:
    caplog.set_level(logging.DEBUG)
    files = [(FILES / name).read_text("utf-8") for name in EXPECTED]
    broken = f"spring:\n  kafka:\n    ssl: {{key-password: {SECRET}\n"
    properties = f"acks=1\nsasl.password={SECRET}\n"
    for text in [text for text in files if SECRET in text] + [broken, properties]:
        assert SECRET not in client.post("/describe/from-files/", {"text": text}).text
    fields = {"producer.acks": "1", "sasl.password": SECRET, "producer.sasl.password": SECRET}
    client.post("/describe/from-files/use/", {**fields, "to": destination})
    stored_rows = repr([list(model._default_manager.values()) for model in apps.get_models()])
    log = "\n".join(record.getMessage() for record in caplog.records)
    assert "producer" in repr(dict(client.session)) + stored_rows
    assert SECRET not in stored_rows + log + repr(dict(client.session))
