"""Files and sources of variables that a deployment names, and nobody gave."""

from __future__ import annotations

import re
from collections.abc import Iterable

_ABSENT = re.compile(
    r"may hold settings: not read|that is not here: not read|, and is not read\b"
    r"|(?:, and is not here|goes before this)\. Give (?:it|them|that file), too"
    r"|from a file are not read here|into a file of properties is not read"
)
"""What the notes of their readers say of one."""


def absent(notes: Iterable[str]) -> list[str]:
    """The notes of those: an answer goes as far as they state nothing that decides."""
    return [note for note in notes if _ABSENT.search(note)]
