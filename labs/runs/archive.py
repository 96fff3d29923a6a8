"""A ledger as one zip file, written one batch of rows at a time.

`python -m labs.runs.archive LEDGER NAME TARGET` writes the JSON Lines of a ledger,
completely or not at all.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow.dataset as ds

from labs.engine.record.ledger import SEAL, check_seal

_FORMAT = Path(__file__).parents[2] / "docs" / "ledger.md"
_LINK = re.compile(r"\[([^\]]+)\]\([^)]+\)")
_ABOUT = """\
This folder is the record of one run on real Kafka brokers: {root}.
It was written by Delivery Lab. `python manage.py verify {root} --json` judges it again.
What follows describes every table and every count. A table without a file was not recorded.

"""
_CHUNK_BYTES = 256 * 1024
_BATCH_ROWS = 8192

Member = tuple[str, Iterable[bytes]]
"""The name of a file in the archive, and its content in chunks."""


class _Pipe:
    """The file that `zipfile` writes to: it cannot seek, and is emptied between the chunks."""

    def __init__(self) -> None:
        self._waiting = bytearray()

    def write(self, data: bytes) -> int:
        self._waiting += data
        return len(data)

    def flush(self) -> None:
        """Does nothing; `zipfile` calls it at the end."""

    def take(self) -> bytes:
        data, self._waiting = bytes(self._waiting), bytearray()
        return data


def parquet(ledger: Path, root: str) -> Iterator[bytes]:
    """Yields a zip of the ledger's files as they are, below the folder `root`, in a fixed order.

    The files are only stored, since Parquet is already compressed. Hidden files (unfinished parts)
    are omitted, as by every reader of a ledger.
    """
    files = (path for path in sorted(ledger.rglob("*")) if path.is_file())
    tables = (
        (f"{root}/{path.relative_to(ledger).as_posix()}", _file_chunks(path))
        for path in files
        if not path.name.startswith(".")
    )
    return _zipped(chain(_readme(root), tables), zipfile.ZIP_STORED)


def json_lines(ledger: Path, root: str) -> Iterator[bytes]:
    """Yields a zip of the rows as `<table>.jsonl`, one object per line, without null columns.

    The lines of a sealed ledger get a new seal. Raises `NotAsSealed` if a part of it was changed or
    is missing: only the recorder's own files may be sealed again.
    """
    return _zipped(chain(_readme(root), _sealed_lines(ledger, root)), zipfile.ZIP_DEFLATED)


def _readme(root: str) -> Iterator[Member]:
    """Yields the description of the format, so that the zip is self-explanatory."""
    # Links lead to other files of the project, which are not in the zip.
    text = _LINK.sub(r"\1", _FORMAT.read_text("utf-8"))
    yield f"{root}/README.md", [_ABOUT.format(root=root).encode(), text.encode()]


def _sealed_lines(ledger: Path, root: str) -> Iterator[Member]:
    sealed = (ledger / SEAL).exists()
    if sealed:
        check_seal(ledger)
    tables: dict[str, Any] = {}
    for table in sorted(ledger.glob("*.parquet")):
        part = {"rows": 0, "bytes": 0, "sha256": ""}
        tables[table.stem] = {f"{table.stem}.jsonl": part}
        yield f"{root}/{table.stem}.jsonl", _measured(_json_chunks(table), part)
    if sealed:
        yield f"{root}/{SEAL}", [json.dumps({"sealed": 1, "tables": tables}, indent=1).encode()]


def _measured(chunks: Iterable[bytes], part: dict[str, Any]) -> Iterator[bytes]:
    """Yields the chunks; then writes their rows, bytes and SHA-256 into `part`."""
    digest = hashlib.sha256()
    for chunk in chunks:
        digest.update(chunk)
        part["rows"] += chunk.count(b"\n")
        part["bytes"] += len(chunk)
        yield chunk
    part["sha256"] = digest.hexdigest()


def _file_chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as source:
        while chunk := source.read(_CHUNK_BYTES):
            yield chunk


def _json_chunks(table: Path) -> Iterator[bytes]:
    for batch in ds.dataset(table, format="parquet").to_batches(batch_size=_BATCH_ROWS):
        rows = (
            {name: value for name, value in row.items() if value is not None}
            for row in batch.to_pylist()
        )
        yield "".join(f"{json.dumps(row)}\n" for row in rows).encode()


def _zipped(members: Iterable[Member], compression: int) -> Iterator[bytes]:
    pipe = _Pipe()
    with zipfile.ZipFile(pipe, "w", compression) as archive:  # type: ignore[call-overload]
        for name, content in members:
            with archive.open(name, "w", force_zip64=True) as target:
                for chunk in content:
                    target.write(chunk)
                    yield pipe.take()
    yield pipe.take()


def write_json_lines(ledger: Path, root: str, target: Path) -> None:
    """Writes the archive of `json_lines` to `target`, which appears only when it is complete."""
    with tempfile.TemporaryDirectory(prefix=".jsonl-", dir=target.parent) as folder:
        draft = Path(folder) / target.name
        with draft.open("wb") as file:
            for chunk in json_lines(ledger, root):
                file.write(chunk)
        draft.replace(target)


if __name__ == "__main__":
    write_json_lines(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]))
