"""Shell scripts: topics that `kafka-topics --create` creates, and commands that alter them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from advisor.intake.deployments.commands import is_read, take_altered, take_topics, topics_of
from advisor.intake.deployments.script_commands import take_beside
from advisor.intake.reading import Reader, Reading, Subject
from advisor.intake.text import IntakeError

_MOVES = "kafka-reassign-partitions"
_DECLARE = r"^[ \t]*(?:(?:declare|export|local|readonly|typeset)[ \t]+(?:-\w+[ \t]+)?)?"
_ASSIGNED = re.compile(rf"{_DECLARE}(\w+)=[\"']?([\w.:-]*)[\"']?[ \t]*$", re.MULTILINE)
_DEFAULTED = re.compile(
    rf"{_DECLARE}(?P<name>\w+)=[\"']?\$\{{(?P<other>\w+):?-(?P<default>[\w.:-]*)\}}[\"']?[ \t]*$"
    r"|^[ \t]*:[ \t]+[\"']?\$\{(?P<assigned_name>\w+):?=(?P<value>[\w.:-]*)\}",
    re.MULTILINE,
)
"""A variable with a default value."""
_FUNCTION = re.compile(r"^[ \t]*(?:function[ \t]+[\w-]+|[\w-]+[ \t]*\(\))", re.MULTILINE)
_CHANGED = re.compile(r"(?<![\w.$-])(\w+)\+?=")
_INPUT = re.compile(r"\b(?:for|getopts|mapfile|printf|read|readarray)\b([^\n;]*)")
_WORDS = re.compile(
    rf"{_DECLARE}(\w+)=(?:\"([^\"\n]*)\"|'([^'\n]*)'|\(([^()]*)\))[ \t]*$",
    re.MULTILINE,
)
"""A variable with several words, or an array."""
_VARIABLE = re.compile(r"\$\{(\w+)(?:\[[@*]\]|:?-([^${}]{0,1000}))?\}|\$(\w+)")
_GOES_ON = re.compile(r"(?:\\|(?<=\s)\^|(?<=\s)(?<!`)`)$")
"""Where a command goes on in the next line: in a shell, in Windows' `cmd` (^), in PowerShell."""
_COMMENT = re.compile(r"""^((?:[^"'#\\]|\\.|"[^"]*"|'[^']*'|(?<=[^\s;])#)*?)(?<!\S)#.*$""")
"""A line with a comment; the group is the code before it."""


def read(text: str) -> Reading:
    """Reads the topics that are created, and the settings that are altered. Raises
    `IntakeError`."""
    reading, commands = Reading(), list(_commands(text))
    take_topics(reading, commands, {})
    take_altered(reading, commands)
    take_beside(reading, text, commands)
    names = topics_of(commands)
    if all("$" not in name for name in names):
        reading.subject = Subject.by_name(names)
    if not (reading.items or reading.notes or reading.problems) and _MOVES in text:
        line = next(at for at, row in enumerate(text.splitlines(), 1) if _MOVES in row)
        words = "this moves replicas of a topic, and states no setting"
        raise IntakeError(
            f"Line {line}: {words}. Give what kafka-topics.sh --describe prints when it is done."
        )
    if not (reading.items or reading.notes or reading.problems):
        raise IntakeError("Line 1: no command here creates a topic or changes a setting.")
    return reading


def _commands(text: str) -> Iterator[tuple[str, int]]:
    """Yields the commands, each with its first line.

    A variable is replaced by its value, or by its default if the script does not set it.
    """
    values, has_functions = _values(text), _FUNCTION.search(text) is not None

    def value(match: re.Match[str]) -> str:
        name, default = match[1] or match[3], match[2] or match[0]
        if name.isdecimal() and has_functions:  # an argument of a function
            return match[0]
        return (values[name] or match[0]) if name in values else default

    command, first_line = "", 1
    for number, line in enumerate(text.splitlines(), start=1):
        if not command:
            first_line = number
        line = _COMMENT.sub(r"\1", line)
        line = line.rstrip()
        goes_on = _GOES_ON.search(line) is not None and line.count("`") < 2
        command += (line[:-1] if goes_on else line) + " "
        if not goes_on:
            if not command.lstrip().startswith("#"):
                yield _VARIABLE.sub(value, command), first_line
            command = ""


def _values(text: str) -> dict[str, str]:
    """The variables that a script sets, each with its value; "" if that is not certain: it is set
    twice, by a command, after a condition on the same line, or is read as input."""
    changed = Counter(match[1] for match in _CHANGED.finditer(text))
    literals = {
        match[1]: match[2] or match[3] or " ".join((match[4] or "").split())
        for match in _WORDS.finditer(text)
    } | {match[1]: match[2] for match in _ASSIGNED.finditer(text)}
    has_functions = _FUNCTION.search(text) is not None
    for match in _DEFAULTED.finditer(text):
        is_argument = has_functions and (match["other"] or "").isdecimal()
        value = match["default"] or match["value"] or ""
        literals[match["name"] or match["assigned_name"]] = "" if is_argument else value
        changed[match["assigned_name"]] += 1
    inputs = {word for match in _INPUT.finditer(text) for word in re.findall(r"\w+", match[1])}
    return {
        name: literals.get(name, "") if times == 1 and name not in inputs else ""
        for name, times in changed.items()
    }


def _likeness(text: str) -> float:
    if _MOVES in text and not any(is_read(command) for command, _ in _commands(text)):
        return 0.5
    if "kafka-topics" not in text and "kafka-configs" not in text:
        return 0.0
    return 0.93 if any(is_read(command) for command, _ in _commands(text)) else 0.0


READERS = (Reader("script", "Shell script (kafka-topics --create, --alter)", _likeness, read),)
