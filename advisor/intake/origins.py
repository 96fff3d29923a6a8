"""Where something was stated, as a compiler says it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

_LINE = re.compile(r"Line (\d+): (.*)", re.DOTALL)
_NAMED_LINE = re.compile(r"(?<!--only ['\"])\bline (\d+)")
"""But for an option, which goes by lines that are counted through."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where something was stated: a file and its line (0 where it has none), or an option."""

    source: str
    line: int = 0

    def __str__(self) -> str:
        return f"{self.source}:{self.line}" if self.line else self.source


def placed(source: str, message: str, setting: str = "") -> str:
    """`Line 3: …` becomes `source:3: …`; a setting that the words do not name is named."""
    match = _LINE.match(message)
    number, words = (match[1], match[2]) if match else ("0", message)
    place = source if number == "0" else f"{source}:{number}"
    return f"{place}: {words if setting in words or setting == 'file' else f'{setting}: {words}'}"


@dataclass(frozen=True, slots=True)
class Joined:
    """Files whose lines are counted through: where each begins, behind how many lines."""

    starts: Mapping[int, str]

    @classmethod
    def of(cls, texts: Iterable[tuple[str, str]]) -> Joined:
        """Of files with their names, one behind the other."""
        before, starts = 0, dict[int, str]()
        for name, text in texts:
            starts[before] = name
            before += text.count("\n") + 1
        return cls(starts)

    def origin(self, line: int) -> Origin:
        """The file and the line in it."""
        before = max(start for start in self.starts if start < line or not start)
        return Origin(self.starts[before], line - before)

    def placed(self, message: str, setting: str = "") -> str:
        """A message with its place, and with the places that it names."""
        match = _LINE.match(message)
        own, words = (self.origin(int(match[1])), match[2]) if match else (None, message)
        words = _NAMED_LINE.sub(lambda at: str(self.origin(int(at[1]))), words)
        place = str(own) if own else min(self.starts.values())
        return placed(place, words, setting)


def line_of_key(text: str, name: str) -> int:
    """The line of a TOML key, written whole or inside its table; 0 if it cannot be found."""
    inside = name.partition(".")[2]
    for number, line in enumerate(text.splitlines(), 1):
        written = re.sub(r"[\"'\s]", "", line.partition("=")[0])
        if written and written in (name, inside):
            return number
    return 0
