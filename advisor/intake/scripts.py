"""Scripts of a shell: topics that `kafka-topics --create` makes, and what others change of them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.intake.commands import is_read, take_altered, take_topics
from advisor.intake.placeholders import COMPOSE
from advisor.intake.reading import Reader, Reading
from advisor.intake.text import IntakeError

_ASSIGNED = re.compile(r"^[ \t]*(?:export[ \t]+)?(\w+)=[\"']?([\w.:-]*)[\"']?[ \t]*$", re.MULTILINE)
_VARIABLE = re.compile(r"\$\{(\w+)\}|\$(\w+)")


def read(text: str) -> Reading:
    """The topics that are created, and settings that are changed. Raises `IntakeError`."""
    reading, commands = Reading(), list(_commands(text))
    take_topics(reading, commands, {})
    take_altered(reading, commands)
    if not (reading.items or reading.notes or reading.problems):
        raise IntakeError("Line 1: no command here creates a topic or changes a setting.")
    return reading


def _commands(text: str) -> Iterator[tuple[str, int]]:
    """The commands, each with the line where it begins.

    A variable is replaced by its value where the script states one plain value of it.
    """
    stated = dict[str, set[str]]()
    for match in _ASSIGNED.finditer(text):
        stated.setdefault(match[1], set()).add(match[2])

    def value(match: re.Match[str]) -> str:
        values = stated.get(match[1] or match[2], set())
        return next(iter(values)) if len(values) == 1 else match[0]

    command, begins = "", 1
    for number, line in enumerate(text.splitlines(), start=1):
        if not command:
            begins = number
        command += line.rstrip().removesuffix("\\") + " "
        if not line.rstrip().endswith("\\"):
            if not command.lstrip().startswith("#"):
                yield COMPOSE.sub(r"\2", _VARIABLE.sub(value, command)), begins
            command = ""


def _likeness(text: str) -> float:
    if "kafka-topics" not in text and "kafka-configs" not in text:
        return 0.0
    return 0.93 if any(is_read(command) for command, _ in _commands(text)) else 0.0


READERS = (Reader("script", "Shell script (kafka-topics --create, --alter)", _likeness, read),)
