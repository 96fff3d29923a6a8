"""A ledger as one zip file, made while it is sent: nothing is buffered but one table's part."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path

_CHUNK_BYTES = 256 * 1024


class _Pipe:
    """What `zipfile` writes to: it cannot seek, and is emptied between the chunks."""

    def __init__(self) -> None:
        self._waiting = bytearray()

    def write(self, data: bytes) -> int:
        self._waiting += data
        return len(data)

    def flush(self) -> None:
        """Nothing lies behind this pipe; `zipfile` calls it at the end."""

    def take(self) -> bytes:
        data, self._waiting = bytes(self._waiting), bytearray()
        return data


def zipped(folder: Path, inside: str) -> Iterator[bytes]:
    """The files below `folder` under the name `inside`, in a steady order.

    Parquet is compressed already, so the files are stored as they are. Hidden files (parts that
    were never finished) stay out, as they do for every reader of a ledger.
    """
    pipe = _Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_STORED) as archive:  # type: ignore[call-overload]
        for path in sorted(folder.rglob("*")):
            if path.name.startswith(".") or not path.is_file():
                continue
            name = f"{inside}/{path.relative_to(folder).as_posix()}"
            with path.open("rb") as source, archive.open(name, "w", force_zip64=True) as target:
                while chunk := source.read(_CHUNK_BYTES):
                    target.write(chunk)
                    yield pipe.take()
    yield pipe.take()
