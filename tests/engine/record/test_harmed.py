"""The messages that an anomaly affected, and logs as text, from ledgers of a few messages."""

from __future__ import annotations

from pathlib import Path

import pytest

from labs.engine.record import dump
from labs.engine.record.harmed import harmed
from tests.engine import histories

LOST = frozenset({6, 7, 8, 9})
"""The acknowledged messages that were truncated from the log in `histories`."""
BROKER_LOG = (
    "[2026-11-24 08:16:48,730] INFO [Broker id=1] Leader orders-0 starts at leader epoch 0 (log)",
    "[2026-11-24 08:16:49,000] INFO [Broker id=1] Leader other-0 starts at leader epoch 0 (log)",
    "[2026-11-24 08:16:50,000] INFO Loaded orders-0 from {place}/cluster/data (UnifiedLog)",
    "\tat java.base/java.lang.Thread.run",
    "[2026-11-24 08:16:51,000] INFO Created log for partition orders-0 in {place}/cluster/data (L)",
)


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    return histories.lost_at_the_end_of_a_log(tmp_path / "run" / "ledger")


def test_the_lost_messages_are_those_acknowledged_and_not_in_the_log(ledger: Path) -> None:
    assert harmed(ledger, "lost_write", 4) == LOST
    assert harmed(ledger, "duplicate", 0) == frozenset()


def test_without_a_ledger_or_with_another_count_of_the_judge_there_is_no_result(
    ledger: Path, tmp_path: Path
) -> None:
    assert harmed(ledger, "lost_write", 3) is None
    assert harmed(ledger, "reordered", 0) is None
    assert harmed(tmp_path / "pruned", "lost_write", 4) is None


def test_messages_with_several_offsets_are_duplicates(tmp_path: Path) -> None:
    rows = [
        {"topic": "orders", "partition": 0, "value": value, "offset": offset, "replica": None}
        for offset, value in enumerate((0, 1, 0, 1, 1))
    ]
    histories.write(tmp_path, "log", *rows)
    histories.write(tmp_path, "sends", {"value": 0, "outcome": "ok"})
    assert harmed(tmp_path, "duplicate", 3) == frozenset({0, 1})
    assert harmed(tmp_path, "duplicate", 2) is None


def test_a_dump_shows_the_records_around_a_jump_in_values(ledger: Path) -> None:
    assert len(dump.records(ledger)) == 11
    lines = dump.around_jumps(ledger)
    position = lines.index("partition: 0 offset: 5 value: 5")
    assert lines[position + 1] == "partition: 0 offset: 6 value: 10"


def test_records_far_from_a_jump_are_left_out_and_marked(tmp_path: Path) -> None:
    values = [*range(50), *range(60, 100)]
    rows = [
        {"topic": "orders", "partition": 0, "value": value, "offset": offset, "replica": None}
        for offset, value in enumerate(values)
    ]
    histories.write(tmp_path, "log", *rows)
    lines = dump.around_jumps(tmp_path)
    assert [line.rpartition(" ")[2] for line in lines] == [
        "0", "1", "2", "3", "…", "46", "47", "48", "49", "60", "61", "62", "63", "…",
        "96", "97", "98", "99",
    ]  # fmt: skip


def test_broker_logs_are_reduced_to_lines_about_the_topic_without_local_paths(
    tmp_path: Path,
) -> None:
    logs = tmp_path / "run" / "logs"
    logs.mkdir(parents=True)
    run_folder = logs.parent.resolve()
    (logs / "broker-1.log").write_text("\n".join(BROKER_LOG).format(place=run_folder), "utf-8")
    (logs / "consumer-1.log").write_text("orders-0 leader epoch", "utf-8")
    assert list(dump.broker_logs(logs)) == ["broker-1"]
    assert dump.notable(logs, "orders") == [
        "08:16:48,730 broker-1 INFO [Broker id=1] Leader orders-0 starts at leader epoch 0",
        "08:16:51,000 broker-1 INFO Created log for partition orders-0 in cluster/data",
    ]
    assert dump.broker_logs(tmp_path / "nowhere") == {}
