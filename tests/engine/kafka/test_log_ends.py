"""Where a log ends, by its files: while it grows, is cut off, rolls, vanishes and comes back."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from labs.engine.cluster.log_ends import LogEnd
from tests.engine.disks import batch, write_log


@pytest.fixture
def log(tmp_path: Path) -> tuple[Path, LogEnd]:
    (segment,) = write_log(tmp_path, "orders-0", (batch(0, 3), batch(3, 2)))
    return segment, LogEnd(tmp_path / "orders-0")


def test_each_look_sees_the_batches_that_came_since(log: tuple[Path, LogEnd]) -> None:
    segment, end = log
    assert end.read() == 5
    assert end.read() == 5
    with segment.open("ab") as file:
        file.write(batch(5, 10) + batch(15, 1))
    assert end.read() == 16


def test_a_batch_that_is_not_whole_yet_is_not_there(log: tuple[Path, LogEnd]) -> None:
    segment, end = log
    with segment.open("ab") as file:
        file.write(batch(5, 10)[:99])
        file.flush()
        assert end.read() == 5
        file.write(b"r")
    assert end.read() == 15


@pytest.mark.parametrize("looked_before", [True, False])
def test_a_log_that_was_cut_off_ends_earlier(log: tuple[Path, LogEnd], looked_before: bool) -> None:
    segment, end = log
    if looked_before:
        assert end.read() == 5
    segment.write_bytes(batch(0, 3))
    assert end.read() == 3


@pytest.mark.parametrize(
    ("now", "ends"),
    [
        (batch(0, 3) + batch(3, 1, 61) + batch(4, 4, 139), 8),
        (batch(0, 3) + batch(3, 1), 4),
        (batch(0, 3) + batch(3, 1) + batch(4, 1), 5),
    ],
    ids=["by other batches", "to the same size", "beyond it"],
)
def test_a_log_that_was_cut_off_and_grew_again_between_two_looks(
    log: tuple[Path, LogEnd], now: bytes, ends: int
) -> None:
    segment, end = log
    assert end.read() == 5
    segment.write_bytes(now)
    assert end.read() == ends


def test_a_new_segment_begins_where_its_name_says(log: tuple[Path, LogEnd]) -> None:
    segment, end = log
    assert end.read() == 5
    rolled = segment.with_name(f"{5:020}.log")
    rolled.write_bytes(b"")
    assert end.read() == 5
    rolled.write_bytes(batch(5, 2))
    assert end.read() == 7


def test_compaction_and_markers_leave_gaps(tmp_path: Path) -> None:
    write_log(tmp_path, "orders-0", (batch(0, 3), batch(10, 1)))
    assert LogEnd(tmp_path / "orders-0").read() == 11


def test_no_log_has_no_end_and_one_that_comes_back_begins_anew(
    log: tuple[Path, LogEnd], tmp_path: Path
) -> None:
    _, end = log
    assert end.read() == 5
    shutil.rmtree(tmp_path / "orders-0")
    assert end.read() is None
    (tmp_path / "orders-0").mkdir()
    assert end.read() is None
    (tmp_path / "orders-0" / f"{0:020}.log").write_bytes(batch(0, 2))
    assert end.read() == 2


def test_what_is_no_batch_ends_the_log(log: tuple[Path, LogEnd]) -> None:
    segment, end = log
    with segment.open("ab") as file:
        file.write(bytes(100))
    assert end.read() == 5
    with segment.open("ab") as file:
        file.write(batch(5, 1))
    assert end.read() == 5
