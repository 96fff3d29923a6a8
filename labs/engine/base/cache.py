"""The cache of downloaded and prepared files; an entry appears only when it is complete."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def cache_dir() -> Path:
    """`LAB_CACHE_DIR`, else `delivery-lab` in the XDG cache folder (~/.cache); made if absent."""
    stated = os.environ.get("LAB_CACHE_DIR")
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(stated) if stated else Path(base) / "delivery-lab"
    folder.mkdir(parents=True, exist_ok=True)
    return folder.resolve()


@contextmanager
def exclusive_lock(path: Path) -> Iterator[None]:
    """An exclusive lock on this path between processes; the kernel frees it if its holder dies."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with (path.parent / f".{path.name}.lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextmanager
def scratch_folder(near: Path) -> Iterator[Path]:
    """A temporary folder on the file system of `near`, so that a rename out of it is atomic."""
    near.parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f".{near.name}-", dir=near.parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
