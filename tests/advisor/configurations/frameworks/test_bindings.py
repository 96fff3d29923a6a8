"""Bindings of Spring Cloud Stream: whether they read or write, and what the binder does for them.

Sources: Spring Cloud Stream reference, Functional binding names and StreamBridge; the Kafka
binder's KafkaConsumerProperties (`reactiveAtMostOnce`) and KafkaMessageChannelBinder.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import TOPIC, assert_file

STREAM = "spring.cloud.stream."
KAFKA = f"{STREAM}kafka."
READS = f"{STREAM}bindings.orders.destination=orders\n{STREAM}bindings.orders.group=g\n"
WRITES = f"{STREAM}bindings.%s.destination=invoices\n"
BINDER = f"{KAFKA}binder.brokers=k:9092\n"
RETRIED = f"{TOPIC} application.processing.errors=retry application.restart=resumes"
IGNORED = "application.delivery.errors: ignored -> handled"
UNCLEAR = "nothing shows whether this binding reads or writes"
AT_MOST_ONCE = "application.commit: before-processing -> after-processing"


@pytest.mark.parametrize(("text", "code", "expected"), [
    (f"{READS}{BINDER}", 0, "^YES"),
    (f"{READS}{BINDER}{WRITES % 'f-out-0'}", 1, IGNORED),
    (f"{READS}{BINDER}{WRITES % 'output'}", 1, IGNORED),
    (f"{READS}{BINDER}{WRITES % 'bills'}{STREAM}function.bindings.f-out-0=bills", 1, IGNORED),
    (f"{READS}{BINDER}{WRITES % 'bills'}{KAFKA}bindings.bills.producer.sync=true\n"
     f"{STREAM}function.bindings.f-out-0=bills\n{KAFKA}binder.required-acks=all", 0, "^YES"),
    (f"{READS}{BINDER}{STREAM}output-bindings=bills", 1, IGNORED),
    (f"{READS}{BINDER}{STREAM}output-bindings=bills\n{KAFKA}binder.required-acks=all\n"
     f"{KAFKA}bindings.bills-out-0.producer.sync=true", 0, "^YES"),
    (f"{READS}{BINDER}{WRITES % 'bills'}", 2, f"{UNCLEAR}.*choose another binding"),
    (f"{READS}{BINDER}{WRITES % 'bills'}{STREAM}bindings.bills.binder=rabbit", 0, "^YES"),
    (f"{BINDER}{WRITES % 'bills'}", 2, UNCLEAR),
])  # fmt: skip
def test_a_binding_that_writes_counts_under_any_name(
    tmp_path: Path, text: str, code: int, expected: str
) -> None:
    assert_file(tmp_path / "application.properties", text, "", RETRIED, code, expected)


def test_a_binding_may_be_chosen_beside_an_unclear_one(tmp_path: Path) -> None:
    text = f"{READS}{BINDER}{WRITES % 'bills'}"
    path = tmp_path / "application.properties"
    assert_file(path, text, "--only orders", RETRIED, 0, "^YES")


def test_the_group_of_a_binding_of_another_binder_does_not_count(tmp_path: Path) -> None:
    text = f"{READS}{STREAM}bindings.orders.binder=rabbit\n{WRITES % 'f-out-0'}{BINDER}"
    expected = "^NO(?!.*the binder sets it to earliest).*auto.offset.reset: latest -> earliest"
    assert_file(tmp_path / "application.properties", text, "", RETRIED, 1, expected)


ANONYMOUS = f"{STREAM}bindings.f-in-0.destination=orders\n{BINDER}"
NEW_GROUP = "has no group: the binder makes a new one at each start"


@pytest.mark.parametrize(("text", "code", "expected"), [
    (ANONYMOUS, 1, "consumer.auto.offset.reset: latest -> earliest"),
    (f"{ANONYMOUS}{KAFKA}bindings.f-in-0.consumer.start-offset=earliest", 2, NEW_GROUP),
    (f"{ANONYMOUS}{KAFKA}binder.consumer-properties.auto.offset.reset=none", 2, NEW_GROUP),
    (f"{ANONYMOUS}spring.kafka.consumer.auto-offset-reset=earliest", 2, NEW_GROUP),
    (f"{ANONYMOUS}{STREAM}bindings.f-in-0.group=g-${{random.uuid}}", 2, "new one at each start"),
    (f"{ANONYMOUS}{STREAM}bindings.f-in-0.group=g\n"
     f"{KAFKA}bindings.f-in-0.consumer.start-offset=earliest", 0, "^YES"),
    (f"{ANONYMOUS}{STREAM}default.group=g\n"
     f"{KAFKA}bindings.f-in-0.consumer.start-offset=earliest", 0, "^YES"),
])  # fmt: skip
def test_a_binding_needs_a_group_of_the_same_name_at_each_start(
    tmp_path: Path, text: str, code: int, expected: str
) -> None:
    assert_file(tmp_path / "application.properties", text, "", RETRIED, code, expected)


@pytest.mark.parametrize(("setting", "code", "expected"), [
    ("reactiveAtMostOnce=true", 1, AT_MOST_ONCE),
    ("reactive-at-most-once=false", 0, "^YES"),
    ("reactiveAutoCommit=true", 0, "^YES"),
])  # fmt: skip
def test_the_reactive_binder_may_commit_before_processing(
    tmp_path: Path, setting: str, code: int, expected: str
) -> None:
    text = f"{READS}{KAFKA}bindings.orders.consumer.{setting}"
    assert_file(tmp_path / "application.properties", text, "", RETRIED, code, expected)


@pytest.mark.parametrize(("group", "code", "expected"), [
    ("", 2, "does not start with enable-dlq=true"),
    (f"{STREAM}bindings.f-in-0.group=g", 1, "dead-letter-refused"),
    (f"{STREAM}default.group=g", 1, "dead-letter-refused"),
])  # fmt: skip
def test_a_dead_letter_topic_needs_a_group(
    tmp_path: Path, group: str, code: int, expected: str
) -> None:
    text = f"{STREAM}bindings.f-in-0.destination=orders\n{group}\n"
    text += f"{KAFKA}bindings.f-in-0.consumer.enable-dlq=true\n"
    text += f"{KAFKA}bindings.f-in-0.consumer.start-offset=earliest\n"
    assert_file(tmp_path / "application.properties", text, "", TOPIC, code, expected)
