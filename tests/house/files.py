"""The files of the project: all below its root that `.gitignore` does not name.

They are found without git: a machine that only runs the tests, or an archive, may not have it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def files(*patterns: str) -> list[Path]:
    """Paths that match one of the patterns, or all paths without a pattern; `*` crosses folders."""
    paths = (ROOT / path for path in _walk())
    return [path for path in paths if not patterns or _matches(name(path), patterns)]


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def ignored(name: str) -> bool:
    """Whether `.gitignore` excludes a file or folder of this name in any folder."""
    return name == ".git" or _matches(name, _ignored_names())


@cache
def _walk() -> list[Path]:
    results = []
    for folder, folders, names_here in os.walk(ROOT):
        folders[:] = [folder for folder in folders if not ignored(folder)]
        results += [Path(folder, name) for name in names_here if not ignored(name)]
    return sorted(path for path in results if path.is_file())


@cache
def _ignored_names() -> list[str]:
    """The lines of `.gitignore`: a house rule allows only plain names, with a slash for folders."""
    lines = (ROOT / ".gitignore").read_text("utf-8").splitlines()
    return [line.removesuffix("/") for line in lines]


def _matches(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatch(name, pattern) for pattern in patterns)
