"""Files of Quarkus and Micronaut, each with the answer that the frameworks' sources imply."""

from __future__ import annotations

import re

import pytest

from advisor.catalog import Family
from advisor.intake import Product, read
from tests.advisor.configurations.asking import given

COMMON = "topic.replication.factor=3 topic.min.insync.replicas=2 application.restart=resumes"
_IN, _OUT = "mp.messaging.incoming.orders", "mp.messaging.outgoing.bills"
READS = f"{_IN}.connector=smallrye-kafka\n{_IN}.auto.offset.reset=earliest\n"
WRITES = f"{_OUT}.connector=smallrye-kafka\n"
SAFE = f"{READS}{WRITES}{_OUT}.acks=all\n"
_YAML = """
mp:
  messaging:
    incoming:
      orders:
        connector: smallrye-kafka
        auto.offset.reset: latest
    outgoing:
      bills:
        connector: smallrye-kafka
        acks: all
"""

_OTHER = "mp.messaging.incoming.other"
CHANNELS_2 = f"{READS}{_OTHER}.connector=smallrye-kafka\n{_OTHER}.auto.offset.reset=earliest\n"

QUARKUS = [
    (READS, 0, "^YES"),
    (SAFE, 0, "^YES"),
    # KafkaConnector: the default of `acks` is 1, and ReactiveKafkaProducer always sets it
    (READS + WRITES, 1, "acks: 1 -> all.*the connector uses acks=1"),
    (f"{WRITES}{_OUT}.enable.idempotence=true\n", 2, "Must set acks to all"),
    (f"{SAFE}{_OUT}.waitForWriteCompletion=false\n", 1, "delivery.errors: ignored -> handled"),
    # ReactiveKafkaConsumer sets it to false, and KafkaSource commits processed messages in order
    (f"{READS}{_IN}.enable.auto.commit=true\n", 1, "skipped, effect_missing"),
    (f"{READS}{_IN}.commit-strategy=latest\n", 1, "commit.order: as-done -> in-order"),
    (f"{READS}{_IN}.commit-strategy=ignore\n", 2, "nothing commits"),
    (f"{READS}{_IN}.commit-strategy=checkpoint\n", 2, "only your code determines where"),
    (f"{READS}{_IN}.commit-strategy=mine\n", 2, "connector has throttled, latest and ignore"),
    (f"{READS}{_IN}.assign-seek=0|-1\n", 2, "assign-seek assigns partitions by hand"),
    (f"{READS}{_IN}.value-deserialization-failure-handler=h\n", 2, "only that shows"),
    (f"{READS}mp.messaging.connector.smallrye-kafka.failure-strategy=ignore\n", 1,
     "the message is skipped"),
    (f"{READS}mp.messaging.connector.smallrye-kafka.commit-strategy=mine\n", 2, "connector has"),
    (f"{READS}{_IN}.failure-strategy=ignore\n", 1, "the message is skipped"),
    # KafkaDeadLetterQueue writes like an outgoing channel, with acks=1 unless stated
    (f"{READS}{_IN}.failure-strategy=dead-letter-queue\n", 1,
     "it is unknown whether the dead-letter topic has the message"),
    (f"{READS}{_IN}.failure-strategy=dead-letter-queue\n{_IN}.dead-letter-queue.acks=all\n", 0,
     "^YES"),
    (f"{READS}{_IN}.failure-strategy=dead-letter-queue\nkafka.acks=all\n", 0, "^YES"),
    (f"{READS}{_IN}.failure-strategy=dead-letter-queue\n"
     f"{_IN}.fail-on-deserialization-failure=false\n", 1, "the code gets null"),
    (f"{READS}{_IN}.failure-strategy=mine\n", 2, "only that shows"),
    (f"{SAFE}{_IN}.failure-strategy=dead-letter-queue\nkafka.acks=1\n", 1,
     "it is unknown whether the dead-letter topic has the message"),
    (f"{SAFE}{_IN}.failure-strategy=dead-letter-queue\nkafka.acks=1\n{_IN}.acks=all\n", 0,
     "^YES"),
    (f"{SAFE}{_IN}.failure-strategy=dead-letter-queue\n{_IN}.dead-letter-queue.acks=1\n"
     f"{_IN}.acks=all\n", 1, "acks also applies to the dead letters"),
    # KafkaDelayedRetryTopic acknowledges after the last retry if there is no dead-letter topic
    (f"{READS}{_IN}.failure-strategy=delayed-retry-topic\n", 1, "the message is skipped"),
    (f"{READS}{_IN}.failure-strategy=delayed-retry-topic\n{_IN}.dead-letter-queue.topic=d\n", 1,
     "dead letters are written with acks=1"),
    (f"{READS}{_IN}.failure-strategy=delayed-retry-topic\n{_IN}.dead-letter-queue.topic=d\n"
     f"{_IN}.acks=all\n", 0,
     "key_reordered .* the message waits in a topic of its own"),
    # other connectors and profiles do not belong to this application
    (f"{READS}mp.messaging.outgoing.x.connector=smallrye-amqp\n"
     "mp.messaging.outgoing.x.acks=0\n", 0, "^YES.*connector smallrye-amqp sets up its clients"),
    (f"{SAFE}%dev.{_OUT}.acks=0\n", 0, "^YES.*only in profile dev is not read"),
    (f"{SAFE}%dev.{_OUT}.acks=1\nquarkus.profile=${{IN:dev}}\n", 1, "acks: 1 -> all"),
    (f"{SAFE}%dev.{_OUT}.acks=1\nsmallrye.config.profile=a,dev\n", 1, "acks: 1 -> all"),
    (f"{SAFE}%prod.{_OUT}.acks=0\n", 1, "acks: 0 -> all"),
    (f"{READS}{WRITES}mp.messaging.connector.smallrye-kafka.acks=0\nkafka.acks=all\n", 1,
     "acks: 0 -> all"),
    (f"{READS}{WRITES}mp.messaging.connector.smallrye-kafka.acks=all\nkafka.acks=0\n", 0, "^YES"),
    # a placeholder has its default, if any
    (f"{SAFE}{_OUT}.acks=0\n{_OUT}.connector=${{C:smallrye-kafka}}\n", 1, "acks: 0 -> all"),
    (f"{SAFE}{_OUT}.connector=${{C}}\n", 2, "connector is filled in when the application starts"),
    (f"{READS}{_IN}.commit-strategy=${{C:latest}}\n", 1, "commit.order: as-done -> in-order"),
    # KafkaSink sends again what the client has given up, unless `retries` has the default
    (f"{SAFE}{_OUT}.retries=5\n", 0, "^YES.*application.resend=on-error"),
    (f"{SAFE}{_OUT}.retries=2147483647\n", 0, "^YES(?!.*application.resend)"),
    # each channel has its own strategy
    (f"{CHANNELS_2}{_IN}.commit-strategy=latest\n{_OTHER}.commit-strategy=throttled\n", 2,
     "commit.order"),
    (f"{CHANNELS_2}{_IN}.commit-strategy=throttled\nmp.messaging.connector.smallrye-kafka."
     "commit-strategy=latest\n", 2, "commit.order differs"),
    (f"{CHANNELS_2}{_IN}.failure-strategy=delayed-retry-topic\n{_OTHER}.failure-strategy="
     f"delayed-retry-topic\n{_OTHER}.dead-letter-queue.topic=d\nkafka.acks=all\n", 1,
     "the message is skipped"),
    (f"{READS}{_IN}.failure-strategy=fail\nmp.messaging.connector.smallrye-kafka."
     "failure-strategy=ignore\n", 0, "^YES"),
    (f"{SAFE}quarkus.config.locations=/x.properties\n", 0, "^YES.*those files, too"),
    # a profile overrides its parent, and the last profile overrides the others
    (f"{SAFE}%base.{_OUT}.acks=0\nquarkus.config.profile.parent=base\n", 1, "acks: 0 -> all"),
    (f"{SAFE}%base.{_OUT}.acks=0\n%prod.smallrye.config.profile.parent=base\n", 1, "acks: 0"),
    (f"{SAFE}%base.{_OUT}.acks=0\n%prod.{_OUT}.acks=all\nquarkus.config.profile.parent=base\n",
     0, "^YES"),
    (f"{SAFE}%b.{_OUT}.acks=0\n%a.{_OUT}.acks=all\nquarkus.profile=a,b\n", 1, "acks: 0 -> all"),
    (f"{SAFE}%b.{_OUT}.acks=all\n%a.{_OUT}.acks=0\nquarkus.profile=a,b\n", 0, "^YES"),
    (f"kafka.acks=0\n{READS}{WRITES}", 1, "acks: 0 -> all"),
    (f"{SAFE}kafka.acks=0\n", 0, "^YES"),
    (f"{SAFE}mp.messaging.connector.smallrye-kafka.retries=0\n", 1, "retries: 0 -> 2147483647"),
    (f"{SAFE}{_OUT}.retries=${{RETRIES:0}}\n", 1, "RETRIES may replace it"),
    (_YAML, 1, "auto.offset.reset: latest -> earliest"),
]  # fmt: skip

_MICRONAUT = """
kafka:
  bootstrap:
    servers: localhost:9092
  producers:
    default:
      acks: 1
  consumers:
    default:
      auto:
        offset:
          reset: earliest
"""
MICRONAUT = [
    (_MICRONAUT, 1, "acks: 1 -> all"),
    (_MICRONAUT, 1, "the message is skipped.*unless @ErrorStrategy in the code"),
    # a named client does not inherit from the default one
    ("kafka.producers.bills.acks=all\nkafka.producers.default.acks=0\n", 2, "--only bills"),
    ("kafka.producers.bills.linger.ms=9\nkafka.producers.default.acks=all\nkafka.acks=0\n", 2,
     "--only bills, --only default"),
    ("kafka.producers.bills.linger.ms=9\nkafka.producers.default.linger.ms=9\n", 0, "^YES"),
    ("kafka.consumers.default.auto.offset.reset=earliest\nkafka.consumers.g.max.poll.records=5\n",
     2, "--only default, --only g"),
    ("kafka.acks=0\nkafka.producers.default.linger.ms=5\n", 1, "acks: 0 -> all"),
    ("kafka.producers.default.acks=all\nkafka.streams.default.acks=0\n", 0,
     "^YES.*kafka.streams are not read"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code", "expected"), QUARKUS)
def test_a_quarkus_file_gets_the_expected_answer(
    tmp_path, text: str, code: int, expected: str
) -> None:
    _assert_answer(tmp_path, text, COMMON, code, expected)


@pytest.mark.parametrize(("text", "code", "expected"), MICRONAUT)
def test_a_micronaut_file_gets_the_expected_answer(
    tmp_path, text: str, code: int, expected: str
) -> None:
    start = "" if "consumers" in text else " consumer.auto.offset.reset=earliest"
    _assert_answer(tmp_path, text, COMMON + start, code, expected)


def test_spring_property_names_are_case_insensitive() -> None:
    text = (
        "SPRING:\n  KAFKA:\n    PRODUCER:\n      ACKS: 1\n      PROPERTIES:\n"
        "        linger.ms: 7\n        ACKS: 0\n"
    )
    intake = read(text, Product(Family.JAVA, "4.3", "4.3"))
    assert intake.settings == {"producer.acks": "1", "producer.linger.ms": 7}
    [problem] = intake.problems
    assert "There is no producer setting ACKS. Did you mean acks?" in problem.message


def _assert_answer(tmp_path, text: str, settings: str, code: int, expected: str) -> None:
    file = tmp_path / "application.properties"
    file.write_text(text)
    exit_code, output = given(str(file), settings)
    assert re.search(expected, " ".join(output.split())), output
    assert exit_code == code, output
