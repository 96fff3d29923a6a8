"""The bytes between two nodes, which can be held, delayed or slowed."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

_PIECE = 65536  # bytes at most
_PIECES = 256  # on their way at most, before the sender feels it

Key = tuple[str, str, str]
"""Sender, receiver, and the listener (`labs.engine.cluster.nodes.LISTENERS`)."""


@dataclass(slots=True)
class Tally:
    """What one flow carried since it was shaped (`since`): `bytes` that left, `late` pieces that
    came in and left since then, and `soonest_s`, the shortest time that one of these took."""

    since: float = 0.0
    late: int = 0
    bytes: int = 0
    soonest_s: float | None = None

    def begin(self, now: float) -> None:
        """Starts counting again: the flow is shaped at this moment."""
        self.since, self.late, self.bytes, self.soonest_s = now, 0, 0, None

    def passed(self, came: float, size: int, now: float) -> None:
        """Takes note of a piece that came in at `came` and leaves now."""
        self.bytes += size
        if came >= self.since:
            took = now - came
            self.late += 1
            self.soonest_s = took if self.soonest_s is None else min(took, self.soonest_s)


@dataclass(slots=True)
class Flow:
    """One direction between two nodes at one listener, over however many connections."""

    delay_s: float = 0.0
    rate: float = 0.0
    pipes: set[Pipe] = field(default_factory=set)
    tally: Tally = field(default_factory=Tally)
    open: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.open.set()

    def shape(self, cut: bool, delay_s: float, rate: float) -> None:
        """Changes what happens to bytes from now on: nothing passes, or late, or `rate` a second
        (0: as they come)."""
        self.delay_s, self.rate = delay_s, rate
        self.tally.begin(time.monotonic())
        if cut:
            self.open.clear()
        else:
            self.open.set()

    async def hold(self, came: float, size: int) -> None:
        """Waits until a piece that came in at `came` may leave."""
        await self.open.wait()
        await asyncio.sleep(max(0.0, came + self.delay_s - time.monotonic()))
        if self.rate:
            await asyncio.sleep(size / self.rate)
        await self.open.wait()


class Pipe:
    """One direction of one connection; `waiting` is how many of its bytes have not left yet."""

    def __init__(
        self, flow: Flow, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.waiting = 0
        self._flow, self._reader, self._writer = flow, reader, writer
        self._pieces: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue(_PIECES)

    async def run(self) -> None:
        """Carries bytes until the sender has closed and all that it said has left."""
        self._flow.pipes.add(self)
        try:
            async with asyncio.TaskGroup() as both:
                both.create_task(self._take())
                both.create_task(self._give())
        finally:
            self._flow.pipes.discard(self)

    async def _take(self) -> None:
        piece = b"."
        while piece:  # the end of the stream, an empty piece, has to wait its turn as well
            piece = await self._reader.read(_PIECE)
            self.waiting += len(piece)
            await self._pieces.put((time.monotonic(), piece))

    async def _give(self) -> None:
        while True:
            came, piece = await self._pieces.get()
            await self._flow.hold(came, len(piece))
            if not piece:
                return
            self._writer.write(piece)
            await self._writer.drain()
            self.waiting -= len(piece)
            self._flow.tally.passed(came, len(piece), time.monotonic())


def report(tallies: Iterable[Tally], waiting: Iterable[int]) -> dict[str, Any]:
    """The sum over flows (`links.FlowCounts`); `waiting` has the waiting bytes by connection."""
    rows, wait = [*tallies], [number for number in waiting if number]
    soonest = [tally.soonest_s for tally in rows if tally.soonest_s is not None]
    return {
        "waiting": sum(wait), "connections": len(wait),
        "late": sum(tally.late for tally in rows), "soonest_s": min(soonest, default=None),
        "bytes": sum(tally.bytes for tally in rows),
    }  # fmt: skip
