"""Measures and cuts off the unflushed end of a dead broker's logs.

A broker writes how far each log is flushed into `recovery-point-offset-checkpoint`
(LogManager.scala; lines: version, count, then "topic partition offset"); a log that is not there
was never flushed. The file may lag behind, but a log never holds `flush.messages` records that
are not flushed (UnifiedLog.scala, `append`). Batches begin with their base offset (int64) and
their length (int32); the last offset's delta is an int32 at byte 23 (Kafka documentation,
Implementation, "Record Batch", magic 2).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

_CHECKPOINT = "recovery-point-offset-checkpoint"
_PREFIX = 12  # base offset and length
_LAST_DELTA = 23


@dataclass(frozen=True, slots=True)
class Cut:
    """What was cut off one log: bytes before and after, and the offset where it ends now."""

    log: str
    size: int
    kept: int
    end: int


def cut_unflushed(data: Path, flush_messages: Mapping[str, int]) -> list[Cut]:
    """Cuts the logs of some topics in a broker's data folder to what is surely flushed.

    `flush_messages` is that setting by topic. The broker must be dead. Segments after the first
    one that is cut become empty.
    """
    flushed = recovery_points(data)
    return [
        _cut(folder, flushed.get(folder.name, 0), flush_messages[topic])
        for folder in sorted(path for path in data.iterdir() if path.is_dir())
        if (topic := folder.name.rpartition("-")[0]) in flush_messages
    ]


def recovery_points(data: Path) -> dict[str, int]:
    """Log (`orders-0`) → the offset below which everything is flushed."""
    file = data / _CHECKPOINT
    if not file.exists():
        return {}
    rows = (line.split() for line in file.read_text("ascii").splitlines()[2:])
    return {f"{topic}-{partition}": int(offset) for topic, partition, offset in rows}


def _cut(folder: Path, flushed: int, flush_messages: int) -> Cut:
    segments = {segment: list(_batches(segment)) for segment in sorted(folder.glob("*.log"))}
    size = sum(segment.stat().st_size for segment in segments)
    end = max((batch.last + 1 for segment in segments.values() for batch in segment), default=0)
    # A batch is flushed whole, with the record that made the count full.
    flushed = max(flushed, end - flush_messages + 1)
    kept = [[batch for batch in segment if batch.base < flushed] for segment in segments.values()]
    for segment, stay in zip(segments, kept, strict=True):
        with segment.open("r+b") as file:
            file.truncate(stay[-1].end_byte if stay else 0)
    last = max((batch.last for stay in kept for batch in stay), default=-1)
    now = sum(segment.stat().st_size for segment in segments)
    return Cut(folder.name, size, now, last + 1)


@dataclass(frozen=True, slots=True)
class _Batch:
    base: int
    last: int
    end_byte: int


def _batches(segment: Path) -> Iterator[_Batch]:
    """The whole batches of a segment, in order."""
    raw = segment.read_bytes()
    position = 0
    while position + _LAST_DELTA + 4 <= len(raw):
        base, rest = struct.unpack_from(">qi", raw, position)
        end = position + _PREFIX + rest
        if rest <= 0 or end > len(raw):
            return
        (delta,) = struct.unpack_from(">i", raw, position + _LAST_DELTA)
        yield _Batch(base, base + delta, end)
        position = end
