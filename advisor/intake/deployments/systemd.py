"""Units of systemd: the variables and the command of a service.

Source: systemd.exec, `Environment=` (several assignments on one line, each optionally in quotes),
`EnvironmentFile=` (overrides `Environment=`; of two files, the later one wins),
`PassEnvironment=` (both override it) and `UnsetEnvironment=` (overrides all of these);
systemd.syntax (a line that ends in a backslash continues on the next line); systemd.unit
(`NAME.service.d/*.conf` is read after the unit).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.catalog import Component
from advisor.intake.absent_files import absence
from advisor.intake.deployments.command_settings import exported_variables, refuse_written
from advisor.intake.deployments.commands import overrides, take_altered, take_topics
from advisor.intake.deployments.compose.blank_variables import inherited_value
from advisor.intake.deployments.compose.services import Variable, variable_value
from advisor.intake.deployments.environment import take_rows
from advisor.intake.reading import Reader, Reading
from advisor.intake.text import shown

_SECTION = re.compile(r"^\[(?P<name>\w{1,40})\][ \t]*$")
_SERVICE = re.compile(r"^\[Service\][ \t]*$", re.MULTILINE)
_RELEVANT_SETTING = re.compile(r"^(?:Environment|EnvironmentFile|ExecStart)=", re.MULTILINE)
_ASSIGNMENT = re.compile(
    r"\"(?P<double>\w{1,200}=[^\"]*)\"|'(?P<single>\w{1,200}=[^']*)'|(?P<bare>\w{1,200}=\S*)"
)
FILE = "[EnvironmentFile {}]"
"""The heading of an `EnvironmentFile` whose text is appended to the unit's."""
_FILE_HEADING = re.compile(r"^\[EnvironmentFile (?P<name>[^\]\n]+)\]$", re.MULTILINE)
_ROW = re.compile(r"[ \t]*(?P<name>\w{1,200})=(?P<value>.*?)[ \t]*")
_COMMAND_SETTINGS = ("ExecStart", "ExecStartPre", "ExecStartPost")


def read(text: str) -> Reading:
    """Returns the settings of a unit's process. Raises `IntakeError`."""
    reading, commands = Reading(), dict[str, tuple[str, int]]()
    here = {match["name"] for match in _FILE_HEADING.finditer(text)}
    for number, name, value in _settings(text):
        if name in _COMMAND_SETTINGS and value:
            commands[f"{name}:{number}"] = (value, number)
        elif name == "EnvironmentFile" and (file := file_name(value)) not in here:
            words = "may contain settings and is not read. Give that file, too"
            reading.note(number, absence(f"EnvironmentFile {shown(file)} {words}"))
    rows = [*variables(text)]
    for command, line in commands.values():
        rows += ((name, value, line) for name, value in exported_variables(command))
    reading.variable_values += map(variable_value, rows)
    take_rows(reading, rows, commands)
    take_topics(reading, commands.values(), {})
    for command, line in commands.values():
        for name, value in overrides(command):
            reading.add_setting(Component.BROKER, name, value, line)
        refuse_written(reading, command, line, of_server="kafka-server-start" in command)
    take_altered(reading, commands.values())
    reading.empty_reason = "" if reading.items else reading.empty_reason
    return reading


def variables(text: str) -> Iterator[Variable]:
    """Yields the variables of the service; an empty `Environment=` drops the earlier ones. One in
    `PassEnvironment=` alone has no value here, and one in `UnsetEnvironment=` is always dropped."""
    by_name, passed, unset = dict[str, Variable](), dict[str, Variable](), set[str]()
    for number, name, value in _settings(text):
        words = value.split() if name in ("PassEnvironment", "UnsetEnvironment") else []
        if name == "PassEnvironment":
            passed |= {word: (word, inherited_value(word), number) for word in words}
        unset |= {*words} if name == "UnsetEnvironment" else set()
        if name == "Environment" and not value:
            by_name.clear()
        for match in _ASSIGNMENT.finditer(value) if name == "Environment" else ():
            variable_name, _, stated = match[match.lastgroup or 0].partition("=")
            by_name[variable_name] = (variable_name, stated, number)
    if heading := _FILE_HEADING.search(text):
        lines_before = text.count("\n", 0, heading.start())
        for number, line in enumerate(text[heading.start() :].splitlines(), start=lines_before + 1):
            if row := _ROW.fullmatch(line):
                value = row["value"]
                value = value[1:-1] if re.fullmatch(r"([\"']).*\1", value) else value
                by_name[row["name"]] = (row["name"], value, number)
    for variable in (passed | by_name).values():
        if unset.isdisjoint((variable[0], f"{variable[0]}={variable[1]}")):
            yield variable


def files_of(text: str) -> list[str]:
    """The files of variables that a unit names; the last one overrides the others."""
    return [file_name(value) for _, name, value in _settings(text) if name == "EnvironmentFile"]


def file_name(value: str) -> str:
    """The name of a file of variables, without the `-` that makes the file optional."""
    return value.removeprefix("-").rpartition("/")[2]


def _settings(text: str) -> Iterator[tuple[int, str, str]]:
    """Yields the settings of the [Service] section, each with its first line."""
    section, first_line, parts = "", 0, list[str]()
    for number, line in enumerate(text.splitlines(), start=1):
        if _FILE_HEADING.match(line):
            return
        if not parts and (match := _SECTION.match(line)):
            section = match["name"]
        if line.lstrip()[:1] in ("#", ";"):
            continue
        first_line = first_line if parts else number
        parts.append(line.strip().removesuffix("\\"))
        if line.rstrip().endswith("\\"):
            continue
        name, equals, value = " ".join(parts).partition("=")
        parts = []
        if equals and section == "Service":
            yield first_line, name.strip(), value.strip()


def _likeness(text: str) -> float:
    return 0.99 if _SERVICE.search(text) and _RELEVANT_SETTING.search(text) else 0.0


READERS = (Reader("systemd", "Units of systemd (Environment=, ExecStart=)", _likeness, read),)
