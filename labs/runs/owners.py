"""Which process owns a run, and whether it is alive according to the kernel.

Each process that runs experiments holds a lock on a file in the data folder. The kernel lets go of
it when the process ends, however it ends (flock(2)), and not before: a process that is stopped, or
waits for a slow disk, still holds it. So every process that shares the folder on this machine,
also in another container, learns of a death at once and never mistakes silence for one.
"""

from __future__ import annotations

import fcntl
import logging
import secrets
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import IO

from django.conf import settings

logger = logging.getLogger(__name__)

_OLD_S = 24 * 3600.0
_held: dict[Path, tuple[str, IO[bytes]]] = {}
_first = threading.Lock()


def new() -> str:
    """A token for one attempt that this process takes; it names the process's lock.

    Where there can be none, for a disk is full, only silence will tell of a death.
    """
    try:
        return f"{_ours()}-{secrets.token_hex(8)}"
    except OSError:
        logger.exception("no lock could be taken")
        return secrets.token_hex(8)


def lock_name(owner: str) -> str:
    """The lock's name in a token; empty for a token that is not ours."""
    return owner.rpartition("-")[0]


def by_liveness() -> tuple[set[str], set[str]]:
    """The locks of this machine that are held, and those that are free: their processes ended."""
    alive, dead = set(), set()
    for path in _folder().glob(f"{_boot()}-*"):
        if _is_free(path):
            dead.add(path.name)
        else:
            alive.add(path.name)
    return alive, dead


def forget(dead: set[str]) -> None:
    """Removes the files of processes that ended, and of machines as they were a day ago."""
    for name in dead:
        (_folder() / name).unlink(missing_ok=True)
    for path in _folder().glob("*"):
        with suppress(FileNotFoundError):
            if time.time() - path.stat().st_mtime > _OLD_S and _is_free(path):
                path.unlink(missing_ok=True)


def _folder() -> Path:
    return Path(settings.LAB_DATA_DIR) / "owners"


def _boot() -> str:
    # Some network file systems show a lock to one machine alone: another's files say nothing.
    return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").replace("-", "")[:12]


def _ours() -> str:
    """The name of the lock that this process holds, taken at first use and never given back."""
    folder = _folder()
    with _first:
        if folder not in _held:
            folder.mkdir(parents=True, exist_ok=True)
            name = f"{_boot()}-{secrets.token_hex(8)}"
            # Locked before it has its name: a file that is seen unlocked is of a dead process.
            file = (folder / f".{name}").open("wb")
            fcntl.flock(file, fcntl.LOCK_EX)
            _held[folder] = name, file
            (folder / f".{name}").rename(folder / name)
        return _held[folder][0]


def _is_free(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
