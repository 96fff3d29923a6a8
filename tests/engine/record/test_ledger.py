"""Tables on disk: parts that are whole or not there, and an empty table that is a fact."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow.parquet as pq

from labs.engine.record.ledger import SCHEMAS, TableWriter
from spark_jobs.count_table import COUNTS
from spark_jobs.ledger_schema import LEDGER, VERSION

ROOT = Path(__file__).parents[3]


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


def rows_of(title: str) -> list[list[str]]:
    """The cells of the first table below a title of the ledger's page."""
    page = (ROOT / "docs" / "ledger.md").read_text("utf-8").partition(f"## {title}\n")[2]
    table = page.partition("\n|")[2].partition("\n\n")[0]
    return [
        [cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]
    ]


def named(cell: str) -> list[str]:
    """What a cell names as code, but for what its parentheses explain."""
    return re.findall(r"`(\w+)`", re.sub(r"\(.*?\)", "", cell))


def test_the_page_of_the_ledger_names_the_columns_of_every_table_and_no_others() -> None:
    data = {named(name)[0]: (row, named(columns)) for name, row, columns in rows_of("Tables")}
    assert data == {name: (table.row, [*table.columns]) for name, table in LEDGER.items()}
    page = (ROOT / "docs" / "ledger.md").read_text("utf-8")
    assert f"Schema version {VERSION}." in page


def test_the_page_of_the_ledger_explains_every_count_and_no_other() -> None:
    explained = [name for counts, _ in rows_of("Counts") for name in named(counts)]
    assert sorted(explained) == sorted(COUNTS)


def test_nothing_happened_is_a_table_without_rows(tmp_path: Path) -> None:
    TableWriter(tmp_path, "commits", "consumer-1").close()
    assert pq.read_table(tmp_path / "commits.parquet").num_rows == 0


def test_no_part_is_left_half_written(tmp_path: Path) -> None:
    TableWriter(tmp_path, "sends", "p").flush({"value": [1]})
    assert [part.name for part in (tmp_path / "sends.parquet").iterdir()] == ["p-00000.parquet"]
