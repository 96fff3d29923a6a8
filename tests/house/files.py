"""The files of the project as git sees them: tracked, or new and not ignored."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def files(*patterns: str) -> list[Path]:
    """Paths below the root that match one of the patterns (git's), or all of them."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *patterns],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return [
        path for name in sorted(set(listed.split("\0"))) if name and (path := ROOT / name).is_file()
    ]


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()
