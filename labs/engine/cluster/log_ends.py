"""The log end offset of a replica, read from its files, also while its broker is paused or dead.

No request returns a follower's log end offset, and a paused broker does not respond. The log files
contain it: a batch begins with its base offset (int64) and its length (int32), has its magic number
(2) at byte 16, its checksum after that, and the last offset's delta (int32) at byte 23 (Kafka
documentation, Implementation, "Record Batch"). A segment's name is the first offset that it may
hold. Appended batches are in the page cache immediately, so a reader of the file sees them.
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
    """A complete record batch: its first and last offsets, and its byte range in the file."""

    base: int
    last: int
    start: int
    end: int
    header: bytes


def batches(file: int, position: int = 0) -> Iterator[Batch]:
    """Yields the complete batches of an open segment, from a byte position on."""
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
    """Follows the end of one log; each `read` reads only the headers of new batches.

    `folder` is the folder of the partition (`orders-0`) in a broker's data folder.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._last = b""  # header of the last complete batch, and its position
        self._start = 0
        self._position = 0  # position of the next batch
        self._end = 0

    def read(self) -> int | None:
        """Returns the offset after the last complete batch; None if there is no log."""
        try:
            newest = max(self._folder.glob("*.log"))
            with newest.open("rb") as file:
                self._follow(file.fileno(), int(newest.stem))
        except (OSError, ValueError):  # no folder or segment, or it was just deleted
            return None
        return self._end

    def _follow(self, file: int, base: int) -> None:
        """Reads to the last complete batch of the segment with the base offset `base`."""
        # A header contains the checksum of its batch. If the last header is no longer there, the
        # log was truncated (and may have grown again) or this is another segment: start over.
        if not self._last or os.pread(file, _HEADER, self._start) != self._last:
            self._last, self._start, self._position, self._end = b"", 0, 0, base
        for batch in batches(file, self._position):
            self._last, self._start = batch.header, batch.start
            self._position, self._end = batch.end, batch.last + 1
