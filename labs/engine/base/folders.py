"""The size of folders, and their removal, except for subfolders that are kept."""

from __future__ import annotations

import shutil
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path


def size(path: Path) -> int:
    """Returns the bytes of a file, or of all files below a folder; deleted files count 0."""
    total = 0
    for file in (path, *path.rglob("*")):
        with suppress(OSError):
            total += file.stat().st_size if file.is_file() else 0
    return total


def remove_all_but(folder: Path, kept: Collection[str], *, ignore_errors: bool = False) -> None:
    """Removes a folder. If `kept` has names of its subfolders, removes only the other subfolders.

    Files next to kept subfolders remain. Raises `OSError`, unless errors are ignored.
    """
    for path in folder.iterdir() if kept else [folder]:
        if path.name not in kept and path.is_dir():
            shutil.rmtree(path, ignore_errors=ignore_errors)
