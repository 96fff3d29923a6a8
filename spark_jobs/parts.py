"""Checks the files of a ledger before Spark reads them, so that none is ignored silently.

Spark skips empty files and names that begin with `_` or `.`, and reads a folder `name=value` as a
column (partition discovery, PartitioningAwareFileIndex.scala). Each of these would hide rows from
the verdict. A sealed ledger must also be, byte for byte, what its recorder sealed.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from spark_jobs import footers, lines
from spark_jobs.tables import TABLES, MalformedLedger

SEAL = "seal.json"
"""The file that `labs.engine.record.ledger.seal` writes: `{"sealed": 1, "tables": {table: {part:
{rows, bytes, sha256}}}}`, with each part by its path in the ledger."""

_SEAL_VERSION = 1
_MAGIC = b"PAR1"
_MIN_BYTES = 12
"""The least size of a Parquet file: both magics, and the length of the footer between them."""

_MARKERS = re.compile(r"_SUCCESS|_(committed|started)_\w+|_(common_)?metadata|\..+\.crc")
"""Files without rows that Hadoop, Spark and Databricks write next to the parts of a table."""

_COPYING_SUFFIX = "._COPYING_"
"""The suffix of a file while Hadoop copies it."""

_SECOND_FILE = re.compile(
    rf"[._]*(?P<table>{'|'.join(TABLES)})[^a-z.].*\.(parquet|jsonl|ndjson|json|csv|gz|zst)"
)
"""The name of a second file of a table: `sends-2.jsonl`, `log (1).parquet`."""

_NOT_PARQUET = "this is not a Parquet file, or not all of it"

_CHUNK_BYTES = 2**20


def not_a_folder(ledger: Path) -> str:
    """The message for a ledger that does not exist."""
    return f"{ledger} is not a folder"


def check(ledger: Path, complete: bool = False) -> bool:
    """Checks the files of a ledger; returns whether it is sealed.

    `complete` is whether the ledger is known to be as its recorder left it, sealed or not. Raises
    `MalformedLedger` if a file is invalid, or could be ignored when the ledger is read.
    """
    try:
        if not ledger.is_dir():
            raise MalformedLedger(not_a_folder(ledger))
        seal = ledger / SEAL
        sealed = os.path.lexists(seal)
        if sealed:
            _check_seal(ledger, seal)
        for entry in sorted(ledger.iterdir()):
            _check_name(ledger, entry)
        for table in TABLES:
            files = list(parts(ledger, table))
            for part in files:
                _check_part(table, part)
            _check_columns(table, files)
            if not sealed:
                _check_copies(files)
            if not sealed and not complete:
                _check_unfinished(ledger / f"{table}.parquet")
    except (OSError, RuntimeError) as error:  # unreadable, or a loop of links
        raise MalformedLedger(f"{ledger}: a file cannot be read: {error}") from None
    return sealed


def parts(ledger: Path, table: str) -> Iterator[Path]:
    """The files of one table that have rows. Raises `MalformedLedger` for a folder without any."""
    path = ledger / f"{table}.parquet"
    if path.is_dir():
        paths = [entry for entry in sorted(path.iterdir()) if not _is_skipped(entry)]
        if not paths:
            raise MalformedLedger(f"{path}: the folder of a table holds no part")
        yield from paths
    elif path.exists():
        yield path
    if (text := ledger / f"{table}.jsonl").exists():
        yield text


def _check_name(ledger: Path, entry: Path) -> None:
    """Refuses a second file of a table, and a file with the name of a table that is not read."""
    stem, _, suffix = entry.name.lstrip("._").lower().partition(".")
    if stem not in TABLES and (second := _SECOND_FILE.fullmatch(entry.name.lower())):
        stem = second["table"]
    if stem not in TABLES or suffix == "new" or re.fullmatch(r"\..+\.(crc|new)", entry.name):
        return
    if entry.name not in (f"{stem}.parquet", f"{stem}.jsonl"):
        raise MalformedLedger(
            f"{entry}: this would not be read; a table is `{stem}.parquet` or `{stem}.jsonl`"
        )
    if not entry.exists():
        raise MalformedLedger(f"{entry}: this link leads nowhere")
    # Spark receives the resolved name of a link, and treats the file by that name.
    if _is_hidden(real := entry.resolve()) or (real.suffix != entry.suffix and real.is_file()):
        raise MalformedLedger(f"{entry}: this link leads to {real.name}, which would not be read")
    if entry.suffix == ".jsonl" and os.path.lexists(ledger / f"{stem}.parquet"):
        raise MalformedLedger(f"{ledger}: both `{stem}.parquet` and `{stem}.jsonl` are there")


def _is_skipped(entry: Path) -> bool:
    """Whether a file in a table's folder has no rows: a marker, or a part that was never finished.

    A recorder that is killed leaves an unfinished part under a name that begins with a dot. Raises
    `MalformedLedger` if the file has rows and Spark would skip it.
    """
    if _MARKERS.fullmatch(entry.name) and not _has_rows(entry):
        return True
    torn = _is_torn(entry)
    if _is_hidden(entry) and not torn:
        raise MalformedLedger(
            f"{entry}: a part whose name begins with `_` or `.` is not read,"
            f" nor one that ends in `{_COPYING_SUFFIX}`"
        )
    return torn


def _is_hidden(entry: Path) -> bool:
    """Whether Spark skips a file of this name (HadoopFSUtils.shouldFilterOutPathName)."""
    return entry.name.startswith(("_", ".")) or entry.name.endswith(_COPYING_SUFFIX)


def _is_torn(entry: Path) -> bool:
    return entry.name.startswith(".") and entry.is_file() and not _is_parquet(entry)


def _has_rows(entry: Path) -> bool:
    """Whether a file is Parquet with rows of its own; `_metadata` describes rows of other files."""
    if not entry.is_file() or not _is_parquet(entry):
        return False
    try:
        metadata = pq.read_metadata(entry)
    except pa.ArrowException:
        return False
    groups = (metadata.row_group(number) for number in range(metadata.num_row_groups))
    return any(group.num_rows and not group.column(0).file_path for group in groups)


def _check_unfinished(table: Path) -> None:
    """Refuses a table with an unfinished part, in a ledger whose recorder may have been killed."""
    for entry in sorted(table.iterdir()) if table.is_dir() else ():
        if _is_torn(entry) and not _MARKERS.fullmatch(entry.name):
            raise MalformedLedger(f"{entry}: this part was never finished, and rows of it are gone")


def _check_part(table: str, part: Path) -> None:
    if part.is_dir():
        raise MalformedLedger(f"{part}: a folder among the parts of a table, which must be files")
    if not stat.S_ISREG(part.stat().st_mode):
        raise MalformedLedger(f"{part} is not a file")
    if ":" in part.name:
        raise MalformedLedger(f"{part}: Spark cannot read a file with a colon in its name")
    if part.suffix == ".jsonl":
        _check_text(table, part)
    elif part.stat().st_size == 0:
        raise MalformedLedger(f"{part}: this part is empty (0 bytes)")
    elif not _is_parquet(part):
        raise MalformedLedger(f"{part}: {_NOT_PARQUET}")
    else:
        try:
            problem = footers.find_problem(table, part)
        except (pa.ArrowException, OSError):
            problem = _NOT_PARQUET
        if problem:
            raise MalformedLedger(f"{part}: {problem}")


def _check_columns(table: str, files: list[Path]) -> None:
    """Refuses parts with different columns: a column that a part lacks would be null."""
    seen: dict[frozenset[str], Path] = {}
    for part in files if files[1:] else ():
        names = [name.lower() for name in pq.read_schema(part).names]
        seen.setdefault(frozenset(TABLES[table]).intersection(names), part)
    if len(seen) > 1:
        (some, one), (others, other) = list(seen.items())[:2]
        name = min(some ^ others)
        having, lacking = (one, other) if name in some else (other, one)
        raise MalformedLedger(f"{lacking}: no column `{name}`, which {having.name} has")


def _check_copies(files: list[Path]) -> None:
    """Refuses two parts that are the same byte for byte: their rows would count twice."""
    by_size: dict[int, list[Path]] = {}
    for part in files if files[1:] else ():
        by_size.setdefault(part.stat().st_size, []).append(part)
    for same_size in by_size.values():
        seen: dict[str, Path] = {}
        for part in same_size if same_size[1:] else ():
            first = seen.setdefault(sha256(part), part)
            if first is not part and pq.read_metadata(part).num_rows:
                raise MalformedLedger(f"{part}: this part is a copy of {first.name}")


def _is_parquet(part: Path) -> bool:
    if not stat.S_ISREG(part.stat().st_mode) or part.stat().st_size < _MIN_BYTES:
        return False
    with part.open("rb") as file:
        first = file.read(len(_MAGIC))
        file.seek(-len(_MAGIC), os.SEEK_END)
        return first == file.read() == _MAGIC


def _check_text(table: str, path: Path) -> None:
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            # Spark and others skip the byte order mark with which some editors begin a file.
            encoding = "utf-8-sig" if number == 1 else "utf-8"
            try:
                text = line.decode(encoding).strip(" \r\n")
                problem = lines.find_problem(table, text) if text else ""
            except UnicodeDecodeError:
                problem = "this is not UTF-8"
            if problem:
                raise MalformedLedger(f"{path}, line {number}: {problem}")


def _check_seal(ledger: Path, seal: Path) -> None:
    sealed = _read_seal(seal)
    present = {
        str(part.relative_to(ledger)): part for table in TABLES for part in parts(ledger, table)
    }
    for name in sorted(sealed.keys() - present.keys()):
        table, _, _ = name.partition(".")
        if table in TABLES or not (ledger / name).is_file():
            raise MalformedLedger(f"{ledger / name}: this part was sealed, and is missing")
        present[name] = ledger / name
    for name, part in sorted(present.items()):
        if name not in sealed:
            raise MalformedLedger(f"{part}: this part is not in the ledger's seal")
        if part.is_file() and _differs(part, sealed[name]):
            raise MalformedLedger(f"{part}: this part is not as it was sealed")


def _read_seal(seal: Path) -> dict[str, Any]:
    """The seal's entry for each part, by the part's path in the ledger."""
    if not stat.S_ISREG(seal.stat().st_mode):
        raise MalformedLedger(f"{seal} is not a file")
    try:
        data = lines.decode_unique(seal.read_text("utf-8"))
        if data["sealed"] != _SEAL_VERSION:
            raise MalformedLedger(f"{seal}: `sealed` is not {_SEAL_VERSION}")
        results = {name: part for table in data["tables"].values() for name, part in table.items()}
        if all({"bytes", "sha256"} <= part.keys() for part in results.values()):
            return results
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        pass
    raise MalformedLedger(f"{seal}: this is not the seal of a ledger")


def _differs(part: Path, sealed: dict[str, Any]) -> bool:
    return bool(part.stat().st_size != sealed["bytes"] or sha256(part) != sealed["sha256"])


def sha256(path: Path) -> str:
    """The digest of a file, in hexadecimal."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()
