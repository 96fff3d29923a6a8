"""The end offset of a log, read from its files while it grows, rolls, is truncated or deleted."""

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


def test_each_read_includes_the_batches_added_since_the_last(log: tuple[Path, LogEnd]) -> None:
    segment, end = log
    assert end.read() == 5
    assert end.read() == 5
    with segment.open("ab") as file:
        file.write(batch(5, 10) + batch(15, 1))
    assert end.read() == 16


def test_an_incomplete_batch_does_not_count(log: tuple[Path, LogEnd]) -> None:
    segment, end = log
    with segment.open("ab") as file:
        file.write(batch(5, 10)[:99])
        file.flush()
        assert end.read() == 5
        file.write(b"r")
    assert end.read() == 15


@pytest.mark.parametrize("read_before", [True, False])
def test_a_truncated_log_ends_earlier(log: tuple[Path, LogEnd], read_before: bool) -> None:
    segment, end = log
    if read_before:
        assert end.read() == 5
    segment.write_bytes(batch(0, 3))
    assert end.read() == 3


@pytest.mark.parametrize(
    ("contents", "end_offset"),
    [
        (batch(0, 3) + batch(3, 1, 61) + batch(4, 4, 139), 8),
        (batch(0, 3) + batch(3, 1), 4),
        (batch(0, 3) + batch(3, 1) + batch(4, 1), 5),
    ],
    ids=["other-batch-boundaries", "same-size", "longer"],
)
def test_a_log_that_was_truncated_and_grew_again_between_two_reads(
    log: tuple[Path, LogEnd], contents: bytes, end_offset: int
) -> None:
    segment, end = log
    assert end.read() == 5
    segment.write_bytes(contents)
    assert end.read() == end_offset


def test_a_new_segment_begins_at_the_offset_in_its_name(log: tuple[Path, LogEnd]) -> None:
    segment, end = log
    assert end.read() == 5
    rolled = segment.with_name(f"{5:020}.log")
    rolled.write_bytes(b"")
    assert end.read() == 5
    rolled.write_bytes(batch(5, 2))
    assert end.read() == 7


def test_gaps_between_batches_are_allowed(tmp_path: Path) -> None:
    write_log(tmp_path, "orders-0", (batch(0, 3), batch(10, 1)))
    assert LogEnd(tmp_path / "orders-0").read() == 11


def test_a_deleted_log_has_no_end_and_a_recreated_one_is_read_anew(
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


def test_bytes_that_are_not_a_batch_end_the_log(log: tuple[Path, LogEnd]) -> None:
    segment, end = log
    with segment.open("ab") as file:
        file.write(bytes(100))
    assert end.read() == 5
    with segment.open("ab") as file:
        file.write(batch(5, 1))
    assert end.read() == 5
