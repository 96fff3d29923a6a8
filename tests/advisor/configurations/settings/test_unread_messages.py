"""Messages that stay unread although nothing fails: in a new partition that the group does not know
yet, before a Spark batch is full, or after a response that the consumer does not accept."""

from __future__ import annotations

import pytest

from tests.advisor.configurations.asking import JAVA, SPARK, STREAMS, TOPIC, C, assert_answer

LIBRDKAFKA = f"{TOPIC} consumer.auto.offset.reset=earliest consumer.enable.auto.offset.store=false"
AGE, REFRESH = "consumer.metadata.max.age.ms", "consumer.topic.metadata.refresh.interval.ms"
WEEK, UNDER_WEEK = "604800000", "604799999"
WAITING = f"{SPARK} consumer.minOffsetsPerTrigger=100"
SMALL = "consumer.message.max.bytes=1000 consumer.fetch.max.bytes=1000"
LARGE = "producer.message.max.bytes=200000000 topic.max.message.bytes=300000000"


@pytest.mark.parametrize(("options", "settings", "code", "expected"), [
    ("", f"{C} {AGE}={UNDER_WEEK}", 0, "^YES"),
    ("", f"{C} {AGE}={WEEK}", 1, "metadata.max.age.ms: 604800000 -> 300000"),
    ("", f"{C} {AGE}={WEEK} topic.retention.ms=-1", 0, "^YES"),
    ("", f"{C} {AGE}={WEEK} topic.cleanup.policy=compact", 0, "^YES"),
    ("", f"{C} {AGE}={WEEK} consumer.group.protocol=consumer", 0, "^YES"),
    ("", f"{C} {AGE}=600000 topic.retention.bytes=104857600", 1,
     "retention.bytes=104857600 messages may be deleted"),
    ("", f"{C} {AGE}=600000 topic.retention.bytes=104857600 application.rate=1 "
     "application.message.bytes=100", 0, "^YES"),
    # other timeouts of the group are short, but a new partition takes longer
    ("", f"{C} consumer.max.poll.interval.ms=60000 topic.retention.ms=290000", 1,
     "retention.ms: 290000 -> 600000"),
    ("", f"{C} {AGE}=60000 consumer.max.poll.interval.ms=60000 topic.retention.ms=290000", 0,
     "^YES"),
    ("", f"{JAVA} application.commit=after-processing consumer.enable.auto.commit=false "
     f"consumer.auto.offset.reset=by_duration:PT1H {AGE}=3600001", 1, "3,600,000 ms before its"),
    ("--client streams", f"{STREAMS} {AGE}={WEEK}", 1, "metadata.max.age.ms: 604800000 -> 300000"),
    ("--client streams", f"{STREAMS} {AGE}={UNDER_WEEK}", 0, "^YES"),
    ("--client librdkafka", f"{LIBRDKAFKA} {REFRESH}=-1", 1,
     "topic.metadata.refresh.interval.ms: -1 -> 300000"),
    ("--client librdkafka", f"{LIBRDKAFKA} {REFRESH}=0", 1, "may take until its next rebalance"),
    ("--client librdkafka", f"{LIBRDKAFKA} {REFRESH}=-1 topic.retention.ms=-1", 0, "^YES"),
    ("--client librdkafka", f"{LIBRDKAFKA} {REFRESH}=3600000", 0, "^YES"),
    ("--client librdkafka", f"{LIBRDKAFKA} {REFRESH}=3600000 topic.retention.ms=3600000", 1,
     "topic.metadata.refresh.interval.ms: 3600000 -> 300000"),
])  # fmt: skip
def test_a_new_partition_loses_messages_if_retention_is_shorter_than_its_discovery(
    options: str, settings: str, code: int, expected: str
) -> None:
    assert_answer(options, settings, code, expected)


@pytest.mark.parametrize(("settings", "code", "expected"), [
    (WAITING, 0, "^YES"),
    (f"{WAITING} consumer.maxTriggerDelay=6d", 0, "^YES"),
    (f"{WAITING} consumer.maxTriggerDelay=7D", 1, "minOffsetsPerTrigger=100 with maxTrigger"),
    (f"{WAITING} consumer.maxTriggerDelay=604800000", 1, "^NO"),
    (f"{WAITING} consumer.maxTriggerDelay=-7d", 0, "^YES"),
    (f"{WAITING} topic.retention.ms=1020001", 0, "^YES"),
    (f"{WAITING} topic.retention.ms=1020000", 1, "1,020,000 ms"),
    (f"{WAITING} consumer.maxTriggerDelay=1h application.outage.ms=3600000 "
     "topic.retention.ms=7200000", 1, "7,200,000 ms"),
    (f"{SPARK} consumer.maxTriggerDelay=7d", 0, "^YES"),
    (f"{SPARK} consumer.minOffsetsPerTrigger=0 consumer.maxTriggerDelay=7d", 0, "^YES"),
    (f"{WAITING} consumer.maxTriggerDelay=2weeks", 2, "another time, such as 30s or 2h"),
])  # fmt: skip
def test_a_query_that_waits_for_a_full_batch_leaves_messages_unread(
    settings: str, code: int, expected: str
) -> None:
    assert_answer("--client spark", settings, code, expected)


@pytest.mark.parametrize(("settings", "code", "expected"), [
    (f"{SMALL} consumer.receive.message.max.bytes=1000511", 1, "1000511 -> 100000000"),
    (f"{SMALL} consumer.receive.message.max.bytes=1000512", 0, "^YES"),
    (f"{SMALL} consumer.receive.message.max.bytes=1512 producer.batch.size=1000", 0, "^YES"),
    (f"{LARGE} producer.queue.buffering.max.kbytes=2000000 "
     "application.largest.message.bytes=100000000", 1, "100000000 -> 100000594"),
])  # fmt: skip
def test_a_response_that_librdkafka_does_not_accept_blocks_the_partition(
    settings: str, code: int, expected: str
) -> None:
    assert_answer("--client librdkafka", f"{LIBRDKAFKA} {settings}", code, expected)


@pytest.mark.parametrize(("brokers", "code", "expected"), [
    ("broker.remote.log.storage.system.enable=false", 2,
     "Tiered Storage functionality is disabled in the broker."),
    ("broker.remote.log.storage.system.enable=true", 0, "^YES"),
    ("", 0, "^YES"),
])  # fmt: skip
def test_a_tiered_topic_is_refused_by_brokers_without_tiered_storage(
    brokers: str, code: int, expected: str
) -> None:
    assert_answer("", f"{C} topic.remote.storage.enable=true {brokers}", code, expected)
