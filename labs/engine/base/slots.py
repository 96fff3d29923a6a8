"""Limits how many clusters run on this machine at once; those that wait know their place in line.

A slot is a lock that the kernel holds for us (flock(2)) and frees when we die, however we die:
there is nothing to clean up and no daemon to ask. Waiters hold a numbered ticket in the same way,
so that they are served in order and can say how many are before them.
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

_LOOK_EVERY_S = 0.1

_CLUSTER_BYTES = 1_500_000_000
"""The memory of an arm at its peak: three brokers of up to 400 MB, clients and a reserve."""


def clusters_at_once() -> int:
    """`LAB_CLUSTERS_AT_ONCE`, else one per core that half of the memory can hold; at least 1."""
    stated = os.environ.get("LAB_CLUSTERS_AT_ONCE")
    if stated:
        return max(1, int(stated))
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(1, min(os.cpu_count() or 1, memory // 2 // _CLUSTER_BYTES))


@contextmanager
def slot(on_place: Callable[[int], None] = lambda place: None) -> Iterator[int]:
    """Holds one of `clusters_at_once()` slots; yields its number, from 0.

    While it waits, `on_place` gets its place in the queue (1: next), once and at each change. All
    users of one cache folder share the slots.
    """
    folder = _folder()
    folder.mkdir(parents=True, exist_ok=True)
    with _ticket(folder) as ticket:
        held, number = _wait(folder, ticket, on_place)
    with held:
        yield number


def take_unused(count: int) -> list[IO[bytes]]:
    """Takes `count` slots at once if no slot is held or waited for; else none.

    For work that can wait while others work. A slot is free again when its file is closed.
    """
    folder, limit = _folder(), clusters_at_once()
    with exclusive_lock(folder / "queue"):
        held = [held for number in range(limit) if (held := _lock(folder / f"slot-{number}"))]
        enough = count if len(held) == limit >= count and not _queued(folder) else 0
        for file in held[enough:]:
            file.close()
        return held[:enough]


def are_unused(count: int) -> bool:
    """Whether `spare` would take so many now."""
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
    known = 0
    while True:
        with exclusive_lock(folder / "queue"):
            place = _place(folder, ticket)
            for number in range(clusters_at_once() if place == 1 else 0):
                if held := _lock(folder / f"slot-{number}"):
                    return held, number
        if place != known:
            on_place(place)
        known = place
        time.sleep(_LOOK_EVERY_S)


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
    """The position in the queue, from 1: tickets of processes that ended do not count."""
    return 1 + sum(other.name < ticket.name for other in _queued(folder))


def _queued(folder: Path) -> list[Path]:
    """The tickets of live processes; those of dead ones are deleted.

    A lock belongs to an open file, so our own ticket, opened again, counts as held.
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
    """The file, locked for as long as it is open; None if it is locked already."""
    file = path.open("ab")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        return None
    return file
