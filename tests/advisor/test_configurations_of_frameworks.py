"""Configurations of frameworks, Kafka Streams and other products, each with the answer of their sources."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.test_configurations import (
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
CONTINUES = (
    "streams.deserialization.exception.handler="
    "org.apache.kafka.streams.errors.LogAndContinueExceptionHandler"
)
API = "default.api.timeout.ms"
SMALLER = "must be no smaller than the value of request.timeout.ms"
SET = [
    # RecordQueue.updateHead drops what has a negative timestamp
    (S, f"{STREAMS} {EXTRACTOR}={TIMES}.LogAndSkipOnInvalidTimestamp", 1,
     "-> org.apache.kafka.streams.processor.UsePartitionTimeOnInvalidTimestamp"),
    (f"{S} --want exactly-once", f"{STREAMS} {EXTRACTOR}={TIMES}.LogAndSkipOnInvalidTimestamp "
     "streams.processing.guarantee=exactly_once_v2", 1, "effect_missing in unprocessable-message"),
    (S, f"{STREAMS} {EXTRACTOR}={TIMES}.LogAndSkipOnInvalidTimestamp {CONTINUES} "
     "streams.errors.dead.letter.queue.topic.name=d", 1, "negative timestamp is dropped"),
    (S, f"{STREAMS} {EXTRACTOR}={TIMES}.UsePartitionTimeOnInvalidTimestamp", 0, "^YES"),
    (S, f"{STREAMS} {EXTRACTOR}={TIMES}.FailOnInvalidTimestamp", 0, "^YES(?!.*S006)"),
    (S, f"{STREAMS} {EXTRACTOR}={TIMES}.WallclockTimestampExtractor", 0, "^YES(?!.*S006)"),
    (S, f"{STREAMS} {EXTRACTOR}=com.acme.FailOnInvalidTimestamp", 0, "S006 low"),
    # a class of the team's own with the name of one of Kafka's
    (S, f"{STREAMS} streams.deserialization.exception.handler=com.acme.LogAndFailExceptionHandler",
     1, "effect_missing in unprocessable-message"),
    # commitSync() waits for default.api.timeout.ms; the client's own commits do not
    ("", f"{C} consumer.{API}=1", 1, "CANNOT WORK.*commitSync"),
    ("", f"{C} consumer.{API}=11", 0, "YES"),
    ("", f"{JAVA} consumer.{API}=1", 0, "YES"),
    (S, f"{STREAMS} consumer.{API}=1", 1, "CANNOT WORK"),
    (S, f"{STREAMS} consumer.{API}=1 streams.processing.guarantee=exactly_once_v2", 0, "YES"),
    (LRK, f"{C} consumer.{API}=1", 2, "There is no consumer setting"),
    ("--client spark", f"{SPARK} consumer.kafka.{API}=1", 2, SMALLER),
    ("--client spark", f"{SPARK} consumer.kafka.{API}=30000", 0, "YES"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "settings", "code", "expected"), SET)
def test_settings(options: str, settings: str, code: int, expected: str) -> None:
    assert_answer(options, settings, code, expected)


@pytest.mark.parametrize(("line", "code", "expected"), [
    (f"{API}=1", 2, SMALLER),
    (f"{API}=1\nadmin.request.timeout.ms=1", 1, "CANNOT WORK"),
    (f"main.consumer.{API}=1", 1, "CANNOT WORK"),
    (f"{API}=30000", 0, "YES"),
])  # fmt: skip
def test_a_call_of_streams_that_waits_for_nothing(
    tmp_path: Path, line: str, code: int, expected: str
) -> None:
    file = tmp_path / "s.properties"
    assert_file(file, f"application.id=a\n{line}\n", "", STREAMS, code, expected)
