"""Data folders of brokers, in Kafka's format, written without Kafka."""

from __future__ import annotations

import struct
from pathlib import Path

from labs.engine.cluster.storage import format_storage, new_id


def formatted(folder: Path) -> Path:
    """A formatted data folder in a broker's working folder."""
    folder.mkdir()
    checkpoint = folder / "prepared"
    checkpoint.write_text("feature levels")
    format_storage(checkpoint, folder / "data", new_id(), 3)
    return folder / "data"


def batch(base: int, records: int, size: int = 100) -> bytes:
    """A record batch of `size` bytes; of its fields only size and offsets are filled in."""
    head = struct.pack(">qiibIhi", base, size - 12, 0, 2, 0, 0, records - 1)
    return head.ljust(size, b"r")


def write_log(data: Path, name: str, *segments: tuple[bytes, ...]) -> list[Path]:
    """A log of these segments, each of some batches and named by its first offset, as in Kafka."""
    folder = data / name
    folder.mkdir()
    files = []
    for batches in segments:
        (base,) = struct.unpack_from(">q", batches[0])
        file = folder / f"{base:020}.log"
        file.write_bytes(b"".join(batches))
        files.append(file)
    return files
