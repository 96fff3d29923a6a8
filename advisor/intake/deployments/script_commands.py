"""Scripts: brokers that they start, and files that they write for brokers."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from advisor.catalog import Component
from advisor.intake.absent_files import absence
from advisor.intake.clients.known_settings import decides
from advisor.intake.deployments.command_settings import refuse_written
from advisor.intake.deployments.commands import is_read, overrides
from advisor.intake.deployments.images import BROKER_PREFIX, setting_name
from advisor.intake.reading import Reading
from advisor.intake.text import line_of, shown

_PASSED_VARIABLE = re.compile(
    r"(?:(?<!\S)(?:-e|--env|export)[ =]+)[\"']?(?P<name>KAFKA_\w{2,100})="
)
_HERE_DOCUMENT = re.compile(
    r"^(?P<command>[^\n]{0,300}?)<<-?[ \t]*[\"']?(?P<end>\w{1,40})[\"']?(?P<more>[^\n]{0,300})\n"
    r"(?P<body>(?:[^\n]*\n){0,200}?)[ \t]*(?P=end)[ \t]*$",
    re.MULTILINE,
)
_SETTING = re.compile(r"^[ \t]*(?P<name>[a-z][\w.-]{1,100})[ \t]*=", re.MULTILINE)
_FILE_WRITE = re.compile(r">|\btee\b")
_VARIABLE_ARGUMENT = re.compile(
    r"(?<!\S)(?P<before>\S{1,300})[ \t]+[\"']?\$(?:\{?\w+(?:\[[@*]\])?\}?|[@*]|\()"
)
_COMMAND_END = re.compile(r"&&|\|\||;")
_TOOL = re.compile(r"kafka-(?:topics|configs)(?:\.(?:sh|bat))?\b.*", re.DOTALL)
_SCRIPT_SIGN = re.compile(r"\A#!|\bkafka-server-start\b|/etc/(?:confluent|kafka)/docker/run\b")
_CONTINUATION = re.compile(r"\\\n[ \t]*")
_PASSED = "is a variable that this script passes to a process. State it in a compose file or a .env"
_WRITTEN = "is written into a file by this script. Give that file, too, and remove it here"
_OPTIONS = "options from a variable in this command are not read"


def take_beside(reading: Reading, text: str, commands: Collection[tuple[str, int]]) -> None:
    """States the `--override` settings of brokers, and refuses settings that decide and that a
    script writes into files or passes as variables."""
    for command, line in commands:
        for name, value in overrides(command):
            reading.add_setting(Component.BROKER, name, value, line)
        refuse_written(reading, command, line, of_server=False)
        _say_variable_options(reading, command, line)
        for match in _PASSED_VARIABLE.finditer(command):
            name = setting_name(match["name"])
            if BROKER_PREFIX.match(match["name"]) and decides(name) and not _is_used(match, text):
                reading.add_problem(Component.BROKER, name, line, f"{shown(name)} {_PASSED}")
    _refuse_here_documents(reading, text)


def take_script(reading: Reading, text: str, line: int) -> bool:
    """Takes a script in a ConfigMap that begins after `line`; returns whether it is a script."""
    if not _SCRIPT_SIGN.search(text):
        return False
    rows = _CONTINUATION.sub(" ", text).splitlines()
    commands = [row for row in rows if not row.lstrip().startswith("#")]
    take_beside(reading, text, [(command, line) for command in commands])
    return True


def _is_used(variable: re.Match[str], text: str) -> bool:
    """Whether a script uses a variable itself."""
    return re.search(rf"\$\{{?{variable['name']}\b", text) is not None


def _say_variable_options(reading: Reading, command: str, line: int) -> None:
    """Notes options that come from a variable, whose values are unknown."""
    for part in _COMMAND_END.split(command):
        tool = _TOOL.search(part) if is_read(part) else None
        for match in _VARIABLE_ARGUMENT.finditer(tool[0]) if tool else ():
            before = match["before"]
            if not before.startswith("--") or "=" in before or before == "--create":
                reading.note(line, absence(_OPTIONS))
                return


def _refuse_here_documents(reading: Reading, text: str) -> None:
    """Refuses settings that decide in a here-document that is written into a file."""
    for here in _HERE_DOCUMENT.finditer(text):
        if _FILE_WRITE.search(here["command"] + here["more"]):
            for name in _deciding_names(here["body"]):
                line = line_of(text, here.start())
                reading.add_problem(Component.APPLICATION, name, line, f"{shown(name)} {_WRITTEN}")


def _deciding_names(body: str) -> Iterable[str]:
    return sorted({match["name"] for match in _SETTING.finditer(body) if decides(match["name"])})
