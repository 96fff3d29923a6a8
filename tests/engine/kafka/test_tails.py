"""Cutting the unflushed end of a log: a recovery point or `flush.messages` limits what is cut."""

from __future__ import annotations

from pathlib import Path

import pytest

from labs.engine.cluster.tails import Cut, checkpointed, cut_unflushed
from labs.engine.scenarios.model import NEVER
from tests.engine.disks import batch, formatted, write_log

LOG = ((batch(0, 3), batch(3, 2)), (batch(5, 4), batch(9, 1)))
"""Ten records in four batches of 100 bytes, two in each segment."""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return formatted(tmp_path / "broker")


def checkpoint(data: Path, *rows: str) -> None:
    text = "\n".join(["0", str(len(rows)), *rows, ""])
    (data / "recovery-point-offset-checkpoint").write_text(text)


def test_a_log_without_a_checkpoint_was_never_flushed(data: Path) -> None:
    write_log(data, "orders-0", *LOG)
    assert checkpointed(data, "recovery-point") == {}
    assert cut_unflushed(data, {"orders": NEVER}) == [Cut("orders-0", 400, 0, 0)]


@pytest.mark.parametrize(
    ("recovery_point", "kept", "end"),
    [(0, 0, 0), (3, 100, 3), (5, 200, 5), (9, 300, 9), (10, 400, 10)],
)
def test_batches_below_the_recovery_point_stay(
    data: Path, recovery_point: int, kept: int, end: int
) -> None:
    files = write_log(data, "orders-0", *LOG)
    checkpoint(data, "other 1 7", f"orders 0 {recovery_point}")
    assert cut_unflushed(data, {"orders": NEVER}) == [Cut("orders-0", 400, kept, end)]
    assert [file.stat().st_size for file in files] == [min(kept, 200), max(kept - 200, 0)]


@pytest.mark.parametrize(("flush_messages", "kept"), [(1, 400), (2, 300), (3, 300), (6, 200)])
def test_fewer_than_flush_messages_records_are_unflushed(
    data: Path, flush_messages: int, kept: int
) -> None:
    write_log(data, "orders-0", *LOG)
    assert cut_unflushed(data, {"orders": flush_messages})[0].kept == kept


def test_logs_of_other_topics_are_unchanged_and_an_incomplete_batch_is_cut(data: Path) -> None:
    (offsets,) = write_log(data, "__consumer_offsets-0", (batch(0, 3),))
    (torn,) = write_log(data, "a-b-0", (batch(0, 3), batch(3, 2)[:50]))
    assert [cut.log for cut in cut_unflushed(data, {"a-b": 1})] == ["a-b-0"]
    assert offsets.stat().st_size == 100
    assert torn.stat().st_size == 100


def test_a_checkpoint_has_one_offset_per_log_and_a_missing_one_is_empty(
    tmp_path: Path,
) -> None:
    assert checkpointed(tmp_path, "replication") == {}
    (tmp_path / "replication-offset-checkpoint").write_text("0\n2\na-b 1 7\na-b 0 40000\n")
    assert checkpointed(tmp_path, "replication") == {"a-b-1": 7, "a-b-0": 40_000}
