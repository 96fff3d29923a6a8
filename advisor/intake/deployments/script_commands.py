"""Brokers that a script starts, and files that it writes for them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from advisor.catalog import Component
from advisor.intake.clients.known_settings import decides
from advisor.intake.deployments.command_settings import refuse_written_settings
from advisor.intake.deployments.commands import is_read, overrides
from advisor.intake.deployments.images import BROKER_PREFIX, setting_name
from advisor.intake.reading import Reading
from advisor.intake.text import line_of, shown

_HANDED = re.compile(r"(?:(?<!\S)(?:-e|--env|export)[ =]+)[\"']?(?P<name>KAFKA_\w{2,100})=")
_HERE = re.compile(
    r"^(?P<command>[^\n]{0,300}?)<<-?[ \t]*[\"']?(?P<end>\w{1,40})[\"']?(?P<more>[^\n]{0,300})\n"
    r"(?P<body>(?:[^\n]*\n){0,200}?)[ \t]*(?P=end)[ \t]*$",
    re.MULTILINE,
)
_SETTING = re.compile(r"^[ \t]*(?P<name>[a-z][\w.-]{1,100})[ \t]*=", re.MULTILINE)
_WRITES = re.compile(r">|\btee\b")
_FILLED = re.compile(
    r"(?<!\S)(?P<before>\S{1,300})[ \t]+[\"']?\$(?:\{?\w+(?:\[[@*]\])?\}?|[@*]|\()"
)
_ENDS = re.compile(r"&&|\|\||;")
_TOOL = re.compile(r"kafka-(?:topics|configs)(?:\.(?:sh|bat))?\b.*", re.DOTALL)
_SCRIPT = re.compile(r"\A#!|\bkafka-server-start\b|/etc/(?:confluent|kafka)/docker/run\b")
_LINES = re.compile(r"\\\n[ \t]*")
_HANDS = "is a variable that this script hands to a process. State it in a compose file or a .env"
_WRITTEN = "is written into a file by this script. Give that file, too, and leave this out"
_OPTIONS = "options that a variable fills into this command are not read here"


def take_beside(reading: Reading, text: str, commands: Collection[tuple[str, int]]) -> None:
    """States what brokers are started with, and refuses what decides and is written or handed on
    by other ways."""
    for command, line in commands:
        for name, value in overrides(command):
            reading.state(Component.BROKER, name, value, line)
        refuse_written_settings(reading, command, line, of_server=False)
        _say_filled(reading, command, line)
        for match in _HANDED.finditer(command):
            name = setting_name(match["name"])
            if BROKER_PREFIX.match(match["name"]) and decides(name) and not _is_used(match, text):
                reading.wrong(Component.BROKER, name, line, f"{shown(name)} {_HANDS}")
    _refuse_here(reading, text)


def take_script(reading: Reading, text: str, line: int) -> bool:
    """Takes a script that a container has, which begins below a line; says whether it is one."""
    if not _SCRIPT.search(text):
        return False
    rows = _LINES.sub(" ", text).splitlines()
    take_beside(reading, text, [(row, line) for row in rows if not row.lstrip().startswith("#")])
    return True


def _is_used(variable: re.Match[str], text: str) -> bool:
    """Whether a script uses a variable by itself."""
    return re.search(rf"\$\{{?{variable['name']}\b", text) is not None


def _say_filled(reading: Reading, command: str, line: int) -> None:
    """Names options that come out of a variable, whose values are not known."""
    for part in _ENDS.split(command):
        tool = _TOOL.search(part) if is_read(part) else None
        for match in _FILLED.finditer(tool[0]) if tool else ():
            before = match["before"]
            if not before.startswith("--") or "=" in before or before == "--create":
                reading.note(line, _OPTIONS)
                return


def _refuse_here(reading: Reading, text: str) -> None:
    """Refuses a setting that decides in a here document that becomes a file."""
    for here in _HERE.finditer(text):
        if _WRITES.search(here["command"] + here["more"]):
            for name in _names(here["body"]):
                line = line_of(text, here.start())
                reading.wrong(Component.APPLICATION, name, line, f"{shown(name)} {_WRITTEN}")


def _names(body: str) -> Iterable[str]:
    return sorted({match["name"] for match in _SETTING.finditer(body) if decides(match["name"])})
