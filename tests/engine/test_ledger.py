"""Tables on disk: parts that are whole or not there, and an empty table that is a fact."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq

from labs.engine.ledger import SCHEMAS, TableWriter


def test_several_writers_make_one_table(tmp_path: Path) -> None:
    for part in ("producer-1", "producer-2"):
        writer = TableWriter(tmp_path, "sends", part)
        writer.flush({"value": [1, 2], "outcome": ["ok", "info"]})
        writer.flush({"value": [3], "outcome": ["ok"]})
        writer.close()
    table = pq.read_table(tmp_path / "sends.parquet")
    assert sorted(table["value"].to_pylist(), key=str) == [1, 1, 2, 2, 3, 3]
    assert table["offset"].null_count == 6, "columns left out are null"
    assert table.schema.field("offset").type == SCHEMAS["sends"].field("offset").type


def test_nothing_happened_is_a_table_without_rows(tmp_path: Path) -> None:
    TableWriter(tmp_path, "commits", "consumer-1").close()
    assert pq.read_table(tmp_path / "commits.parquet").num_rows == 0


def test_no_part_is_left_half_written(tmp_path: Path) -> None:
    TableWriter(tmp_path, "sends", "p").flush({"value": [1]})
    assert [part.name for part in (tmp_path / "sends.parquet").iterdir()] == ["p-00000.parquet"]
