"""The grammar of Java's `.properties` files, as `java.util.Properties.load(Reader)` reads it.

Natural lines end with a newline. A line that ends with an odd number of backslashes continues on
the next line. A line that begins with `#` or `!` is a comment, unless it continues another one. A
key ends at the first unescaped `=`, `:` or whitespace. A single backslash at the end of the file,
which is a property without name and value to Java, is skipped. Source: javadoc of Properties.load.
tests/contracts compares the result with Java's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from advisor.intake.text import IntakeError

_BLANK = " \t\f"
_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_NATURAL = re.compile(r"\r\n|\r|\n")
_KEY = re.compile(rf"(?:[^\\=:{_BLANK}]++|\\.?)*+", re.DOTALL)
_HEX4 = re.compile(r"[0-9A-Fa-f]{4}")


@dataclass(frozen=True, slots=True)
class Property:
    """One key and its value. `line` is the number of its first line, from 1."""

    line: int
    key: str
    value: str


def properties(text: str) -> Iterator[Property]:
    """Yields the properties of a file, in order. If a key occurs twice, the later one counts.

    Raises `IntakeError`, with the line, for a `\\u` without four hexadecimal digits.
    """
    for number, line in _logical_lines(text):
        key, value = _split(line)
        try:
            yield Property(number, _unescape(key), _unescape(value))
        except ValueError as error:
            raise IntakeError(f"Line {number}: {error}") from None


def without_first_line(text: str) -> tuple[str, bool]:
    """The text with an empty first line, and whether that line stated a property.

    For a file that begins with a byte order mark: `Properties.load` takes the mark for the start of
    the first name, even if the line is a comment.
    """
    lines = _NATURAL.split(text)
    last = next((at for at, line in enumerate(lines) if not _continues(line)), len(lines) - 1)
    stated = any(line.lstrip(_BLANK)[:1] not in ("", "#", "!") for line in lines[:1])
    return "\n".join([""] * (last + 1) + lines[last + 1 :]), stated


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    joined, started = "", 0
    for number, natural in enumerate(_NATURAL.split(text), start=1):
        line = natural.lstrip(_BLANK)
        # A logical line has not started while it is empty, also after a single backslash.
        if not joined and (not line or line[0] in "#!"):
            continue
        started = started if joined else number
        joined += line[:-1] if _continues(line) else line
        if joined and not _continues(line):
            yield started, joined
            joined = ""
    if joined:
        yield started, joined


def _continues(line: str) -> bool:
    backslashes = len(line) - len(line.rstrip("\\"))
    return backslashes % 2 == 1


def _split(line: str) -> tuple[str, str]:
    key = _KEY.match(line)
    end = key.end() if key else 0
    rest = line[end:].lstrip(_BLANK)
    if rest[:1] in ("=", ":"):
        rest = rest[1:].lstrip(_BLANK)
    return line[:end], rest


def _unescape(text: str) -> str:
    if "\\" not in text:
        return text
    out, at = [], 0
    while at < len(text):
        if text[at] != "\\":
            out.append(text[at])
            at += 1
        elif text[at + 1 : at + 2] == "u":
            digits = text[at + 2 : at + 6]
            if not _HEX4.fullmatch(digits):
                raise ValueError("\\u needs four hexadecimal digits.")
            out.append(chr(int(digits, 16)))
            at += 6
        else:
            escaped = text[at + 1 : at + 2]
            out.append(_ESCAPES.get(escaped, escaped))
            at += 2
    return "".join(out)
