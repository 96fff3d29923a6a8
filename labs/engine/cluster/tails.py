"""Measures and cuts off the unflushed end of a dead broker's logs.

A broker writes how far each log is flushed into `recovery-point-offset-checkpoint`
(LogManager.scala; lines: version, count, then "topic partition offset"); a log that is not there
was never flushed. The file may lag behind, but a log never holds `flush.messages` records that
are not flushed (UnifiedLog.scala, `append`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from labs.engine.cluster.log_ends import Batch, batches


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
    flushed = checkpointed(data, "recovery-point")
    return [
        _cut(folder, flushed.get(folder.name, 0), flush_messages[topic])
        for folder in sorted(path for path in data.iterdir() if path.is_dir())
        if (topic := folder.name.rpartition("-")[0]) in flush_messages
    ]


def checkpointed(data: Path, kind: str) -> dict[str, int]:
    """Log (`orders-0`) → its offset in one of a broker's checkpoint files, where it has one yet.

    The kinds are `cleaner`, `recovery-point`, below which everything is flushed, and `replication`.
    """
    file = data / f"{kind}-offset-checkpoint"
    if not file.exists():
        return {}
    rows = (line.split() for line in file.read_text("ascii").splitlines()[2:])
    return {f"{topic}-{partition}": int(offset) for topic, partition, offset in rows}


def _cut(folder: Path, flushed: int, flush_messages: int) -> Cut:
    segments = {segment: _batches(segment) for segment in sorted(folder.glob("*.log"))}
    size = sum(segment.stat().st_size for segment in segments)
    end = max((batch.last + 1 for segment in segments.values() for batch in segment), default=0)
    # A batch is flushed whole, with the record that made the count full.
    flushed = max(flushed, end - flush_messages + 1)
    kept = [[batch for batch in segment if batch.base < flushed] for segment in segments.values()]
    for segment, stay in zip(segments, kept, strict=True):
        with segment.open("r+b") as file:
            file.truncate(stay[-1].end if stay else 0)
    last = max((batch.last for stay in kept for batch in stay), default=-1)
    now = sum(segment.stat().st_size for segment in segments)
    return Cut(folder.name, size, now, last + 1)


def _batches(segment: Path) -> list[Batch]:
    with segment.open("rb") as file:
        return list(batches(file.fileno()))
