"""`${NAME:default}`: what is filled in when the application starts, and what is taken of it."""

from __future__ import annotations

import re
from collections.abc import Callable

from advisor.intake.reading import Reading
from advisor.intake.text import is_secret, shown

SPRING = re.compile(r"\$\{([^${}:]{1,200}):([^${}]{0,1000})\}")
"""With a default, and no other one inside (Spring Framework, "Placeholder Resolution")."""

COMPOSE = re.compile(r"\$\{(\w{1,200}):?-([^${}]{0,1000})\}")
"""`${NAME:-default}` and `${NAME-default}` (Compose file reference, "Interpolation")."""

_MOST = 20
_PLAIN = re.compile(r"[a-z\d_.-]{1,25}", re.IGNORECASE | re.ASCII)


def fill(
    reading: Reading, pattern: re.Pattern[str], named: tuple[str, str, int],
    take: Callable[[str], None],
) -> None:  # fmt: skip
    """Takes a value (`named` is its name, text and line) with the default of each placeholder.

    Says which names may replace one; or that there is one without a default, and nothing is taken.
    """
    name, text, line = named
    filled, may_replace = _filled(text, pattern)
    if filled is None:
        reading.note(line, f"{shown(name)} is filled in when the application starts: not read")
        return
    before = len(reading.items)
    take(filled)
    if may_replace and not is_secret(name):
        told = len(reading.items) > before and _PLAIN.fullmatch(filled)
        said = f" {filled}" if told else ""
        by = ", ".join(may_replace)
        reading.note(line, f"{shown(name)}: the default{said} counts here; {by} may replace it")


def _filled(text: str, pattern: re.Pattern[str]) -> tuple[str | None, list[str]]:
    """The text with each default in its place, and the names that may replace one.

    A default may hold another placeholder. None for a text with one that has no default.
    """
    names = list[str]()
    while (found := pattern.search(text)) and len(names) < _MOST:
        names.append(shown(found[1].strip()))
        text = text[: found.start()] + found[2] + text[found.end() :]
    return (None if "${" in text else text), names
