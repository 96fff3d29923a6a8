"""Notes about files and values that the given files refer to and that are not here.

Whatever they set may change an answer: a YES with such a note is conditional
(docs/decisions/0161-a-yes-names-missing-files.md). So the note carries a mark, and nothing
depends on the rest of its wording.
"""

from __future__ import annotations

from collections.abc import Iterable

_MARK = " (it may change the answer)"


def absence(words: str) -> str:
    """Returns the words of a note about something that is not here, with the mark of such notes."""
    return f"{words}{_MARK}"


def absence_notes(notes: Iterable[str]) -> list[str]:
    """Returns the notes about what is not here: an answer holds only if none of it decides."""
    return [note for note in notes if _MARK in note]
