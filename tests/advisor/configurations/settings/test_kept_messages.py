"""How long a topic keeps messages, and where a group without a position starts to read."""

from __future__ import annotations

import pytest

from tests.advisor.configurations.asking import C, assert_answer

EVERY = f"{C} topic.cleanup.policy=compact application.history=every"
LAG, WEEK = "topic.min.compaction.lag.ms", 604_800_000
DURATION = "consumer.auto.offset.reset=by_duration"
SETTINGS = [
    # LogCleanerManager.cleanableOffsets (KIP-58): clocks differ by 1 s, if nothing else is stated
    (f"{EVERY} {LAG}=346001", 0, "YES"),
    (f"{EVERY} {LAG}=346000", 1, "1 change .*min.compaction.lag.ms: 346000 -> 692001 "),
    (f"{EVERY} broker.log.cleaner.min.compaction.lag.ms={WEEK}", 0, "YES"),
    (f"{EVERY} {LAG}={WEEK} application.outage.ms={WEEK}", 1, "lag.ms: 604800000 -> 1209602001"),
    (f"{EVERY} {LAG}=0", 1, "cleanup.policy: compact -> delete"),
    (f"{EVERY} {LAG}={WEEK} application.timestamps=from-source topic.message.timestamp.after.max.ms"
     "=9223372036854775807", 1, "effect_missing in .*log-compaction"),
    (f"{EVERY} {LAG}={WEEK} application.timestamps=from-source "
     "topic.message.timestamp.type=LogAppendTime", 0, "YES"),
    (f"{EVERY} {LAG}=9 topic.max.compaction.lag.ms=8", 2, "conflict topic config"),
    # a delete is removed only after it was compacted (KIP-534)
    (f"{C} topic.cleanup.policy=compact topic.delete.retention.ms=0 {LAG}={WEEK}", 0, "YES"),
    (f"{C} topic.cleanup.policy=compact topic.delete.retention.ms=0 {LAG}=346000", 1,
     "delete.retention.ms: 0 -> 690001"),
    # AutoOffsetResetStrategy.fromString uses java.time.Duration.parse
    (f"{C} {DURATION}:p7dt1s", 0, "YES"),
    (f"{C} {DURATION}:pt1h", 1, "older records are skipped"),
    (f"{C} {DURATION}:P7DT1,5S", 0, "YES"),
    (f"{C} {DURATION}:P7DT1.S", 0, "YES"),
    (f"{C} {DURATION}:P1W", 2, "must be one of"),
    (f"{C} consumer.auto.offset.reset=BY_DURATION:P8D", 2, "must be one of"),
]  # fmt: skip


@pytest.mark.parametrize(("settings", "code", "expected"), SETTINGS)
def test_settings_get_the_expected_answer(settings: str, code: int, expected: str) -> None:
    assert_answer("", settings, code, expected)
