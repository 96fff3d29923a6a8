"""The size limit of the cache of jars and class-data archives, and the deletion above it.

A process that uses the jars of a lock holds that lock's mark until it ends, so that they are not
deleted while its JVMs run; the kernel frees a mark whose holder dies. Marks are files next to the
jars' folder; their modification time is the last use of the jars. Containers that share the cache
also share the marks.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from labs.engine.base import folders
from labs.engine.base.cache import cache_dir

LIMIT = "LAB_CACHE_LIMIT_MB"
DEFAULT_MB = 6_000
_MEGABYTE = 10**6
_held: dict[Path, IO[bytes]] = {}


@dataclass(frozen=True, slots=True)
class Deleted:
    """A deleted lock: its name, the bytes of its files, and its last use (seconds since 1970)."""

    name: str
    size: int
    used_at: float

    def __str__(self) -> str:
        day = time.strftime("%Y-%m-%d", time.gmtime(self.used_at))
        return (
            f"{self.name} was deleted from the cache ({self.size // _MEGABYTE} MB, last used on "
            f"{day}): the limit of the cache is {limit_mb():,} MB ({LIMIT})"
        )


def limit_mb() -> int:
    """Returns `LAB_CACHE_LIMIT_MB`, in millions of bytes. Raises `ValueError` if it is invalid."""
    stated = os.environ.get(LIMIT, "").strip()
    if not stated:
        return DEFAULT_MB
    if not (stated.isdecimal() and int(stated) > 0):
        raise ValueError(f"{LIMIT} has to be a whole number of at least 1, not {stated!r}")
    return int(stated)


def hold(name: str) -> None:
    """Protects the jars of a lock from deletion until this process ends, and records their use.

    A read-only cache gets no mark, since nothing can be deleted from it.
    """
    mark = _mark(name)
    with suppress(OSError):
        if mark not in _held:
            mark.parent.mkdir(parents=True, exist_ok=True)
            file = mark.open("ab")
            fcntl.flock(file, fcntl.LOCK_SH)
            _held[mark] = file
        os.utime(mark)


def size() -> int:
    """Returns the bytes of all jars and archives in the cache."""
    return sum(map(folders.size, (cache_dir() / "jars", cache_dir() / "classes")))


def enforce_limit(keep: Collection[str] = ()) -> list[Deleted]:
    """Deletes the least recently used locks until the cache is within its limit; returns them.

    Locks that a process holds and locks in `keep` are not deleted.
    """
    over = size() - limit_mb() * _MEGABYTE
    deleted: list[Deleted] = []
    for name, used_at in sorted(_uses().items(), key=lambda use: use[1]):
        if over <= 0:
            break
        if name not in keep and (freed := _delete(name)):
            deleted.append(Deleted(name, freed, used_at))
            over -= freed
    return deleted


def _uses() -> dict[str, float]:
    """Returns lock → last use, for the locks whose jars are in the cache."""
    jars = (path for path in (cache_dir() / "jars").glob("[!.]*") if path.is_dir())
    return {path.name: max(map(_time, (path, _mark(path.name)))) for path in jars}


def _delete(name: str) -> int:
    """Deletes a lock's jars and archives; returns their bytes, 0 if a process holds them."""
    with _unused(name) as is_unused:
        if not is_unused:
            return 0
        paths = [cache_dir() / "jars" / name, *_archives(name)]
        freed = sum(map(folders.size, paths))
        for path in paths:
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)
        return freed


def _archives(name: str) -> list[Path]:
    """Returns the class-data archives of a lock's release; `past-3.9.0` has `kafka-3.9.0`'s."""
    product, _, version = name.rpartition("-")
    stem = f"kafka-{version}" if product in ("past", "zookeeper") else name
    return [*(cache_dir() / "classes").glob(f"{stem}-java-*")]


@contextmanager
def _unused(name: str) -> Iterator[bool]:
    """Yields whether no process holds a lock; processes that request it meanwhile wait."""
    mark = _mark(name)
    mark.parent.mkdir(parents=True, exist_ok=True)
    with mark.open("ab") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True


def _mark(name: str) -> Path:
    return cache_dir() / "used" / name


def _time(path: Path) -> float:
    return path.stat().st_mtime if path.exists() else 0.0
