"""Arguments of a command line: `-Dname=value` of a JVM, `--name=value` of the program."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_ARGUMENT = re.compile(
    r"(?<![\w-])(?P<sign>-D|--?)(?:%[\w,{}-]{1,100}\.)?"
    r"(?P<name>[A-Za-z][\w-]{0,100}(?:\.[\w-]{1,100}|\[[\w.-]{1,100}\]){0,12})"
    r"(?:=(?P<value>\"[^\"]{0,200}\"|'[^']{0,200}'|[^\s\"'\\\];&|]{0,200})|(?=[\s\"'\\,\]]|$))"
)
"""A name may have a profile of Quarkus as its prefix."""


class Argument(NamedTuple):
    """One argument. `value` is None without an `=`. `is_of_program` is False for one of the JVM."""

    name: str
    value: str | None
    is_of_program: bool


def arguments(text: str) -> Iterator[Argument]:
    """Yields the arguments of a command, or of a variable that holds arguments."""
    for match in _ARGUMENT.finditer(text):
        value = None if match["value"] is None else match["value"].strip("\"'").rstrip(",")
        yield Argument(match["name"], value, match["sign"] != "-D")
