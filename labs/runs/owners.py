"""The processes that own runs, and whether they are alive according to the kernel.

Each process that runs experiments holds a lock on a file in the data folder. The kernel releases
the lock when the process ends, however it ends (flock(2)), and not before: a process that is
stopped, or waits for a slow disk, still holds it. So every process that shares the folder on this
machine, even in another container, detects a death immediately and reports no live process dead.
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
_held_locks: dict[Path, tuple[str, IO[bytes]]] = {}
_lock = threading.Lock()


def new() -> str:
    """Returns a token for one attempt that this process claims. It names the process's lock.

    If no lock can be taken, as on a full disk, only missing heartbeats show a death.
    """
    try:
        return f"{_own_lock()}-{secrets.token_hex(8)}"
    except OSError:
        logger.exception("the lock of this process could not be taken")
        return secrets.token_hex(8)


def lock_name(owner: str) -> str:
    """Returns the name of the lock in a token; empty if it names none."""
    return owner.rpartition("-")[0]


def by_liveness() -> tuple[set[str], set[str]]:
    """Returns the locks of this machine by name: (held, free). Free ones had dead owners."""
    alive, dead = set(), set()
    for path in _folder().glob(f"{_boot_id()}-*"):
        if _is_free(path):
            dead.add(path.name)
        else:
            alive.add(path.name)
    return alive, dead


def forget(dead: set[str]) -> None:
    """Removes the lock files of dead processes, and files without a holder older than a day."""
    for name in dead:
        (_folder() / name).unlink(missing_ok=True)
    for path in _folder().glob("*"):
        with suppress(FileNotFoundError):
            if time.time() - path.stat().st_mtime > _OLD_S and _is_free(path):
                path.unlink(missing_ok=True)


def _folder() -> Path:
    return Path(settings.LAB_DATA_DIR) / "owners"


def _boot_id() -> str:
    # Some network file systems show a lock to one machine only: files of others are ignored.
    return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").replace("-", "")[:12]


def _own_lock() -> str:
    """Returns the name of the lock of this process, which is taken at first use and kept."""
    folder = _folder()
    with _lock:
        if folder not in _held_locks:
            folder.mkdir(parents=True, exist_ok=True)
            name = f"{_boot_id()}-{secrets.token_hex(8)}"
            # Locked before it is renamed: a visible file without a lock belongs to a dead process.
            file = (folder / f".{name}").open("wb")
            fcntl.flock(file, fcntl.LOCK_EX)
            _held_locks[folder] = name, file
            (folder / f".{name}").rename(folder / name)
        return _held_locks[folder][0]


def _is_free(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
