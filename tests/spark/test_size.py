"""The size of a ledger, and the kind of session that is started for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from labs.engine.judge.spark import judge_cold
from spark_jobs import command, size
from spark_jobs.session import BRIEF, LARGE, MEDIUM
from tests.spark.ledgers import sound, write


def history(ledger: Path, sends: int) -> Path:
    """A ledger of acknowledged sends, read by a group; one in 1,000 of them is lost."""
    ledger.mkdir()

    def table(name: str, **columns: object) -> None:
        pq.write_table(pa.table(columns), ledger / f"{name}.parquet")

    values = list(range(sends))
    stored = [value for value in values if value % 1_000 != 1]
    rows, topic, zero = len(stored), ["t"], [0]
    records: dict[str, list[Any]] = {
        "topic": topic * rows,
        "partition": zero * rows,
        "offset": stored,
        "value": stored,
    }
    table(
        "sends", producer=["p"] * sends, value=values, topic=topic * sends, partition=zero * sends,
        key=[f"customer-{value % 99_991}" for value in values], offset=values,
        invoked_ns=[value * 20_000 for value in values],
        completed_ns=[value * 20_000 + 3_000_000 + value % 7_919 for value in values],
        outcome=["ok"] * sends,
    )  # fmt: skip
    table("log", **records)
    table("deliveries", **{name: column * 2 for name, column in records.items()},
          consumer=["c"] * rows + ["f"] * rows, group=["g"] * rows + ["final"] * rows,
          poll=[value // 500 for value in stored] * 2,
          time_ns=[value * 20_000 + 9_000_000 for value in stored] * 2)  # fmt: skip
    table("commits", group=["g"], topic=topic, partition=zero, offset=[sends], outcome=["ok"],
          time_ns=[1])  # fmt: skip
    table("partitions", topic=topic, partition=zero, log_start_offset=zero)
    table("faults", fault=["kill"], phase=["complete"], evidence=["made up"])
    table("meta", final_read_completed=[True])
    return ledger


def test_a_ledger_of_few_bytes_and_many_rows_is_not_small(tmp_path: Path) -> None:
    dense = tmp_path / "dense"
    dense.mkdir()
    count = size.SMALL_ROWS + 1
    pq.write_table(pa.table({"value": [7] * count}), dense / "log.parquet")
    assert size.byte_count(dense) < size.SMALL_BYTES
    assert size.row_count(dense) == count
    assert not size.measure(dense).is_small
    little = write(tmp_path / "little", sound())
    assert size.measure(little).is_small
    assert 0 < size.row_count(little) < 100


def test_a_file_that_cannot_be_read_has_no_rows(tmp_path: Path) -> None:
    (tmp_path / "log.parquet").write_bytes(b"PAR1 no footer PAR1")
    assert size.row_count(tmp_path) == 0
    assert size.measure(tmp_path).is_small
    assert size.measure(tmp_path / "nowhere").is_small


def test_the_largest_ledger_decides_the_kind_of_session(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    row_counts = {"small": 9, "medium": size.QUICK_ROWS, "large": size.QUICK_ROWS + 1}
    monkeypatch.setattr(size, "row_count", lambda ledger: row_counts[ledger.name])
    paths = {name: tmp_path / name for name in row_counts}
    assert command.session_kind([paths["small"]]) is BRIEF
    assert command.session_kind([paths["small"], paths["medium"]]) is MEDIUM
    assert command.session_kind([paths["medium"], paths["large"]]) is LARGE


@pytest.mark.thorough
@pytest.mark.timeout(900)
def test_a_million_sends_with_keys_are_judged_in_a_separate_process(tmp_path: Path) -> None:
    ledger = history(tmp_path / "ledger", 1_000_000)
    (answer,) = judge_cold([ledger], "at-least-once", limit_s=800)
    assert (answer["verdict"], answer["counts"]["lost_write"]) == ("broken", 1_000)
