"""Files of Spring: placeholders, environment variables, and Spring Cloud Stream."""

from __future__ import annotations

import pytest

from advisor.catalog import Family, Value
from advisor.intake import Intake, Product, read

JAVA = Product(Family.JAVA, "4.3", "4.3")
Settings = dict[str, Value]


def _read(text: str, kind: str = "") -> Intake:
    intake = read(text, JAVA, kind)
    assert [problem.message for problem in intake.problems] == []
    return intake


@pytest.mark.parametrize(("text", "settings", "note"), [
    ("producer.acks=${ACKS:all}", {"producer.acks": "all"},
     "producer.acks: the default counts here; ACKS may replace it."),
    ("producer.retries=${A:${B:3}}", {"producer.retries": 3},
     "producer.retries: the default counts here; B, A may replace it."),
    ("producer.transaction-id-prefix=${app.name:a}-${N:1}", {"producer.transactional.id": "stated"},
     "producer.transaction-id-prefix: the default counts here; app.name, N may replace it."),
    (f"producer.transaction-id-prefix=${{A:{'b' * 30}}}", {"producer.transactional.id": "stated"},
     "producer.transaction-id-prefix: the default counts here; A may replace it."),
    ("producer.properties[acks]=${A:1}", {"producer.acks": "1"},
     "producer.properties.[acks]: the default counts here; A may replace it."),
    ("producer.client-id=${ID}", {},
     "producer.client-id is filled in when the application starts: not read, so that its "
     "default counts here."),
    ("consumer.group-id=${A:${B}}", {},
     "consumer.group-id is filled in when the application starts: not read, so that its "
     "default counts here."),
    ("bootstrap-servers=${K:a:9092}", {},
     "bootstrap-servers: the default counts here; K may replace it."),
])  # fmt: skip
def test_the_default_of_a_placeholder_counts_with_a_note_on_what_may_replace_it(
    text: str, settings: Settings, note: str
) -> None:
    intake = _read(f"spring.kafka.{text}")
    assert intake.settings == settings
    assert intake.notes[0] == f"Line 1: {note}"


def test_an_invalid_default_is_a_problem() -> None:
    problems = read("spring.kafka.producer.acks=${ACKS:most}", JAVA).problems
    assert [problem.setting for problem in problems] == ["acks"]


def test_compose_placeholders_are_filled_in_by_the_rules_of_compose() -> None:
    intake = _read(
        "services: {k: {environment: {KAFKA_MIN_INSYNC_REPLICAS: '${ISR:-2}', "
        "KAFKA_DEFAULT_REPLICATION_FACTOR: '${RF-3}', KAFKA_LOG_DIRS: '${DIR:?}', "
        "SPRING_KAFKA_PRODUCER_ACKS: '${ACKS:-1}'}}}"
    )
    assert intake.settings == {
        "broker.min.insync.replicas": 2, "broker.default.replication.factor": 3,
        "producer.acks": "1",
    }  # fmt: skip
    assert (
        "Line 1: min.insync.replicas: the default counts here; ISR may replace it." in intake.notes
    )
    assert any("log.dirs is filled in" in note for note in intake.notes)


VARIABLES = [
    ("PRODUCER_ACKS=1", {"producer.acks": "1"}),
    ("PRODUCER_BATCHSIZE=32KB", {"producer.batch.size": 32768}),
    ("PRODUCER_BATCH_SIZE=32KB", {"producer.batch.size": 32768}),
    ("PRODUCER_PROPERTIES_DELIVERY_TIMEOUT_MS=60000", {"producer.delivery.timeout.ms": 60000}),
    ("PROPERTIES_MAX_BLOCK_MS=5000", {"producer.max.block.ms": 5000}),
    ("STREAMS_APPLICATIONID=a", {"streams.application.id": "stated"}),
    ("STREAMS_APPLICATION_ID=a", {"streams.application.id": "stated"}),
    ("STREAMS_PROPERTIES_NUM_STANDBY_REPLICAS=1", {"streams.num.standby.replicas": 1}),
]
"""Also given to Spring's own binder (tests/contracts/test_spring.py)."""


@pytest.mark.parametrize(("variable", "settings"), VARIABLES)
def test_a_variable_is_read_as_spring_binds_it(variable: str, settings: Settings) -> None:
    intake = _read(f"SPRING_KAFKA_{variable}")
    assert (intake.settings, intake.notes) == (settings, [])


def test_nested_groups_of_properties_are_read_from_variables() -> None:
    group = "SPRING_KAFKA_CONSUMER_GROUP_ID=g\nSPRING_KAFKA_RETRY_TOPIC_"
    assert _read(f"{group}ENABLED=true").settings["application.retry.topics"] is True
    problems = read(f"{group}BACKOFF_DELAY=soon", JAVA).problems
    assert "retry.topic.backoff.delay is a time" in problems[0].message


@pytest.mark.parametrize(("variable", "name", "nearest"), [
    ("PRODUCER_AKCS", "producer.akcs", "producer.acks"),
    ("CONSUMER_AUTO_OFSET_RESET", "consumer.autoofsetreset", "consumer.auto-offset-reset"),
    ("PRODUCER_PROPERTIES_LINGERR_MS", "producer.properties.lingerr.ms",
     "producer.properties.linger.ms"),
    ("PROPERTIES_ENABLE_IDEMPOTANCE", "properties.enable.idempotance",
     "properties.enable.idempotence"),
    ("PRODUCER_PROPERTIES_MY_OWN", "producer.properties.my.own", ""),
])  # fmt: skip
def test_an_unknown_variable_is_noted_with_the_nearest_known_name(
    variable: str, name: str, nearest: str
) -> None:
    hint = f"; the nearest known is spring.kafka.{nearest}" if nearest else ""
    intake = _read(f"SPRING_KAFKA_PRODUCER_ACKS=1\nSPRING_KAFKA_{variable}=5")
    assert intake.settings == {"producer.acks": "1"}
    assert intake.notes == [f"Line 2: spring.kafka.{name} is not a known setting: not read{hint}."]


AUTOMATIC = "spring.kafka.consumer.enable-auto-commit=true\nspring.kafka.listener.ack-mode="


def test_a_container_ignores_its_ack_mode_where_the_client_commits() -> None:
    intake = _read(f"{AUTOMATIC}record")
    assert intake.settings["consumer.enable.auto.commit"] is True
    assert "application.commit" not in intake.settings
    words = "the container ignores ack-mode, and the client commits by itself."
    assert f"Line 2: enable.auto.commit=true: {words}" in intake.notes


@pytest.mark.parametrize("mode", ["manual", "MANUAL_IMMEDIATE", "manual-immediate"])
def test_a_manual_ack_mode_with_automatic_commits_is_refused(
    mode: str,
) -> None:
    [problem] = read(f"{AUTOMATIC}{mode}", JAVA).problems
    upper = mode.upper().replace("-", "_")
    words = f"Consumer cannot be configured for auto commit for ackMode {upper}."
    assert problem.message == f"Line 2: {words}"


def test_listener_variables_are_read_and_spring_cloud_stream_variables_are_not() -> None:
    intake = _read(
        "SPRING_KAFKA_CONSUMER_GROUPID=g\nSPRING_KAFKA_LISTENER_ACK_MODE=manual\n"
        "SPRING_KAFKA_SSL_KEYSTORELOCATION=a\nSPRING_CLOUD_STREAM_KAFKA_BINDER_X=1"
    )
    assert "Line 2: ack-mode manual: only your code decides when it commits." in intake.notes
    assert "Line 4: variables of Spring Cloud Stream are not read: give its application.yml." in (
        intake.notes
    )
    assert not any("Line 3" in note for note in intake.notes)


BINDER = "spring.cloud.stream.kafka.binder."
IN, OUT = ("spring.cloud.stream.kafka.bindings.a-in-0.consumer.",
           "spring.cloud.stream.kafka.bindings.a-out-0.producer.")  # fmt: skip
CHECKED: Settings = {"producer.linger.ms": 0, "producer.acks": "all"}
WRITES: Settings = CHECKED | {"application.delivery.errors": "ignored"}
READS: Settings = {
    "consumer.auto.offset.reset": "latest", "consumer.enable.auto.commit": False,
    "application.commit": "after-processing", "application.framework": "spring-cloud-stream",
}  # fmt: skip


@pytest.mark.parametrize(("lines", "settings"), [
    ([f"{BINDER}required-acks=all"], WRITES),
    ([f"{BINDER}requiredAcks=1"], WRITES | {"producer.acks": "1"}),
    ([f"{BINDER}required-acks=all", "spring.kafka.producer.acks=0"],
     WRITES | {"producer.acks": "0"}),
    (["spring.kafka.producer.acks=0", f"{BINDER}producer-properties.acks=all"], WRITES),
    ([f"{BINDER}required-acks=0", f"{BINDER}producerProperties[acks]=all"], WRITES),
    ([f"{OUT}configuration.acks=all", f"{BINDER}configuration.acks=0"], WRITES),
    ([f"{BINDER}required-acks=all", f"{OUT}bufferSize=99", f"{OUT}batch-timeout=7"],
     WRITES | {"producer.batch.size": 99, "producer.linger.ms": 7}),
    ([f"{BINDER}required-acks=all", f"{BINDER}replication-factor=3"],
     WRITES | {"topic.replication.factor": 3}),
    ([f"{BINDER}replication-factor=3", f"{OUT}topic.replication-factor=2",
      f"{OUT}topic.properties.min.insync.replicas=2", f"{BINDER}required-acks=all"],
     WRITES | {"topic.replication.factor": 2, "topic.min.insync.replicas": 2}),
    ([f"{BINDER}replication-factor=-1", f"{BINDER}required-acks=all"], WRITES),
    ([f"{BINDER}transaction.transaction-id-prefix=tx-"],
     {"producer.linger.ms": 0, "producer.transactional.id": "stated"}),
    ([f"{BINDER}required-acks=all", f"{BINDER}transaction.producer.configuration.max.block.ms=5"],
     WRITES | {"producer.max.block.ms": 5}),
    # A send's error is reported if the code waits for the send or has an error channel.
    ([f"{BINDER}required-acks=all", f"{OUT}sync=false"], WRITES),
    ([f"{BINDER}required-acks=all", f"{OUT}sync=true"], CHECKED),
    ([f"{BINDER}required-acks=all",
      "spring.cloud.stream.bindings.a-out-0.producer.errorChannelEnabled=true"], CHECKED),
    ([f"{BINDER}required-acks=all", "spring.cloud.stream.kafka.default.producer.sync=true"],
     CHECKED),
    ([f"{IN}ack-mode=RECORD"], READS),
    ([f"{IN}ack-mode=RECORD", f"{IN}enableDlq=true",
      "spring.cloud.stream.bindings.a-in-0.group=g"],
     READS | {"application.dead.letter": "unacknowledged",
              "consumer.auto.offset.reset": "earliest"}),
    ([f"{IN}ack-mode=RECORD", f"{IN}enable-dlq=false"], READS),
    ([f"{IN}configuration.max.poll.records=7"], READS | {"consumer.max.poll.records": 7}),
    ([f"{IN}auto-commit-offset=true", "spring.cloud.stream.bindings.a-in-0.group=g"],
     READS | {"consumer.auto.offset.reset": "earliest"}),
    ([f"{IN}start-offset=earliest", f"{IN}configuration.auto.offset.reset=latest"],
     READS | {"consumer.auto.offset.reset": "earliest"}),
    ([f"{BINDER}configuration.enable.auto.commit=true", f"{IN}ack-mode=batch"], READS),
    ([f"{IN}configuration.isolation.level=${{LEVEL:read_committed}}"],
     READS | {"consumer.isolation.level": "read_committed"}),
])  # fmt: skip
def test_settings_of_the_binder_are_read_as_the_binder_applies_them(
    lines: list[str], settings: Settings
) -> None:
    assert _read("\n".join(lines)).settings == settings


def test_a_note_names_the_release_that_changed_the_default_acks_of_the_binder() -> None:
    intake = _read(f"{BINDER}brokers=a\n{OUT}sync=true\n")
    assert intake.settings == CHECKED | {"producer.acks": "1"}
    note = "required-acks is not stated, so the binder sets acks=1: from 5.0.2 on it sets all."
    assert intake.notes == [f"Line 2: {note}"]


@pytest.mark.parametrize(("line", "note"), [
    (f"{IN}auto-commit-offset=false", "ack-mode MANUAL: only your code decides when it commits."),
    (f"{BINDER}required-akcs=1", "spring.cloud.stream.kafka.binder.required-akcs is not a known "
     "name of the binder: not read; the nearest known is requiredacks."),
    (f"{BINDER}configuration.enable.auto.commit=true",
     "the binder ignores enable.auto.commit=true."),
    (f"{BINDER}min-partition-count=3", None),
])  # fmt: skip
def test_settings_of_the_binder_that_are_not_read_are_noted(line: str, note: str | None) -> None:
    notes = _read(f"{OUT}configuration.acks=1\n{line}").notes
    assert [note for note in notes if note.startswith("Line 2: ")][:1] == (
        [f"Line 2: {note}"] if note else []
    )


def test_the_binder_is_read_from_yaml_in_any_spelling() -> None:
    intake = _read("""
spring:
  cloud.stream:
    bindings: {orders-in-0: {group: g}, orders-out-0: {destination: done}}
    kafka:
      binder: {replicationFactor: 3, producerProperties: {"[delivery.timeout.ms]": 60000}}
      bindings:
        orders-in-0: {consumer: {ackMode: MANUAL, configuration: {max.poll.records: 10}}}
""")
    assert intake.settings == {
        "topic.replication.factor": 3, "producer.delivery.timeout.ms": 60000,
        "producer.acks": "1", "producer.linger.ms": 0, "consumer.max.poll.records": 10,
        "consumer.auto.offset.reset": "earliest", "consumer.enable.auto.commit": False,
        "application.framework": "spring-cloud-stream", "application.delivery.errors": "ignored",
    }  # fmt: skip


def test_no_kafka_binder_is_assumed_when_another_binder_is_the_default() -> None:
    text = "spring.cloud.stream.bindings.a-out-0.destination=b\nspring.kafka.producer.acks=all\n"
    text += "spring.cloud.stream.default-binder=rabbit"
    assert _read(text).settings == {"producer.acks": "all"}


def test_a_credential_with_a_default_is_dropped_with_one_note() -> None:
    intake = _read("spring.kafka.properties.sasl.jaas.config=${JAAS:secret}")
    assert intake.notes == ["Line 1: sasl.jaas.config is a credential: dropped, not read."]


@pytest.mark.parametrize(("lines", "framework", "commit"), [
    (["spring.kafka.listener.concurrency=3"], "spring", None),
    (["spring.kafka.consumer.group-id=g"], "spring", "after-processing"),
    (["spring.kafka.consumer.enable-auto-commit=true"], "spring", None),
    (["spring.kafka.consumer.group-id=g", "spring.kafka.producer.transaction-id-prefix=tx-"],
     "spring", "in-transaction"),
    (["spring.kafka.consumer.group-id=g", "spring.kafka.listener.ack-mode=record",
      "spring.kafka.producer.transactionIdPrefix=tx-"], "spring", "in-transaction"),
    ([f"{IN}ack-mode=RECORD", f"{BINDER}transaction.transaction-id-prefix=tx-"],
     "spring-cloud-stream", "in-transaction"),
    (["spring.kafka.producer.transaction-id-prefix=tx-"], None, None),
    (["spring.kafka.consumer.group-id=g", "spring.kafka.producer.transaction-id-prefix=${TX}"],
     "spring", "after-processing"),
    (["spring.kafka.consumer.group-id=g", "spring.kafka.streams.application-id=a"], None, None),
])  # fmt: skip
def test_settings_of_listeners_state_the_framework_that_polls(
    lines: list[str], framework: str | None, commit: str | None
) -> None:
    intake = _read("\n".join(lines))
    assert not intake.problems
    assert intake.settings.get("application.framework") == framework
    assert intake.settings.get("application.commit") == commit


def test_enabled_retry_topics_are_read() -> None:
    lines = "spring.kafka.consumer.group-id=g\nspring.kafka.retry.topic.enabled="
    settings = _read(f"{lines}true").settings
    assert settings["application.retry.topics"] is True
    assert settings["application.dead.letter"] == "acknowledged"
    assert (
        not {"application.retry.topics", "application.dead.letter"}
        & _read(f"{lines}false").settings.keys()
    )


LISTENER = "spring.kafka.listener."


@pytest.mark.parametrize(("text", "milliseconds"), [
    ("PT5S", 5000), ("pt1m30s", 90_000), ("P1DT1H", 90_000_000), ("+PT0S", 0), ("5S", 5000),
    ("5", 5),
])  # fmt: skip
def test_a_duration_may_be_in_iso_8601(text: str, milliseconds: int) -> None:
    intake = _read(f"spring.kafka.consumer.auto-commit-interval={text}")
    assert intake.settings["consumer.auto.commit.interval.ms"] == milliseconds


@pytest.mark.parametrize("text", ["P", "PT", "PT5", "5 minutes"])
def test_a_malformed_duration_is_refused(text: str) -> None:
    assert read(f"spring.kafka.consumer.auto-commit-interval={text}", JAVA).problems


@pytest.mark.parametrize(("mode", "asynchronous", "order"), [
    ("manual", "true", "in-order"), ("manual-immediate", "true", "in-order"),
    ("manual", "false", None), ("batch", "true", None),
])  # fmt: skip
def test_asynchronous_acks_are_committed_in_order(
    mode: str, asynchronous: str, order: str | None
) -> None:
    text = f"{LISTENER}ack-mode={mode}\n{LISTENER}async-acks={asynchronous}\n"
    text += "spring.kafka.consumer.group-id=g\n"
    assert _read(text).settings.get("application.commit.order") == order


def test_retry_topics_with_container_transactions_are_refused() -> None:
    retries = "spring.kafka.retry.topic.enabled=true\nspring.kafka.consumer.group-id=g\n"
    assert not read(retries, JAVA).problems
    intake = read(f"{retries}spring.kafka.producer.transaction-id-prefix=tx-\n", JAVA)
    assert "cannot combine with Container Transactions" in intake.problems[0].message
