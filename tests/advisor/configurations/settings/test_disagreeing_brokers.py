"""Brokers of one cluster that disagree: the weaker value counts, in whatever order they are given.

Each broker applies its own defaults to the partitions that it leads or compacts.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import C, assert_files

BROKER = "process.roles=broker,controller\nnode.id=%d\n"
EVERY = "topic.cleanup.policy=compact application.history=every"
OLD, STAMP = "application.timestamps=from-source", "log.message.timestamp"
CASES = [
    # a setting in the file of one broker and in that of another one, which may be without it
    (EVERY, "log.cleaner.min.compaction.lag.ms=604800000", "", "log-compaction"),
    (EVERY, "log.cleaner.min.compaction.lag.ms=604800000", "log.cleaner.min.compaction.lag.ms=5",
     "log-compaction"),
    ("topic.cleanup.policy=compact", "log.cleaner.delete.retention.ms=604800000",
     "log.cleaner.delete.retention.ms=5", "delete.retention.ms=5"),
    (OLD, f"{STAMP}.type=LogAppendTime", "", "message.timestamp.type: CreateTime -> LogAppend"),
    (OLD, f"{STAMP}.type=LogAppendTime", f"{STAMP}.type=CreateTime", "foreign-timestamps"),
    ("", f"{STAMP}.before.max.ms=1000", f"{STAMP}.before.max.ms=604800000", "before.max.ms=1000"),
    ("", f"{STAMP}.after.max.ms=0", f"{STAMP}.after.max.ms=3600000", "after.max.ms: 0 -> 3600000"),
    ("", f"{STAMP}.after.max.ms=0", "", "after.max.ms: 0 -> 3600000"),
]  # fmt: skip


@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize(("settings", "one", "other", "expected"), CASES)
def test_the_weaker_value_of_two_brokers_counts(
    tmp_path: Path, settings: str, one: str, other: str, expected: str, is_first: bool
) -> None:
    lines = (one, other) if is_first else (other, one)
    files = {f"{at}.properties": f"{BROKER % at}{line}\n" for at, line in enumerate(lines, start=1)}
    assert_files(tmp_path, files, f"{C} {settings}", 1, expected)


REFUSED = [
    ("transaction.max.timeout.ms=1000", "transaction.max.timeout.ms=900000", "transaction timeout"),
    ("group.min.session.timeout.ms=50000", "", "The session timeout is not within the range"),
    ("group.max.session.timeout.ms=40000", "group.max.session.timeout.ms=90000", "session timeout"),
]  # fmt: skip


@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize(("one", "other", "expected"), REFUSED)
def test_what_one_of_two_brokers_refuses_is_refused(
    tmp_path: Path, one: str, other: str, expected: str, is_first: bool
) -> None:
    lines = (one, other) if is_first else (other, one)
    files = {f"{at}.properties": f"{BROKER % at}{line}\n" for at, line in enumerate(lines, start=1)}
    assert_files(tmp_path, files, f"{C} producer.transactional.id=a", 2, expected)
