"""A Dockerfile: the variables that an application's image gives it, and what it is started with.

Source: Dockerfile reference: `ENV` (in both its forms; a stage has those of the one that it is
from), `ARG`, `CMD` and `ENTRYPOINT`, "Environment replacement". Only the last stage is what runs.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field

from advisor.intake.deployments.command_settings import exported, refuse_written
from advisor.intake.deployments.compose.files import UNREAD
from advisor.intake.deployments.compose.servers import is_server
from advisor.intake.deployments.compose.services import Variable, variable_value
from advisor.intake.deployments.environment import take_rows
from advisor.intake.deployments.images import is_kafka, refuse_other_brokers
from advisor.intake.reading import Reader, Reading
from advisor.intake.text import IntakeError, shown

_FROM = re.compile(r"^FROM[ \t]+\S", re.MULTILINE)
_STATES = re.compile(r"^(?:ENV|CMD|ENTRYPOINT)[ \t]+\S", re.MULTILINE)
"""In capital letters, as everybody writes them: Python has `from`."""
_STAGE = re.compile(
    r"(?:--platform=\S+\s+)?(?P<image>\S+)(?:\s+AS\s+(?P<name>\S+))?", re.IGNORECASE
)
_PAIR = re.compile(r"(\w{1,200})=((?:\"(?:[^\"\\]|\\.)*+\"|'[^']*+'|\\.|[^\s\"'\\])*+)")
_REFERENCE = re.compile(r"\$(?:(?P<bare>\w{1,200})|\{(?P<name>\w{1,200})\})")
_HERE = re.compile(r"<<-?[ \t]*[\"']?(\w{1,60})[\"']?")
_SETTINGS = re.compile(r"[\w.-]{1,100}\.properties\b|\bapplication[\w.-]{0,100}\.ya?ml\b")
_MOST = 50
"""Stages of an image; each has the variables of the one that it is from."""
_LONGEST = 10_000
"""Letters of a value: one that is filled in again and again doubles each time."""
_OF_BROKERS = (
    "this is the image of a server of Kafka. Give its variables as lines NAME=value, and its "
    "release by --kafka"
)


@dataclass(slots=True)
class _Stage:
    """What a stage begins with, gives its containers and starts; `arguments` are of the build."""

    image: str = ""
    variables: dict[str, Variable] = field(default_factory=dict)
    commands: dict[str, tuple[str, int]] = field(default_factory=dict)
    arguments: dict[str, str] = field(default_factory=dict)


def read(text: str) -> Reading:
    """What the image of the last stage states. Raises `IntakeError`."""
    reading = Reading()
    stage, line = _last_stage(reading, text)
    refuse_other_brokers(stage.image, line)
    if is_kafka(stage.image) or is_server(stage.variables):
        raise IntakeError(f"Line {line}: {_OF_BROKERS}.")
    commands = _started(stage)
    rows = [*stage.variables.values()]
    for command, at in commands.values():
        rows += ((name, value, at) for name, value in exported(command))
    reading.variable_values += map(variable_value, rows)
    take_rows(reading, rows, commands)
    for command, at in commands.values():
        refuse_written(reading, command, at, of_server=False)
    reading.empty_reason = "" if reading.items else reading.empty_reason
    return reading


def variables(text: str) -> list[Variable]:
    """The variables that a container has of the image."""
    return [*_last_stage(Reading(), text)[0].variables.values()]


def _last_stage(reading: Reading, text: str) -> tuple[_Stage, int]:
    """The last stage, with the line that it begins in."""
    stages, stage, begins, begun = dict[str, _Stage](), _Stage(), 1, 0
    before = stage.arguments
    for number, name, rest in _instructions(text):
        match name:
            case "FROM" if found := _STAGE.match(rest):
                image = _filled(found["image"], _Stage(arguments=before))
                if (begun := begun + 1) > _MOST:
                    raise IntakeError(f"Line {number}: more stages than any image has.")
                base = stages.get(image.lower(), _Stage(image))
                stage = _Stage(base.image, {**base.variables}, {**base.commands}, {})
                stages[(found["name"] or "").lower()], begins = stage, number
            case "ARG":
                own, equals, value = rest.partition("=")
                stage.arguments[own] = _plain(value) if equals else before.get(own, "")
            case "ENV":
                filled = [(own, _filled(value, stage)) for own, value in _pairs(rest)]
                stage.variables |= {own: (own, value, number) for own, value in filled}
            case "CMD" | "ENTRYPOINT":
                stage.commands[name] = (rest, number)
                if stage.commands.get("CMD", ("", begins))[1] < begins:  # it is another stage's
                    del stage.commands["CMD"]
            case "RUN":
                refuse_written(reading, rest, number, of_server=False)
            case "COPY" | "ADD" if "--from" not in rest and (found := _SETTINGS.search(rest)):
                reading.note(number, f"a file {shown(found[0])} {UNREAD}")
            case _:
                pass
    return stage, begins


def _instructions(text: str) -> Iterator[tuple[int, str, str]]:
    """Each instruction with its first line, without comments, and with what it is given in lines
    of its own (here-documents)."""
    begins, parts, ends = 0, list[str](), list[str]()
    for number, line in enumerate(text.splitlines(), start=1):
        begins = begins if parts else number
        if ends:
            parts.append(line)
            ends = ends[1:] if line.strip() == ends[0] else ends
            goes_on = bool(ends)
        elif line.lstrip()[:1] in ("#", ""):
            continue
        else:
            goes_on = line.rstrip().endswith("\\")
            parts.append(line.strip().removesuffix("\\"))
            ends = [] if goes_on else _HERE.findall(" ".join(parts))
            goes_on = goes_on or bool(ends)
        if not goes_on:
            name, _, rest = " ".join(parts).partition(" ")
            yield begins, name.upper(), rest.strip()
            parts = []


def _pairs(rest: str) -> Iterator[tuple[str, str]]:
    """What `ENV` states: `NAME=value …`, or one name and all that is behind it."""
    name, _, value = rest.partition(" ")
    if "=" not in name:
        yield name, value.strip()
    else:
        yield from ((match[1], _plain(match[2])) for match in _PAIR.finditer(rest))


def _plain(value: str) -> str:
    """A value without its quotes and backslashes; what is in single quotes is filled in, too."""
    return re.sub(r"\\(.)|[\"']", lambda match: match[1] or "", value)


def _filled(value: str, stage: _Stage) -> str:
    """A value with what the image, or else the build, gives to its variables."""

    def given(match: re.Match[str]) -> str:
        name = match["bare"] or match["name"]
        own = stage.variables.get(name)
        return own[1] if own else stage.arguments.get(name, match[0])

    return _REFERENCE.sub(given, value)[:_LONGEST] if "$" in value else value


def _started(stage: _Stage) -> dict[str, tuple[str, int]]:
    """The command that a container starts. `CMD` is of no use beside an `ENTRYPOINT` of a shell."""
    entry, command = stage.commands.get("ENTRYPOINT"), stage.commands.get("CMD")
    if not entry or not command:
        return {"": (_words(one[0]), one[1])} if (one := entry or command) else {}
    of_shell = not entry[0].startswith("[")
    return {"": (_words(entry[0]) + ("" if of_shell else f" {_words(command[0])}"), entry[1])}


def _words(command: str) -> str:
    """A command in the form of a list as a shell has it."""
    try:
        words = json.loads(command) if command.startswith("[") else None
    except (ValueError, RecursionError):
        return command
    return shlex.join(map(str, words)) if isinstance(words, list) else command


def _likeness(text: str) -> float:
    return 0.98 if _FROM.search(text) and _STATES.search(text) else 0.0


READERS = (Reader("dockerfile", "Dockerfile (ENV, CMD, ENTRYPOINT)", _likeness, read),)
