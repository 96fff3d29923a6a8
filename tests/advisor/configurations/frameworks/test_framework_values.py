"""Values that a framework cannot convert, and the spellings of its switches.

Sources: Spring, KafkaProperties, LenientObjectToEnumConverterFactory, StringToBooleanConverter;
KafkaMessageListenerContainer.ListenerConsumer; "Configuration Options" of Spring Cloud Stream's
Kafka binder; SmallRye Config, Converters (BOOLEAN_CONVERTER).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import TOPIC, assert_file

RETRIES = f"{TOPIC} application.processing.errors=retry application.restart=resumes"
RESUMES = f"{TOPIC} application.restart=resumes"
YES, REFUSED = "^YES", "Spring does not start"
RESETS = "each partition begins at startOffset when it is assigned"
SPRING = "spring.kafka.producer.acks=all\nspring.kafka.consumer.auto-offset-reset=earliest\n%s\n"
_BINDING, _KAFKA = "spring.cloud.stream.bindings.", "spring.cloud.stream.kafka.bindings."
STREAM = (
    f"{_BINDING}in-in-0.destination=t\n{_BINDING}in-in-0.group=g\n{_BINDING}out-out-0.destination=o\n"
    f"spring.cloud.stream.kafka.binder.required-acks=all\n{_KAFKA}out-out-0.producer.sync=yes\n%s\n"
)
VALUES = [
    (SPRING, "spring.kafka.listener.type=single", YES),
    (SPRING, "spring.kafka.listener.type=BATCH", YES),
    (SPRING, "spring.kafka.listener.type=${X:batch}", YES),
    (SPRING, "spring.kafka.listener.type=bacth",
     "listener.type is single or batch, and bacth is neither .batch, perhaps"),
    (SPRING, "spring.kafka.listener.type=${X:bacth}", REFUSED),
    (SPRING, "spring.kafka.listener.Type=multi", REFUSED),
    (SPRING, "spring.kafka.listener.ack-mode=recrod", "is not one of record"),
    (SPRING, "spring.kafka.listener.ack-mode=manualImmediate", YES),
    (SPRING, "spring.kafka.listener.ack-mode=countTime", YES),
    (SPRING, "spring.kafka.listener.async-acks=ture",
     "async-acks is true or false, and ture is neither"),
    (SPRING, "spring.kafka.listener.concurrency=three", "is a whole number, and three is"),
    (SPRING, "spring.kafka.listener.concurrency=3", YES),
    (SPRING, "spring.kafka.listener.poll-timeout=3sec", REFUSED),
    (SPRING, "spring.kafka.listener.poll-timeout=3s", YES),
    (SPRING, "spring.kafka.listener.missing-topics-fatal=yes", YES),
    (SPRING, "spring.kafka.consumer.isolation-level=ReadCommitted", YES),
    (SPRING, "spring.kafka.consumer.isolation-level=read_comitted", REFUSED),
    (SPRING, "spring.kafka.consumer.enable-auto-commit=flase", REFUSED),
    (SPRING, "spring.kafka.consumer.enable-auto-commit=no", YES),
    (SPRING, "spring.kafka.consumer.max-poll-records=many", REFUSED),
    (SPRING, "spring.kafka.consumer.fetch-min-size=1kb", REFUSED),
    (SPRING, "spring.kafka.consumer.fetch-min-size=1KB", YES),
    (SPRING, "spring.kafka.producer.batch-size=16k", REFUSED),
    (SPRING, "spring.kafka.producer.retries=lots", REFUSED),
    (SPRING, "spring.kafka.retry.topic.enabled=ture", REFUSED),
    (SPRING, "spring.kafka.jaas.control-flag=requird", REFUSED),
    (SPRING, "spring.kafka.listener.type=batch\nspring.kafka.listener.ack-mode=record",
     "Cannot use AckMode.RECORD with a batch listener"),
    (STREAM, f"{_KAFKA}in-in-0.consumer.enable-dlq=ture", REFUSED),
    (STREAM, f"{_KAFKA}in-in-0.consumer.start-offset=earlist", REFUSED),
    (STREAM, f"{_KAFKA}in-in-0.consumer.reset-offsets=true", RESETS),
    (STREAM, f"{_KAFKA}in-in-0.consumer.resetOffsets=${{RESET:on}}", RESETS),
    (STREAM, f"{_KAFKA}in-in-0.consumer.resetOffsets=false", YES),
    (STREAM, f"{_KAFKA}in-in-0.consumer.autoRebalanceEnabled=false", "That is not covered"),
    (STREAM, f"{_KAFKA}in-in-0.consumer.auto-rebalance-enabled=true", YES),
    (STREAM, f"{_BINDING}in-in-0.consumer.batch-mode=treu", REFUSED),
    (STREAM, f"{_KAFKA}out-out-0.producer.sync=ture", REFUSED),
    (STREAM, "", YES),
]  # fmt: skip


@pytest.mark.parametrize(("text", "line", "expected"), VALUES)
def test_spring_does_not_start_with_a_value_that_it_cannot_convert(
    tmp_path: Path, text: str, line: str, expected: str
) -> None:
    path = tmp_path / "application.properties"
    assert_file(path, text % line, "", RETRIES, 0 if expected == YES else 2, expected)


@pytest.mark.parametrize("switch", ["true", "yes", "on", "1", "${ON:true}"])
def test_each_spelling_turns_a_spring_switch_on(tmp_path: Path, switch: str) -> None:
    text = SPRING % f"spring.kafka.retry.topic.enabled={switch}"
    path = tmp_path / "application.properties"
    assert_file(path, text, "--ordering", RETRIES, 1, "retry.topics")


CHANNELS = (
    "mp.messaging.incoming.in.connector=smallrye-kafka\n"
    "mp.messaging.incoming.in.auto.offset.reset=earliest\n"
    "mp.messaging.outgoing.out.connector=smallrye-kafka\nmp.messaging.outgoing.out.acks=all\n%s\n"
)
IGNORED, SKIP = "application.delivery.errors=ignored", "application.processing.errors=skip"


@pytest.mark.parametrize(("line", "code", "expected"), [
    ("outgoing.out.waitForWriteCompletion=false", 1, IGNORED),
    ("outgoing.out.waitForWriteCompletion=no", 1, IGNORED),
    ("outgoing.out.waitForWriteCompletion=flase", 1, IGNORED),
    ("outgoing.out.waitForWriteCompletion=yes", 0, YES),
    ("incoming.in.fail-on-deserialization-failure=off", 1, SKIP),
    ("incoming.in.failure-strategy=fial", 2, "The connector has fail, ignore"),
    ("incoming.in.commit-strategy=throtled", 2, "the connector has throttled, latest"),
])  # fmt: skip
def test_any_other_word_turns_a_smallrye_switch_off(
    tmp_path: Path, line: str, code: int, expected: str
) -> None:
    text = CHANNELS % f"mp.messaging.{line}"
    assert_file(tmp_path / "application.properties", text, "", RESUMES, code, expected)


POOL = (
    "apiVersion: kafka.strimzi.io/v1\nkind: KafkaNodePool\nspec:\n  replicas: 3\n"
    "  roles: [broker]\n  storage: {type: %s}\n"
)


@pytest.mark.parametrize(("storage", "code", "expected"), [
    ("persistent-claim", 0, YES),
    ("jbod, volumes: [{id: 0, type: persistent-claim}]", 0, YES),
    ("ephemral", 2, "storage has no type ephemral: Strimzi has persistent-claim, ephemeral, jbod"),
    ("jbod, volumes: [{id: 0, type: persistent-clam}]", 2, "storage has no type persistent-clam"),
])  # fmt: skip
def test_a_strimzi_storage_type_gets_the_expected_answer(
    tmp_path: Path, storage: str, code: int, expected: str
) -> None:
    reads = "consumer.auto.offset.reset=earliest"
    assert_file(tmp_path / "k.yaml", POOL % storage, "", f"{RESUMES} {reads}", code, expected)
