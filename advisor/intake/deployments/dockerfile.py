"""Dockerfiles: the variables of an application's image, and the command that starts it.

Source: Dockerfile reference: `ENV` (in both forms; a stage inherits the variables of its base),
`ARG`, `CMD` and `ENTRYPOINT`, "Environment replacement". Only the last stage is run.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field

from advisor.intake.deployments.command_settings import exported_variables, refuse_written
from advisor.intake.deployments.compose.files import UNREAD
from advisor.intake.deployments.compose.servers import is_server
from advisor.intake.deployments.compose.services import Variable, variable_value
from advisor.intake.deployments.environment import take_rows
from advisor.intake.deployments.images import is_kafka, refuse_other_brokers
from advisor.intake.reading import Reader, Reading
from advisor.intake.text import IntakeError, shown

_FROM = re.compile(r"^FROM[ \t]+\S", re.MULTILINE)
_STATING_INSTRUCTION = re.compile(r"^(?:ENV|CMD|ENTRYPOINT)[ \t]+\S", re.MULTILINE)
"""In capital letters, as is usual: `from` in lower case may be Python's."""
_STAGE = re.compile(
    r"(?:--platform=\S+\s+)?(?P<image>\S+)(?:\s+AS\s+(?P<name>\S+))?", re.IGNORECASE
)
_PAIR = re.compile(r"(\w{1,200})=((?:\"(?:[^\"\\]|\\.)*+\"|'[^']*+'|\\.|[^\s\"'\\])*+)")
_REFERENCE = re.compile(r"\$(?:(?P<bare>\w{1,200})|\{(?P<name>\w{1,200})\})")
_HERE_DOCUMENT = re.compile(r"<<-?[ \t]*[\"']?(\w{1,60})[\"']?")
_SETTINGS = re.compile(r"[\w.-]{1,100}\.properties\b|\bapplication[\w.-]{0,100}\.ya?ml\b")
_MAX_STAGES = 50
"""The maximum number of stages of an image; each inherits the variables of its base."""
_MAX_LENGTH = 10_000
"""The maximum length of a value: repeated substitution may double it each time."""
_BROKER_IMAGE = (
    "this is the image of a server of Kafka. Give its variables as lines NAME=value, and its "
    "release by --kafka"
)


@dataclass(slots=True)
class _Stage:
    """The base image, variables and commands of a stage; `arguments` are those of the build."""

    image: str = ""
    variables: dict[str, Variable] = field(default_factory=dict)
    commands: dict[str, tuple[str, int]] = field(default_factory=dict)
    arguments: dict[str, str] = field(default_factory=dict)


def read(text: str) -> Reading:
    """Returns the settings of the image of the last stage. Raises `IntakeError`."""
    reading = Reading()
    stage, line = _last_stage(reading, text)
    refuse_other_brokers(stage.image, line)
    if is_kafka(stage.image) or is_server(stage.variables):
        raise IntakeError(f"Line {line}: {_BROKER_IMAGE}.")
    commands = _started_commands(stage)
    rows = [*stage.variables.values()]
    for command, at in commands.values():
        rows += ((name, value, at) for name, value in exported_variables(command))
    reading.variable_values += map(variable_value, rows)
    take_rows(reading, rows, commands)
    for command, at in commands.values():
        refuse_written(reading, command, at, of_server=False)
    reading.empty_reason = "" if reading.items else reading.empty_reason
    return reading


def variables(text: str) -> list[Variable]:
    """The variables that a container inherits from the image."""
    return [*_last_stage(Reading(), text)[0].variables.values()]


def _last_stage(reading: Reading, text: str) -> tuple[_Stage, int]:
    """The last stage, with the line that it begins on."""
    stages, stage, first_line, stage_count = dict[str, _Stage](), _Stage(), 1, 0
    global_arguments = stage.arguments
    for number, name, rest in _instructions(text):
        match name:
            case "FROM" if match_ := _STAGE.match(rest):
                image = _filled(match_["image"], _Stage(arguments=global_arguments))
                if (stage_count := stage_count + 1) > _MAX_STAGES:
                    raise IntakeError(f"Line {number}: more stages than any image has.")
                base = stages.get(image.lower(), _Stage(image))
                stage = _Stage(base.image, {**base.variables}, {**base.commands}, {})
                stages[(match_["name"] or "").lower()], first_line = stage, number
            case "ARG":
                variable, equals, value = rest.partition("=")
                stage.arguments[variable] = (
                    _plain(value) if equals else global_arguments.get(variable, "")
                )
            case "ENV":
                filled = [(variable, _filled(value, stage)) for variable, value in _pairs(rest)]
                stage.variables |= {
                    variable: (variable, value, number) for variable, value in filled
                }
            case "CMD" | "ENTRYPOINT":
                stage.commands[name] = (rest, number)
                if (
                    stage.commands.get("CMD", ("", first_line))[1] < first_line
                ):  # it belongs to the base stage
                    del stage.commands["CMD"]
            case "RUN":
                refuse_written(reading, rest, number, of_server=False)
            case "COPY" | "ADD" if "--from" not in rest and (match_ := _SETTINGS.search(rest)):
                reading.note(number, f"a file {shown(match_[0])} {UNREAD}")
            case _:
                pass
    return stage, first_line


def _instructions(text: str) -> Iterator[tuple[int, str, str]]:
    """Yields the first line, the name and the rest of each instruction, without comments and with
    its here-documents."""
    first_line, parts, delimiters = 0, list[str](), list[str]()
    for number, line in enumerate(text.splitlines(), start=1):
        first_line = first_line if parts else number
        if delimiters:
            parts.append(line)
            delimiters = delimiters[1:] if line.strip() == delimiters[0] else delimiters
            continues = bool(delimiters)
        elif line.lstrip()[:1] in ("#", ""):
            continue
        else:
            continues = line.rstrip().endswith("\\")
            parts.append(line.strip().removesuffix("\\"))
            delimiters = [] if continues else _HERE_DOCUMENT.findall(" ".join(parts))
            continues = continues or bool(delimiters)
        if not continues:
            name, _, rest = " ".join(parts).partition(" ")
            yield first_line, name.upper(), rest.strip()
            parts = []


def _pairs(rest: str) -> Iterator[tuple[str, str]]:
    """Yields the variables of `ENV`: `NAME=value …`, or one name and the rest of the line."""
    name, _, value = rest.partition(" ")
    if "=" not in name:
        yield name, value.strip()
    else:
        yield from ((match[1], _plain(match[2])) for match in _PAIR.finditer(rest))


def _plain(value: str) -> str:
    """A value without its quotes and backslashes; variables in single quotes are filled in, too."""
    return re.sub(r"\\(.)|[\"']", lambda match: match[1] or "", value)


def _filled(value: str, stage: _Stage) -> str:
    """A value with its variables filled in from the image, or else from the build."""

    def value_(match: re.Match[str]) -> str:
        name = match["bare"] or match["name"]
        variable = stage.variables.get(name)
        return variable[1] if variable else stage.arguments.get(name, match[0])

    return _REFERENCE.sub(value_, value)[:_MAX_LENGTH] if "$" in value else value


def _started_commands(stage: _Stage) -> dict[str, tuple[str, int]]:
    """The command that a container starts. An `ENTRYPOINT` in shell form ignores `CMD`."""
    entry, command = stage.commands.get("ENTRYPOINT"), stage.commands.get("CMD")
    if not entry or not command:
        return {"": (_shell_form(only[0]), only[1])} if (only := entry or command) else {}
    of_shell = not entry[0].startswith("[")
    return {
        "": (_shell_form(entry[0]) + ("" if of_shell else f" {_shell_form(command[0])}"), entry[1])
    }


def _shell_form(command: str) -> str:
    """A command in exec form, which is a list, as a line of a shell."""
    try:
        words = json.loads(command) if command.startswith("[") else None
    except (ValueError, RecursionError):
        return command
    return shlex.join(map(str, words)) if isinstance(words, list) else command


def _likeness(text: str) -> float:
    return 0.98 if _FROM.search(text) and _STATING_INSTRUCTION.search(text) else 0.0


READERS = (Reader("dockerfile", "Dockerfile (ENV, CMD, ENTRYPOINT)", _likeness, read),)
