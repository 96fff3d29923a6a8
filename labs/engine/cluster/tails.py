"""Measures and cuts off the unflushed end of a dead broker's logs.

A broker writes the flushed offset of each log to `recovery-point-offset-checkpoint`
(LogManager.scala; lines: version, count, then "topic partition offset"). A log without an entry was
never flushed. The file may lag, but a log never has `flush.messages` unflushed records
(UnifiedLog.scala, `append`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from labs.engine.cluster.log_ends import Batch, batches


@dataclass(frozen=True, slots=True)
class Cut:
    """A cut of one log: its `size` in bytes before, the `kept` bytes, and its end offset now."""

    log: str
    size: int
    kept: int
    end: int


def cut_unflushed(data: Path, flush_messages: Mapping[str, int]) -> list[Cut]:
    """Cuts the logs of topics in a broker's data folder to the part that is certainly flushed.

    `flush_messages` maps each topic to its value of `flush.messages`. The broker must be dead.
    Segments after the first cut segment become empty.
    """
    flushed = checkpointed(data, "recovery-point")
    return [
        _cut(folder, flushed.get(folder.name, 0), flush_messages[topic])
        for folder in sorted(path for path in data.iterdir() if path.is_dir())
        if (topic := folder.name.rpartition("-")[0]) in flush_messages
    ]


def checkpointed(data: Path, kind: str) -> dict[str, int]:
    """Returns log (`orders-0`) → offset in a checkpoint file of a broker; empty without a file.

    `kind` is `cleaner`, `recovery-point` (everything below it is flushed) or `replication`.
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
    # A batch is flushed as a whole, with the record that completed the count.
    flushed = max(flushed, end - flush_messages + 1)
    kept = [[batch for batch in segment if batch.base < flushed] for segment in segments.values()]
    for segment, batches_kept in zip(segments, kept, strict=True):
        with segment.open("r+b") as file:
            file.truncate(batches_kept[-1].end if batches_kept else 0)
    last = max((batch.last for batches_kept in kept for batch in batches_kept), default=-1)
    size_now = sum(segment.stat().st_size for segment in segments)
    return Cut(folder.name, size, size_now, last + 1)


def _batches(segment: Path) -> list[Batch]:
    with segment.open("rb") as file:
        return list(batches(file.fileno()))
