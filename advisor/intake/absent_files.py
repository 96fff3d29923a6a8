"""Files and sources of variables that a deployment refers to and that were not passed in."""

from __future__ import annotations

import re
from collections.abc import Iterable

_ABSENCE_NOTE = re.compile(
    r"may hold settings: not read|that is not here: not read|, and is not read\b"
    r"|(?:, and is not here|goes before this)\. Give (?:it|them|that file), too"
    r"|from a file are not read here|into a file of properties is not read"
    r"|a variable fills into this command are not read here"
    r"|does not set (?:again )?what (?:stands here|is named there)"
)
"""The wording of the readers' notes about such a file, options in a variable of a script, and a
resource that its operator leaves unchanged."""


def absence_notes(notes: Iterable[str]) -> list[str]:
    """The notes about such files: an answer holds only if none of them sets anything that
    decides."""
    return [note for note in notes if _ABSENCE_NOTE.search(note)]
