"""The text of a file that a user names or uploads, up to the length of a configuration."""

from __future__ import annotations

import codecs
import sys
from collections.abc import Iterator
from pathlib import Path

from advisor.intake.text import MARK, MAX_BYTES

_UTF8_ONLY = (".yml", ".yaml", ".json", ".py", ".toml")
_NOT_UTF16 = (
    ".properties", ".conf", ".env", ".json", ".py", ".java", ".kt", ".scala", ".tf", ".tfvars",
    ".toml", ".sh", ".service", "Dockerfile",
)  # fmt: skip
"""Files whose programs do not read UTF-16: Java's loader of properties reads ISO-8859-1, the others
read UTF-8. Parsers of YAML read it."""


class FileProblem(ValueError):
    """A file that cannot be read; the message names it."""


def read_file(path: str) -> str:
    """Returns the text of a file, or of standard input for `-`; it may be empty.

    Raises `FileProblem` for one that cannot be read, or is longer than `MAX_BYTES`.
    """
    if path == "-":
        return _text(path, sys.stdin.buffer.read(MAX_BYTES + 1))
    try:
        with Path(path).open("rb") as file:
            return _text(path, file.read(MAX_BYTES + 1))
    except OSError as error:
        raise FileProblem(f"{path}: {error.strerror}.") from error


def decoded(source: str, content: bytes) -> str:
    """Returns the text of these bytes. Raises `FileProblem` if they are not text, are blank, or are
    too many."""
    text = _text(source, content)
    if not text.strip():
        raise FileProblem(f"{source}: there is nothing in it.")
    return text


def states_nothing(text: str) -> bool:
    """Whether there are only blank lines and comments, so that every setting has its default."""
    lines = (line.strip(" \t\f\ufeff") for line in text.splitlines())
    return all(not line or line[0] in "#!" for line in lines)


def _text(source: str, content: bytes) -> str:
    """Decodes UTF-8, or the UTF-16 of output that PowerShell's `>` writes, with a byte order mark.

    A properties file may have comments in ISO-8859-1, which is what Java reads.
    """
    if len(content) > MAX_BYTES:
        raise FileProblem(f"{source}: longer than {MAX_BYTES} bytes; a configuration is not.")
    marked = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    if marked and source.rstrip(")").endswith(_NOT_UTF16):
        words = "this is UTF-16, as PowerShell's `>` writes it, which the program that reads this"
        raise FileProblem(f"{source}:1: {words} file does not read. Save it as UTF-8.")
    try:
        return content.decode("utf-16" if marked else "utf-8")
    except UnicodeDecodeError as error:
        mark = MARK if content.startswith(codecs.BOM_UTF8) else ""
        rest = content.removeprefix(codecs.BOM_UTF8)
        line = error.object.count(b"\n", 0, error.start) + 1
        # The source of an upload may be a name in parentheses.
        if not marked and not source.rstrip(")").endswith(_UTF8_ONLY):
            if not (beyond_ascii := dict(_lines_beyond_ascii(rest))):
                # 0x85, an ellipsis of Windows, is no end of a line to Java.
                return mark + rest.decode("iso-8859-1").replace("\x85", " ")
            line = next((at for at, text in beyond_ascii.items() if not _is_utf8(text)), line)
        raise FileProblem(f"{source}:{line}: this is not text in UTF-8.") from None


def _lines_beyond_ascii(content: bytes) -> Iterator[tuple[int, bytes]]:
    """Yields the lines that are not ASCII, with their numbers. Comments do not count."""
    for number, line in enumerate(content.splitlines(), start=1):
        if not line.isascii() and line.lstrip(b" \t\f")[:1] not in (b"#", b"!"):
            yield number, line


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True
