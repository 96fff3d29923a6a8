"""The cache of downloaded and prepared files. An entry appears only when it is complete."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def cache_dir() -> Path:
    """Returns `LAB_CACHE_DIR`, or `delivery-lab` in the XDG cache folder; creates it if absent."""
    stated = os.environ.get("LAB_CACHE_DIR")
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(stated) if stated else Path(base) / "delivery-lab"
    folder.mkdir(parents=True, exist_ok=True)
    return folder.resolve()


@contextmanager
def exclusive_lock(path: Path) -> Iterator[None]:
    """Holds an exclusive lock on a path between processes; the kernel frees it at a crash."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with (path.parent / f".{path.name}.lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextmanager
def scratch_folder(near: Path) -> Iterator[Path]:
    """Yields a temporary folder on the file system of `near`, for atomic renames out of it."""
    near.parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f".{near.name}-", dir=near.parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
