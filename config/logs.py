"""The logs of the services: each is bounded, and its older part is kept next to it."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

MOST_BYTES = 20 * 10**6
"""Of one log; with its older part it takes twice as much."""


def before(log: Path) -> Path:
    """Where the older part of a log is: what was written before, or by the start before."""
    return log.with_suffix(".log.before")


def bound(log: Path, most_bytes: int = MOST_BYTES) -> bool:
    """Makes a log that grew too large the older part, and empties it; whether it did.

    It stays the file that its writers have open, each of which appends, so none of them need know;
    one process, their supervisor, does this. What is written between the copy and the cut is lost.
    """
    try:
        if log.stat().st_size <= most_bytes:
            return False
        shutil.copyfile(log, before(log))
        os.truncate(log, 0)
    except FileNotFoundError:
        return False
    except OSError:  # no room for the copy: next time there is that of the older part
        with suppress(OSError):
            before(log).unlink(missing_ok=True)
        return False
    return True
