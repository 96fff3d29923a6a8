"""Limits how many clusters run on this machine at once; waiting runs know their place in the queue.

A slot is a file lock (flock(2)), which the kernel frees when its process dies, for whatever reason.
So there is nothing to clean up, and no daemon is needed. A waiting process locks a numbered ticket
in the same way, so that processes are served in order and know how many are ahead of them.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from labs.engine.base.cache import cache_dir, exclusive_lock

_CHECK_EVERY_S = 0.1

_CLUSTER_BYTES = 1_500_000_000
"""The memory of an arm at its peak: three brokers of up to 400 MB, clients and a reserve."""


def clusters_at_once() -> int:
    """Returns `LAB_CLUSTERS_AT_ONCE`, or one per core that fits in half the memory; at least 1."""
    stated = os.environ.get("LAB_CLUSTERS_AT_ONCE")
    if stated:
        return max(1, int(stated))
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(1, min(os.cpu_count() or 1, memory // 2 // _CLUSTER_BYTES))


@contextmanager
def slot(on_place: Callable[[int], None] = lambda place: None) -> Iterator[int]:
    """Holds one of `clusters_at_once()` slots; yields its number, from 0.

    During the wait, `on_place` receives the place in the queue (1: next), first and at each change.
    All processes with the same cache folder share the slots.
    """
    folder = _folder()
    folder.mkdir(parents=True, exist_ok=True)
    with _ticket(folder) as ticket:
        held, number = _wait(folder, ticket, on_place)
    with held:
        yield number


def take_unused(count: int) -> list[IO[bytes]]:
    """Takes `count` slots if no slot is held and no process waits; otherwise none.

    For work that can wait for other work. Closing its file frees a slot.
    """
    folder, limit = _folder(), clusters_at_once()
    with exclusive_lock(folder / "queue"):
        held = [held for number in range(limit) if (held := _lock(folder / f"slot-{number}"))]
        enough = count if len(held) == limit >= count and not _queued(folder) else 0
        for file in held[enough:]:
            file.close()
        return held[:enough]


def are_unused(count: int) -> bool:
    """Whether `take_unused(count)` would now return slots."""
    taken = take_unused(count)
    for held in taken:
        held.close()
    return bool(taken)


def has_waiters() -> bool:
    """Whether any process waits for a slot."""
    folder = _folder()
    with exclusive_lock(folder / "queue"):
        return bool(_queued(folder))


def _folder() -> Path:
    return cache_dir() / "slots"


def _wait(folder: Path, ticket: Path, on_place: Callable[[int], None]) -> tuple[IO[bytes], int]:
    last_place = 0
    while True:
        with exclusive_lock(folder / "queue"):
            place = _place(folder, ticket)
            for number in range(clusters_at_once() if place == 1 else 0):
                if held := _lock(folder / f"slot-{number}"):
                    return held, number
        if place != last_place:
            on_place(place)
        last_place = place
        time.sleep(_CHECK_EVERY_S)


@contextmanager
def _ticket(folder: Path) -> Iterator[Path]:
    with exclusive_lock(folder / "queue"):
        path = folder / f"ticket-{time.monotonic_ns():020d}-{os.getpid()}"
        held = _lock(path)
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)
        if held:
            held.close()


def _place(folder: Path, ticket: Path) -> int:
    """Returns the place in the queue, from 1; tickets of dead processes do not count."""
    return 1 + sum(other.name < ticket.name for other in _queued(folder))


def _queued(folder: Path) -> list[Path]:
    """Returns the tickets of live processes; deletes those of dead ones.

    A lock belongs to an open file, so our own ticket, opened again, is locked.
    """
    living = []
    for ticket in folder.glob("ticket-*"):
        if abandoned := _lock(ticket):
            ticket.unlink(missing_ok=True)
            abandoned.close()
        else:
            living.append(ticket)
    return living


def _lock(path: Path) -> IO[bytes] | None:
    """Returns the file, locked while it is open; None if it is already locked."""
    file = path.open("ab")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        return None
    return file
