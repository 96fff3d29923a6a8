"""Removes the folder of a run, except for parts that are kept."""

from __future__ import annotations

import shutil
from collections.abc import Collection
from pathlib import Path


def remove_all_but(folder: Path, kept: Collection[str], *, ignore_errors: bool = False) -> None:
    """Removes a folder. If `kept` names folders in it, only the other folders in it are removed.

    Files next to folders that are kept stay. Raises `OSError`, unless errors are ignored.
    """
    for path in folder.iterdir() if kept else [folder]:
        if path.name not in kept and path.is_dir():
            shutil.rmtree(path, ignore_errors=ignore_errors)
