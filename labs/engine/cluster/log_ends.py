"""The log end offset of a replica, read from its files, also while its broker is paused or dead.

No request returns a follower's log end, and a broker that is paused answers nothing. The files
have it: a batch begins with its base offset (int64) and its length (int32), has its magic
number (2) at byte 16, its checksum after that, and the last offset's delta (int32) at byte 23
(Kafka documentation, Implementation, "Record Batch"). A segment's name is the first offset that it
may hold. What a broker appended is in the page cache at once, so a reader of the file sees it.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_PREFIX, _MAGIC_AT, _LAST_DELTA_AT, _HEADER = 12, 16, 23, 27
_MAGIC = 2


@dataclass(frozen=True, slots=True)
class Batch:
    """A whole record batch: its first and last offset, and the bytes from `start` to `end`."""

    base: int
    last: int
    start: int
    end: int
    header: bytes


def batches(file: int, position: int = 0) -> Iterator[Batch]:
    """The whole batches of an open segment, from a byte position on."""
    size = os.fstat(file).st_size
    while len(header := os.pread(file, _HEADER, position)) == _HEADER:
        base, length = struct.unpack_from(">qi", header)
        (delta,) = struct.unpack_from(">i", header, _LAST_DELTA_AT)
        end = position + _PREFIX + length
        if length <= 0 or end > size or header[_MAGIC_AT] != _MAGIC:
            return
        yield Batch(base, base + delta, position, end, header)
        position = end


class LogEnd:
    """Follows the end of one log; each look reads only the headers of the batches that are new.

    `folder` is the partition's (`orders-0`) in a broker's data folder.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._last = b""  # the header of the last whole batch that was seen, and where it begins
        self._start = 0
        self._position = 0  # where the next batch begins
        self._end = 0

    def read(self) -> int | None:
        """The offset after the last whole batch; None if there is no log."""
        try:
            newest = max(self._folder.glob("*.log"))
            with newest.open("rb") as file:
                self._follow(file.fileno(), int(newest.stem))
        except (OSError, ValueError):  # no folder or no segment, or one that went under our eyes
            return None
        return self._end

    def _follow(self, file: int, base: int) -> None:
        """Goes on to the last whole batch of a segment that begins with the offset `base`."""
        # A header holds its batch's checksum. If ours is gone, the log was cut off (and may be as
        # long again by now), or this is another segment: then we start over.
        if not self._last or os.pread(file, _HEADER, self._start) != self._last:
            self._last, self._start, self._position, self._end = b"", 0, 0, base
        for batch in batches(file, self._position):
            self._last, self._start = batch.header, batch.start
            self._position, self._end = batch.end, batch.last + 1
