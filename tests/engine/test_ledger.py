"""Tables on disk: parts that are whole or not there, and an empty table that is a fact."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow.parquet as pq

from labs.engine.ledger import SCHEMAS, VERSION, TableWriter
from spark_jobs.tables import TABLES

ROOT = Path(__file__).parents[2]


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


def test_the_page_of_the_ledger_names_the_columns_of_every_table_and_no_others() -> None:
    page = (ROOT / "docs" / "ledger.md").read_text("utf-8")
    tables = page.partition("## Tables")[2].partition("\n\n")[2].partition("\n\n")[0]
    told = {}
    for line in tables.splitlines()[2:]:
        name, _, columns = (cell.strip() for cell in line.strip("|").split("|"))
        plain = re.sub(r"\(.*?\)", "", columns)
        told[name.strip("`")] = re.findall(r"`(\w+)`", plain)
    assert {name: sorted(columns) for name, columns in told.items()} == {
        name: sorted(schema.names) for name, schema in SCHEMAS.items()
    }
    assert f"Schema version {VERSION}." in page


def test_the_judge_reads_no_column_that_the_ledger_does_not_have() -> None:
    for table, columns in TABLES.items():
        assert columns.keys() <= set(SCHEMAS[table].names), table


def test_nothing_happened_is_a_table_without_rows(tmp_path: Path) -> None:
    TableWriter(tmp_path, "commits", "consumer-1").close()
    assert pq.read_table(tmp_path / "commits.parquet").num_rows == 0


def test_no_part_is_left_half_written(tmp_path: Path) -> None:
    TableWriter(tmp_path, "sends", "p").flush({"value": [1]})
    assert [part.name for part in (tmp_path / "sends.parquet").iterdir()] == ["p-00000.parquet"]
