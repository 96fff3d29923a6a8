"""Byte counts of flows since they were last shaped, as reported to the owner."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(slots=True)
class Tally:
    """Of one flow. `bytes` is all that has left since, and `late` how many pieces that came in
    since have left; `soonest_s` is the shortest time that one of these took."""

    since: float = 0.0
    late: int = 0
    bytes: int = 0
    soonest_s: float | None = None

    def begin(self, now: float) -> None:
        """Counts anew: the flow is shaped at this moment."""
        self.since, self.late, self.bytes, self.soonest_s = now, 0, 0, None

    def passed(self, came: float, size: int, now: float) -> None:
        """Takes note of a piece that came in at `came` and leaves now."""
        self.bytes += size
        if came >= self.since:
            took = now - came
            self.late += 1
            self.soonest_s = took if self.soonest_s is None else min(took, self.soonest_s)


def seen(tallies: Iterable[Tally], waiting: Iterable[int]) -> dict[str, Any]:
    """What flows did together (`links.Seen`); `waiting` are the bytes that wait, by connection."""
    rows, wait = [*tallies], [number for number in waiting if number]
    soonest = [tally.soonest_s for tally in rows if tally.soonest_s is not None]
    return {
        "waiting": sum(wait), "connections": len(wait),
        "late": sum(tally.late for tally in rows), "soonest_s": min(soonest, default=None),
        "bytes": sum(tally.bytes for tally in rows),
    }  # fmt: skip
