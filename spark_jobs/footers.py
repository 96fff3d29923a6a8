"""Checks the footer of a Parquet part before Spark reads it.

Spark reads a column by its physical type alone: it reads a decimal or a timestamp as the bare
number, whatever its scale or unit (ParquetVectorUpdaterFactory.java). It reads as many rows as the
footer states, at the positions that the last footer of a file names.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from spark_jobs.ledger_schema import LEDGER, Kind
from spark_jobs.lines import NORMALIZED_COLUMNS, normalized

_MAGIC_BYTES = 4
_SEAM = b"PAR1PAR1"
"""The bytes where one Parquet file was appended to another. Only the last one is read."""


def find_problem(table: str, part: Path) -> str:
    """The reason why a part cannot be read as rows of its table; empty if it can.

    Raises `OSError` or `pyarrow.ArrowException` if it has no footer.
    """
    with pq.ParquetFile(part) as file:
        return (
            _problem_of_columns(table, file.schema_arrow)
            or _problem_of_rows(table, file.metadata)
            or _problem_of_bytes(part, file.metadata)
        )


def _problem_of_columns(table: str, schema: pa.Schema) -> str:
    columns = LEDGER[table].columns
    seen: set[str] = set()
    for field in schema:
        name = field.name.lower()  # as Spark compares them
        known = NORMALIZED_COLUMNS[table].get(normalized(name))
        if known is None:
            continue
        if name != known:
            return f"column `{field.name}` would not be read; the column is `{known}`"
        if name in seen:
            return f"column `{name}` is there twice"
        seen.add(name)
        if not _fits(columns[name].kind, field.type):
            return f"column `{name}` has the wrong type: {field.type}"
    return ""


def _fits(kind: Kind, column: pa.DataType) -> bool:
    if pa.types.is_dictionary(column):
        return _fits(kind, column.value_type)
    if pa.types.is_null(column):
        return True
    if kind == "boolean":
        return bool(pa.types.is_boolean(column))
    if kind == "text":
        return column in (pa.string(), pa.large_string(), pa.string_view(), pa.binary())
    return bool(pa.types.is_integer(column)) and column != pa.uint64()


def _problem_of_rows(table: str, metadata: pq.FileMetaData) -> str:
    judged, rows = LEDGER[table].judged, 0
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        rows += group.num_rows
        for chunk in _chunks(group):
            if chunk.file_path:
                return "its rows are in another file"
            if chunk.path_in_schema.lower() in judged and chunk.num_values != group.num_rows:
                return f"its footer states {group.num_rows} rows, and has {chunk.num_values}"
    return "" if rows == metadata.num_rows else f"its footer states {metadata.num_rows} rows"


def _problem_of_bytes(part: Path, metadata: pq.FileMetaData) -> str:
    """Refuses another file in the bytes that belong to neither a column nor the footer."""
    ends = [
        (min(pages), min(pages) + chunk.total_compressed_size)
        for number in range(metadata.num_row_groups)
        for chunk in _chunks(metadata.row_group(number))
        # A chunk without rows has no page.
        if (pages := [*filter(None, (chunk.dictionary_page_offset, chunk.data_page_offset))])
    ]
    first = min((begin for begin, _ in ends), default=_MAGIC_BYTES)
    last = max((end for _, end in ends), default=_MAGIC_BYTES)
    with part.open("rb") as file:
        before = file.read(first)
        file.seek(max(last - len(_SEAM), 0))
        if _SEAM in before or _SEAM in file.read():
            return "this is more than one Parquet file, and only the last would be read"
    return ""


def _chunks(group: pq.RowGroupMetaData) -> Iterator[pq.ColumnChunkMetaData]:
    return (group.column(number) for number in range(group.num_columns))
