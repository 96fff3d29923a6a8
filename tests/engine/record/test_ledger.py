"""Tables on disk: parts are complete or absent, and a table may be empty."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow.parquet as pq

from labs.engine.record.ledger import SCHEMAS, TableWriter
from spark_jobs.count_table import COUNTS
from spark_jobs.ledger_schema import LEDGER, VERSION

ROOT = Path(__file__).parents[3]


def test_several_writers_write_one_table(tmp_path: Path) -> None:
    for part in ("producer-1", "producer-2"):
        writer = TableWriter(tmp_path, "sends", part)
        writer.flush({"value": [1, 2], "outcome": ["ok", "info"]})
        writer.flush({"value": [3], "outcome": ["ok"]})
        writer.close()
    table = pq.read_table(tmp_path / "sends.parquet")
    assert sorted(table["value"].to_pylist(), key=str) == [1, 1, 2, 2, 3, 3]
    assert table["offset"].null_count == 6, "columns left out are null"
    assert table.schema.field("offset").type == SCHEMAS["sends"].field("offset").type


def first_table(title: str) -> list[list[str]]:
    """The cells of the first table below a title in docs/ledger.md."""
    page = (ROOT / "docs" / "ledger.md").read_text("utf-8").partition(f"## {title}\n")[2]
    table = page.partition("\n|")[2].partition("\n\n")[0]
    return [
        [cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]
    ]


def code_names(cell: str) -> list[str]:
    """The names in backquotes in a cell, without those in parentheses."""
    return re.findall(r"`(\w+)`", re.sub(r"\(.*?\)", "", cell))


def test_docs_ledger_md_names_the_columns_of_every_table_and_no_others() -> None:
    data = {
        code_names(name)[0]: (row, code_names(columns))
        for name, row, columns in first_table("Tables")
    }
    assert data == {name: (table.row, [*table.columns]) for name, table in LEDGER.items()}
    page = (ROOT / "docs" / "ledger.md").read_text("utf-8")
    assert f"Schema version {VERSION}." in page


def test_docs_ledger_md_explains_every_count_and_no_others() -> None:
    explained = [name for counts, _ in first_table("Counts") for name in code_names(counts)]
    assert sorted(explained) == sorted(COUNTS)


def test_a_writer_without_rows_writes_an_empty_table(tmp_path: Path) -> None:
    TableWriter(tmp_path, "commits", "consumer-1").close()
    assert pq.read_table(tmp_path / "commits.parquet").num_rows == 0


def test_no_temporary_file_is_left_in_a_table(tmp_path: Path) -> None:
    TableWriter(tmp_path, "sends", "p").flush({"value": [1]})
    assert [part.name for part in (tmp_path / "sends.parquet").iterdir()] == ["p-00000.parquet"]
