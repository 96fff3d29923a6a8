"""Properties files: what is read, what is skipped, and that no text in them does any harm."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.catalog import Family, SettingError, versions
from advisor.intake import MAX_BYTES, Intake, Product, read, read_pipeline
from advisor.intake.formats.java_properties import properties
from advisor.intake.text import IntakeError


def _producer(text: str, family: Family = Family.JAVA, version: str = "4.3") -> Intake:
    product = Product(family, version, "4.3")
    return read(text, product, "producer-properties", family)


def test_settings_have_the_types_and_names_of_the_catalog() -> None:
    text = "# ours\nacks = -1\nlinger.ms:20\nenable.idempotence true\nretries=\\\n   3\n"
    intake = _producer(text)
    assert intake.settings == {
        "producer.acks": "all", "producer.linger.ms": 20, "producer.enable.idempotence": True,
        "producer.retries": 3,
    }  # fmt: skip
    assert list(intake.lines.values()) == [2, 3, 4, 5]
    assert intake.lines.keys() == intake.settings.keys()
    assert not intake.problems


def test_an_alias_of_librdkafka_becomes_the_common_name() -> None:
    intake = _producer("message.timeout.ms=9000\n", Family.LIBRDKAFKA, "2.16")
    assert intake.settings == {"producer.delivery.timeout.ms": 9000}


def test_spark_options_are_read_with_and_without_their_prefix() -> None:
    text = "kafka.isolation.level=read_committed\nstartingOffsets=earliest\nsubscribe=t\n"
    intake = read(text, Product(Family.SPARK, "4.2", "4.3"), "spark-options")
    assert intake.settings == {
        "consumer.isolation.level": "read_committed", "consumer.startingOffsets": "earliest"
    }  # fmt: skip
    assert intake.notes == ["Line 3: subscribe is not taken into account."]


def test_a_setting_that_spark_sets_itself_is_a_problem_with_the_reason() -> None:
    text = "kafka.enable.auto.commit=true"
    intake = read(text, Product(Family.SPARK, "4.2", "4.3"), "spark-options")
    assert "Spark never commits offsets to Kafka" in intake.problems[0].message


def test_credentials_are_dropped_with_a_note() -> None:
    text = 'sasl.jaas.config=org.x required password="hunter2";\nssl.key.password=hunter2\n'
    intake = _producer(text)
    assert intake.settings == {}
    assert intake.notes == [
        "Line 1: sasl.jaas.config is a credential: dropped, not read.",
        "Line 2: ssl.key.password is a credential: dropped, not read.",
    ]
    assert "hunter2" not in repr(intake)


def test_a_misspelled_name_is_reported_with_its_line_and_the_right_name() -> None:
    problem = _producer("acks=all\n\nenable.idempotance=true").problems[0]
    assert problem.message.startswith("Line 3: ")
    assert problem.suggestion == "enable.idempotence"


def test_an_unmodelled_setting_is_a_note() -> None:
    intake = _producer("bootstrap.servers=a:9092,b:9092\ncompression.type=zstd")
    assert not intake.problems
    assert intake.notes[1] == "Line 2: compression.type is not taken into account."


def test_java_ignores_an_unknown_name_and_librdkafka_refuses_it() -> None:
    assert not _producer("our.interceptor.flag=1").problems
    problem = _producer("our.interceptor.flag=1", Family.LIBRDKAFKA, "2.16").problems[0]
    assert problem.message == 'Line 1: No such configuration property: "our.interceptor.flag"'
    assert problem.product


NOTES = [
    ("broker-properties", Family.JAVA, "zookeeper.set.acl=true",
     "zookeeper.set.acl is a setting of 2.8 to 3.9 and does nothing in this version."),
    ("producer-properties", Family.JAVA, "application.id=a",
     "application.id is a setting of Kafka Streams: the producer ignores it."),
    ("producer-properties", Family.JAVA, "error.topic=a",
     "error.topic is not a known setting of Kafka; Kafka would ignore it."),
    ("producer-properties", Family.LIBRDKAFKA, "fetch.min.bytes=1",
     "fetch.min.bytes is a setting of the consumer: the producer ignores it."),
    ("producer-properties", Family.LIBRDKAFKA, "compression.codec=gzip",
     "compression.codec is not taken into account."),
    ("spark-options", Family.SPARK, "compression.type=gzip",
     "compression.type needs the prefix kafka. to have an effect in Spark."),
    ("spark-options", Family.SPARK, "fetchoffset.numretries=3",
     "fetchoffset.numretries is not taken into account."),
    ("spark-options", Family.SPARK, "checkpointLocation=/a",
     "checkpointLocation names no file system: fs.defaultFS decides, and that is the machine's own "
     "disk unless it is set. It is assumed to be durable; say where it is "
     "(application.checkpoint)."),
    ("spark-options", Family.SPARK, "kafka.compression.type=gzip",
     "kafka.compression.type is not taken into account."),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "family", "text", "message"), NOTES)
def test_a_setting_of_another_component_is_noted_with_its_owner(
    kind: str, family: Family, text: str, message: str
) -> None:
    intake = read(text, Product(family, versions(family)[0], "4.3"), kind, family)
    assert intake.notes == [f"Line 1: {message}"]
    assert {problem.setting for problem in intake.problems} <= {"file"}


SLIPS = [
    ("broker-properties", Family.JAVA, "retention.ms=1", "log.retention.ms"),
    ("broker-properties", Family.JAVA, "offsets.retention.minute=1", "offsets.retention.minutes"),
    ("topic-properties", Family.JAVA, "retention.m=1", "retention.ms"),
    ("producer-properties", Family.JAVA, "compresion.type=gzip", "compression.type"),
    ("consumer-properties", Family.LIBRDKAFKA, "fetch.min.byte=1", "fetch.min.bytes"),
    ("spark-options", Family.SPARK, "maxOffsetPerTrigger=5", "maxOffsetsPerTrigger"),
    ("spark-options", Family.SPARK, "kafka.max.pol.records=5", "kafka.max.poll.records"),
]


@pytest.mark.parametrize(("kind", "family", "text", "nearest"), SLIPS)
def test_the_nearest_name_that_the_file_may_contain_is_suggested_for_an_unknown_one(
    kind: str, family: Family, text: str, nearest: str
) -> None:
    intake = read(text, Product(family, versions(family)[0], "4.3"), kind, family)
    (problem,) = intake.problems
    assert problem.suggestion == nearest
    assert problem.message.endswith(f"Did you mean {nearest}?")


def test_a_setting_of_another_librdkafka_version_is_refused_like_an_unknown_one() -> None:
    problem = _producer("enable.metrics.push=true", Family.LIBRDKAFKA, "2.0").problems[0]
    assert problem.message.startswith('Line 1: No such configuration property: "enable.metrics')
    assert not _producer("enable.metrics.push=true", Family.LIBRDKAFKA, "2.16").problems


def test_the_last_of_two_lines_counts_with_a_note() -> None:
    intake = _producer("acks=1\nacks=0")
    assert intake.settings == {"producer.acks": "0"}
    assert intake.notes == ["Line 2: acks replaces line 1."]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("retries=-1", "Line 1: retries must be from 0 to 2147483647; -1 is not."),
        ("acks=2", "Line 1: acks must be one of all, -1, 1, 0."),
        ("acks=a\\nll", "Line 1: acks contains a newline or another control character."),
        ("transactional.id=" + "x" * 251, "Line 1: transactional.id is 251 characters long"),
        ("a\nb=\\u12g4", "Line 2: \\u needs four hexadecimal digits."),
    ],
)
def test_a_bad_value_is_one_problem_with_its_line(text: str, words: str) -> None:
    problems = _producer(text).problems
    assert len(problems) == 1
    assert words in problems[0].message


def test_more_than_a_megabyte_is_not_read() -> None:
    intake = _producer("#" * (MAX_BYTES + 1))
    assert "longer than 1048576 bytes" in intake.problems[0].message


def test_more_than_500_settings_are_refused() -> None:
    intake = _producer("k=1\n" * 501)
    assert intake.problems[-1].message == "Line 501: more than 500 settings."


def test_an_unknown_version_raises_an_error() -> None:
    with pytest.raises(SettingError, match=r"1\.0"):
        _producer("acks=all", version="1.0")


@given(st.text(max_size=300))
def test_no_text_raises_an_error_or_puts_a_control_character_into_a_message(text: str) -> None:
    for family, version in ((Family.JAVA, "4.3"), (Family.LIBRDKAFKA, "2.16")):
        intake = _producer(text, family, version)
        for message in [*intake.notes, *(problem.message for problem in intake.problems)]:
            assert message.isprintable()


@given(st.text(alphabet=" \\\n\r=:#!uab0\t", max_size=60))
def test_the_parser_terminates_for_every_text(text: str) -> None:
    try:
        lines = [entry.line for entry in properties(text)]
    except IntakeError:
        return
    assert lines == sorted(lines)


def test_a_pipeline_file_is_read_into_fields() -> None:
    text = """
        family = "librdkafka"
        brokers = 3
        [need]
        ordering = true
        [producer]
        enable.idempotence = true
        "acks" = "all"
        sasl.password = "hunter2"
    """
    file = read_pipeline(text)
    assert file.fields == {
        "family": "librdkafka", "brokers": "3", "need.ordering": "true",
        "producer.enable.idempotence": "true", "producer.acks": "all",
    }  # fmt: skip
    assert file.notes == ["producer.sasl.password is a credential: dropped, not read."]
    assert "hunter2" not in repr(file)


@pytest.mark.parametrize(
    "text",
    ["family = ", "x = 1", "[producer]\nacks = [1]", "a" * 5000, "[producer]\nacks = 1.5",
     "[producer]\nacks = 0x" + "f" * 9999, "brokers = " + "9" * 5000,
     ".".join("a" * 3000) + " = 1"],
)  # fmt: skip
def test_a_malformed_pipeline_file_is_a_problem(text: str) -> None:
    file = read_pipeline(text)
    assert file.problems
    assert all(problem.message.isprintable() for problem in file.problems)
