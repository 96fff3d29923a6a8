"""Irregular files: pasted, indented, with profiles, comments, and values that are set elsewhere.

Whatever is not read is reported. The worst errors would be to read a value that has no effect, and
to skip without a note one that has.
"""

from __future__ import annotations

import pytest

from advisor.catalog import Family, Value
from advisor.intake import Intake, Product, detect, read

JAVA = Product(Family.JAVA, "4.3", "4.3")


def _read(text: str) -> Intake:
    intake = read(text, JAVA)
    assert [problem.message for problem in intake.problems] == []
    return intake


def _assert_settings_and_note(settings: dict[str, Value], text: str, note: str) -> None:
    """Asserts that exactly these settings are read from the text, and that this note is given."""
    intake = _read(text)
    assert intake.settings == settings
    assert note in intake.notes


@pytest.mark.parametrize(("text", "settings", "is_noted"), [
    ("acks=1\r\nretries=3\r\n", {"producer.retries": 3}, True),
    ("acks=\\\n  1\nretries=3\n", {"producer.retries": 3}, True),
    ("# ours\nretries=3\n", {"producer.retries": 3}, False),
    ("\nretries=3\n", {"producer.retries": 3}, False),
])  # fmt: skip
def test_a_byte_order_mark_becomes_part_of_the_first_line(
    text: str, settings: dict[str, Value], is_noted: bool
) -> None:
    intake = _read("\ufeff" + text)
    assert not intake.problems
    assert intake.settings == settings
    assert any("byte order mark" in note for note in intake.notes) == is_noted


@pytest.mark.parametrize("name", [
    "key.converter", "value.converter", "offset.storage.topic", "offset.storage.file.filename",
    "plugin.path",
])  # fmt: skip
@pytest.mark.parametrize("kind", ["", "consumer-properties", "producer-properties"])
def test_a_kafka_connect_file_is_not_read_as_a_client_file(name: str, kind: str) -> None:
    text = f"bootstrap.servers=b:9092\ngroup.id=g\nproducer.acks=1\n{name}=x\n"
    intake = read(text, Product(Family.JAVA, "4.3", "4.3"), kind)
    assert not intake.settings
    (problem,) = intake.problems
    assert problem.message.startswith(f"Line 4: {name} belongs to Kafka Connect.")


MAIN: dict[str, Value] = {"producer.acks": "all"}


@pytest.mark.parametrize("separator", ["#---", "!---", "#--- "])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_each_document_of_a_properties_file_is_read(separator: str, newline: str) -> None:
    lines = ["spring.kafka.producer.acks=all", separator, "spring.kafka.producer.acks=-1",
             "spring.config.activate.on-profile=dev", separator,
             "spring.kafka.producer.retries=3"]  # fmt: skip
    note = "Line 3: profile dev sets nothing else that decides."
    _assert_settings_and_note({**MAIN, "producer.retries": 3}, newline.join(lines), note)


def test_active_profiles_are_not_a_condition() -> None:
    text = "spring:\n  profiles: {active: dev}\n  kafka: {producer: {acks: all}}\n"
    assert _read(text).settings == MAIN


def test_an_indented_dict_copied_from_a_function_is_read() -> None:
    text = "    conf = {\n        'acks': 'all',  # {wait\n        # 'retries': 0,\n    }\n"
    assert _read(text).settings == MAIN


def test_keys_assigned_to_a_dict_one_by_one_are_read() -> None:
    text = (
        "conf = {'bootstrap.servers': 'a'}\nother = []\nconf['acks'] = '1'\n"
        "conf['client.rack'] = rack\nos.environ['linger.ms'] = '1'\n"
    )
    _assert_settings_and_note(
        {"producer.acks": "1"},
        text,
        "Line 4: client.rack is not a plain value: not read.",
    )
    reader = "c = {'group.id': 'a'}\nc['isolation.level'] = 'read_uncommitted'\n"
    assert _read(reader).settings == {"consumer.isolation.level": "read_uncommitted"}


SOURCE = 'df = spark.readStream.format("kafka").option("kafka.bootstrap.servers", "a:1")'


@pytest.mark.parametrize(("option", "settings"), [
    ('.option("failOnDataLoss", false)', {"consumer.failOnDataLoss": False}),
    (".option('maxOffsetsPerTrigger', 10_000)", {"consumer.maxOffsetsPerTrigger": 10_000}),
    ('.option("maxOffsetsPerTrigger", 10000L)', {"consumer.maxOffsetsPerTrigger": 10_000}),
    ('.options(subscribe="t", startingOffsets="earliest")',
     {"consumer.startingOffsets": "earliest"}),
    ('  # .option("kafka.isolation.level", "read_committed")', {}),
    ('  // .option("kafka.isolation.level", "read_committed")', {}),
    ('/* .option("kafka.isolation.level", "read_committed") */', {}),
    ('.option("x", "# no comment").option("failOnDataLoss", "true")',
     {"consumer.failOnDataLoss": True}),
])  # fmt: skip
def test_spark_options_are_read_as_the_code_states_them(
    option: str, settings: dict[str, Value]
) -> None:
    assert _read(f"{SOURCE}{option}\n").settings == settings


@pytest.mark.parametrize("value", ["fail", 'f"{fail}"', 'os.environ["FAIL"]'])
def test_a_starting_offset_that_cannot_be_read_is_assumed_to_be_the_weaker_one(value: str) -> None:
    note = "startingOffsets is not a plain value here: latest is assumed, which promises less."
    text = f'{SOURCE}\n.option("startingOffsets", {value})'
    _assert_settings_and_note({"consumer.startingOffsets": "latest"}, text, f"Line 2: {note}")


def test_json_in_scala_code_does_not_prevent_reading_the_rest() -> None:
    text = f'val d = {SOURCE}.option("startingOffsets", """{{"a":{{"0":1}}}}""") match {{ case x }}'
    assert _read(f'{text}\nd.writeStream.option("kafka.acks", "1")').settings == {
        "producer.acks": "1", "consumer.startingOffsets": "earliest",
    }  # fmt: skip


def test_each_resource_of_a_kubernetes_list_is_read() -> None:
    item = "- apiVersion: kafka.strimzi.io/v1\n  kind: {}\n  spec:\n    {}\n"
    text = "apiVersion: v1\nkind: List\nitems:\n" + "".join([
        item.format("KafkaTopic", "{replicas: 3, config: {min.insync.replicas: 2}}"),
        item.format(
            "Kafka", "{kafka: {version: 4.1.0, config: {unclean.leader.election.enable: true}}}"
        ),
        item.format("KafkaUser", "{}"),
    ])  # fmt: skip
    reader = detect(text)
    assert reader
    assert reader.kind == "strimzi"
    note = "Line 13: of KafkaUser no setting affects the advice."
    settings: dict[str, Value] = {
        "topic.replication.factor": 3, "topic.min.insync.replicas": 2,
        "broker.unclean.leader.election.enable": True,
    }  # fmt: skip
    _assert_settings_and_note(settings, text, note)


@pytest.mark.parametrize("items", ["", "3", "[1, 2]", "[[1]]", "{a: 1}"])
def test_a_list_without_resources_is_one_problem(items: str) -> None:
    text = f"apiVersion: kafka.strimzi.io/v1\nitems: {items}\n"
    assert len(read(text, JAVA).problems) == 1


def test_a_librdkafka_name_in_a_java_file_is_noted() -> None:
    text = "request.required.acks=1\nretries=3\nbuffer.memory=40000000\n"
    note = "Line 1: request.required.acks is a setting of librdkafka: the producer ignores it."
    _assert_settings_and_note(
        {"producer.retries": 3, "producer.buffer.memory": 40_000_000}, text, note
    )


def test_a_file_with_librdkafka_names_and_no_java_names_is_for_librdkafka() -> None:
    text = "metadata.broker.list=a:9092\nacks=all\nqueue.buffering.max.ms=5\n"
    intake = read(text, JAVA)
    assert intake.heads["family"] == Family.LIBRDKAFKA
    assert intake.settings["producer.linger.ms"] == 5
    assert any("a name of librdkafka alone" in note for note in intake.notes)
    assert "family" not in read("acks=all\nlinger.ms=5\n", JAVA).heads
    assert read(text, JAVA, family="java").heads["family"] == Family.JAVA


@pytest.mark.parametrize(("kind", "text"), [
    ("librdkafka-json", '{"log": {"level": {"of": "1"}}}'), ("spring", "spring:\n  a: 1\n"),
])  # fmt: skip
def test_a_file_without_kafka_settings_is_a_problem(kind: str, text: str) -> None:
    problems = [problem.message for problem in read(text, JAVA, kind).problems]
    assert problems == ["Line 1: no setting of Kafka is in this file."]


def test_a_file_with_only_credentials_is_read_as_the_stated_kind() -> None:
    text = "sasl.oauthbearer.token.endpoint.url=https://a\n"
    intake = read(text, JAVA, "consumer-properties")
    assert not intake.problems
    assert ["is a credential: dropped" in note for note in intake.notes] == [True]


CONSUMER = "group.id=g\nauto.offset.reset=earliest\ngroup.protocol=consumer\n"
STRATEGY = "partition.assignment.strategy=org.apache.kafka.clients.consumer.RangeAssignor"


@pytest.mark.parametrize(("text", "message"), [
    (f"{CONSUMER}{STRATEGY}\n",
     "Line 4: partition.assignment.strategy cannot be set when group.protocol=CONSUMER"),
    (f"{CONSUMER}heartbeat.interval.ms=1000\n{STRATEGY}\n",
     "Line 5: partition.assignment.strategy, heartbeat.interval.ms cannot be set when "
     "group.protocol=CONSUMER"),
    ("c = {'group.id': 'g',\n'partition.assignment.strategy': 'cooperative-sticky,range'}",
     "Line 2: All partition.assignment.strategy (cooperative-sticky,range) assignors must have the "
     "same protocol type, online migration between assignors with different protocol types is not "
     "supported"),
    ("acks=all\ntransaction.timeout.ms=1000\ntransaction.two.phase.commit.enable=true\n",
     "Line 3: Cannot set transaction.timeout.ms when transaction.two.phase.commit.enable is set to "
     "true. Transactions will not expire with two-phase commit enabled."),
    ("c = {'group.id': 'g', 'group.protocol': 'consumer',\n'heartbeat.interval.ms': 1000}",
     "Line 2: `heartbeat.interval.ms` is not supported for `group.protocol=consumer` or share "
     "consumer. It is defined broker side"),
])  # fmt: skip
def test_an_unmodelled_setting_that_stops_the_client_is_a_problem(text: str, message: str) -> None:
    assert [problem.message for problem in read(text, JAVA).problems] == [message]


def test_settings_that_the_client_accepts_are_not_problems() -> None:
    older = Product(Family.JAVA, "3.9", "3.9")
    assert read(f"{CONSUMER}heartbeat.interval.ms=1000\n{STRATEGY}\n", older).problems == []
    assert _read("group.id=g\nauto.offset.reset=none\nheartbeat.interval.ms=1000\n").settings
    pairs = "'partition.assignment.strategy': 'range, roundrobin', 'heartbeat.interval.ms': 50000"
    assert len(_read(f"c = {{'group.id': 'g', {pairs}}}").notes) == 2


@pytest.mark.parametrize(("text", "kind", "suggestions"), [
    ("ackss=1\nenable.idempotance=true\n", "producer-properties", ["acks", "enable.idempotence"]),
    ("group.idd=g\nauto.ofset.reset=latest\n", "consumer-properties",
     ["group.id", "auto.offset.reset"]),
    ("unclean.leader.election.enabled: false\nmin.insync.replica: 2\nlog.dir.s=/data\n",
     "broker-properties", ["unclean.leader.election.enable", "min.insync.replicas", "log.dirs"]),
])  # fmt: skip
def test_a_file_with_only_misspelled_names_is_recognised_by_the_intended_names(
    text: str, kind: str, suggestions: list[str]
) -> None:
    reader = detect(text)
    assert reader
    assert reader.kind == kind
    assert [problem.suggestion for problem in read(text, JAVA).problems] == suggestions


@pytest.mark.parametrize("text", [
    "hello=1\nworld=2\nackss=3\n", "Dear colleague: the acks are late", "".join(
        f"name.of.nothing.{number}=1\n" for number in range(30)) + "ackss=1\n",
])  # fmt: skip
def test_a_text_with_few_names_close_to_real_ones_is_not_recognised(text: str) -> None:
    assert detect(text) is None


@pytest.mark.parametrize(("code", "line", "library"), [
    ("from kafka import KafkaProducer\np = KafkaProducer(acks='all')", 2, "kafka-python"),
    ("conf = {'acks': 1}\nc = kafka.KafkaConsumer('t', **conf)", 2, "kafka-python"),
    ("p = aiokafka.AIOKafkaProducer(acks=1)", 1, "aiokafka"),
])  # fmt: skip
def test_an_unsupported_client_library_is_named_and_its_settings_are_not_read(
    code: str, line: int, library: str
) -> None:
    intake = read(code, JAVA)
    [problem] = intake.problems
    assert problem.message.startswith(f"Line {line}: ")
    assert f"is a client of {library}" in problem.message
    assert "as for the Java client" in problem.message
    assert not intake.settings


def test_the_java_producer_is_not_read_as_python() -> None:
    reader = detect("var p = new KafkaProducer(properties);")
    assert reader is not None
    assert reader.kind == "java-code"


def test_pairs_are_read_except_one_whose_value_is_a_variable() -> None:
    _assert_settings_and_note({"producer.acks": "all"}, '"acks": "all",\n"client.rack": rack',
               "Line 2: client.rack is not a plain value: not read.")  # fmt: skip
    assert _read("c = dict({'acks': 'all'}, rack=name)").settings == MAIN
