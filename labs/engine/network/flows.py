"""Flows of bytes between two nodes, which can be held, delayed or throttled."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

_PIECE_BYTES = 65536  # bytes at most
_PIECES = 256  # buffered at most; then the sender is blocked

Key = tuple[str, str, str]
"""Sender, receiver, and the listener (`labs.engine.cluster.nodes.LISTENERS`)."""


@dataclass(slots=True)
class Tally:
    """The counts of one flow since it was shaped (`since`, monotonic clock).

    `bytes` left since then. `late` pieces arrived and left since then, and `soonest_s` is the
    shortest time that one of them took.
    """

    since: float = 0.0
    late: int = 0
    bytes: int = 0
    soonest_s: float | None = None

    def begin(self, now: float) -> None:
        """Resets the counts when the flow is shaped."""
        self.since, self.late, self.bytes, self.soonest_s = now, 0, 0, None

    def passed(self, arrived: float, size: int, now: float) -> None:
        """Counts a piece that arrived at `arrived` and leaves now."""
        self.bytes += size
        if arrived >= self.since:
            took = now - arrived
            self.late += 1
            self.soonest_s = took if self.soonest_s is None else min(took, self.soonest_s)


@dataclass(slots=True)
class Flow:
    """One direction between two nodes at one listener, over all connections."""

    delay_s: float = 0.0
    rate: float = 0.0
    pipes: set[Pipe] = field(default_factory=set)
    tally: Tally = field(default_factory=Tally)
    open: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.open.set()

    def shape(self, cut: bool, delay_s: float, rate: float) -> None:
        """Sets what happens to bytes from now on.

        `cut`: nothing passes. `delay_s`: every byte is delayed. `rate`: bytes per second, 0 for no
        limit.
        """
        self.delay_s, self.rate = delay_s, rate
        self.tally.begin(time.monotonic())
        if cut:
            self.open.clear()
        else:
            self.open.set()

    async def hold(self, arrived: float, size: int) -> None:
        """Waits until a piece that arrived at `arrived` may leave."""
        await self.open.wait()
        await asyncio.sleep(max(0.0, arrived + self.delay_s - time.monotonic()))
        if self.rate:
            await asyncio.sleep(size / self.rate)
        await self.open.wait()


class Pipe:
    """One direction of one connection; `waiting` is the number of bytes that have not left yet."""

    def __init__(
        self, flow: Flow, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.waiting = 0
        self._flow, self._reader, self._writer = flow, reader, writer
        self._pieces: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue(_PIECES)

    async def run(self) -> None:
        """Forwards bytes until the sender has closed and all of its bytes have left."""
        self._flow.pipes.add(self)
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._receive())
                tasks.create_task(self._forward())
        finally:
            self._flow.pipes.discard(self)

    async def _receive(self) -> None:
        piece = b"."
        while piece:  # an empty piece, the end of the stream, is queued like the others
            piece = await self._reader.read(_PIECE_BYTES)
            self.waiting += len(piece)
            await self._pieces.put((time.monotonic(), piece))

    async def _forward(self) -> None:
        while True:
            arrived, piece = await self._pieces.get()
            await self._flow.hold(arrived, len(piece))
            if not piece:
                return
            self._writer.write(piece)
            await self._writer.drain()
            self.waiting -= len(piece)
            self._flow.tally.passed(arrived, len(piece), time.monotonic())


def report(tallies: Iterable[Tally], waiting: Iterable[int]) -> dict[str, Any]:
    """Returns the sums over flows (`links.FlowCounts`); `waiting` are waiting bytes per pipe."""
    rows, wait = [*tallies], [number for number in waiting if number]
    soonest = [tally.soonest_s for tally in rows if tally.soonest_s is not None]
    return {
        "waiting": sum(wait), "connections": len(wait),
        "late": sum(tally.late for tally in rows), "soonest_s": min(soonest, default=None),
        "bytes": sum(tally.bytes for tally in rows),
    }  # fmt: skip
