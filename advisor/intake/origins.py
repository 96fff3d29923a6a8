"""The places of settings in files, written as compilers write them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

_LINE_PREFIX = re.compile(r"Line (\d+): (.*)", re.DOTALL)
_LINE_REFERENCE = re.compile(r"(?<!--only ['\"])\bline (\d+)")
"""A reference to a line inside a message. In an option `--only`, lines are those of the joined
text."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The place of a setting: a file and its line (0 without one), or an option."""

    source: str
    line: int = 0

    def __str__(self) -> str:
        return f"{self.source}:{self.line}" if self.line else self.source


def locate(source: str, message: str, setting: str = "") -> str:
    """Returns a message with `source:3: …` for `Line 3: …`, and with the setting if the message
    does not name it."""
    match = _LINE_PREFIX.match(message)
    number, words = (match[1], match[2]) if match else ("0", message)
    place = source if number == "0" else f"{source}:{number}"
    return f"{place}: {words if setting in words or setting == 'file' else f'{setting}: {words}'}"


@dataclass(frozen=True, slots=True)
class Joined:
    """Files that are joined to one text; `starts` has the number of lines before each."""

    starts: Mapping[int, str]

    @classmethod
    def from_texts(cls, texts: Iterable[tuple[str, str]]) -> Joined:
        """Joins files, given with their names, in this order."""
        lines_before, starts = 0, dict[int, str]()
        for name, text in texts:
            starts[lines_before] = name
            lines_before += text.count("\n") + 1
        return cls(starts)

    def origin(self, line: int) -> Origin:
        """Returns the file, and the line in it, of a line of the joined text."""
        lines_before = max(start for start in self.starts if start < line or not start)
        return Origin(self.starts[lines_before], line - lines_before)

    def locate(self, message: str, setting: str = "") -> str:
        """Returns a message with its place and the places that it refers to in the original
        files."""
        match = _LINE_PREFIX.match(message)
        own, words = (self.origin(int(match[1])), match[2]) if match else (None, message)
        words = _LINE_REFERENCE.sub(lambda at: str(self.origin(int(at[1]))), words)
        place = str(own) if own else min(self.starts.values())
        return locate(place, words, setting)


def line_of_key(text: str, name: str) -> int:
    """Returns the line of a TOML key, written in full or inside its table; 0 if there is none."""
    key = name.partition(".")[2]
    for number, line in enumerate(text.splitlines(), 1):
        written = re.sub(r"[\"'\s]", "", line.partition("=")[0])
        if written and written in (name, key):
            return number
    return 0
