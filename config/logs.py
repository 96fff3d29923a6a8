"""The logs of the services. Each has a maximum size; its older part is kept next to it."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

MOST_BYTES = 20 * 10**6
"""The maximum size of a log; with its older part, it takes twice as much."""


def before(log: Path) -> Path:
    """Returns the path of the older part of a log, also from the previous start."""
    return log.with_suffix(".log.before")


def bound(log: Path, most_bytes: int = MOST_BYTES) -> bool:
    """Copies a log that is too large to its older part, and empties it; returns whether it did.

    The writers keep the same file open and append to it, so they need not reopen it. Only the
    supervisor calls this. Output between the copy and the truncation is lost.
    """
    try:
        if log.stat().st_size <= most_bytes:
            return False
        shutil.copyfile(log, before(log))
        os.truncate(log, 0)
    except FileNotFoundError:
        return False
    except OSError:  # no room for the copy: without the older part there may be next time
        with suppress(OSError):
            before(log).unlink(missing_ok=True)
        return False
    return True
