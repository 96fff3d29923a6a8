"""Units of systemd: the variables of a service, and what it is started with.

Source: systemd.exec, `Environment=` (several assignments in one line, each perhaps in quotes),
`EnvironmentFile=` (what a file states goes before that, and of two files the later),
`PassEnvironment=` (both go before it) and `UnsetEnvironment=` (it goes before all);
systemd.syntax (a line that ends in a backslash goes on in the next one); systemd.unit (what
`NAME.service.d/*.conf` states comes behind the unit).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.catalog import Component
from advisor.intake.deployments.command_settings import exported_variables, refuse_written_settings
from advisor.intake.deployments.commands import overrides, take_altered, take_topics
from advisor.intake.deployments.compose.blank_variables import inherited_value
from advisor.intake.deployments.compose.services import Variable, variable_value
from advisor.intake.deployments.environment import take_rows
from advisor.intake.reading import Reader, Reading
from advisor.intake.text import shown

_SECTION = re.compile(r"^\[(?P<name>\w{1,40})\][ \t]*$")
_SERVICE = re.compile(r"^\[Service\][ \t]*$", re.MULTILINE)
_OURS = re.compile(r"^(?:Environment|EnvironmentFile|ExecStart)=", re.MULTILINE)
_ASSIGNED = re.compile(
    r"\"(?P<double>\w{1,200}=[^\"]*)\"|'(?P<single>\w{1,200}=[^']*)'|(?P<bare>\w{1,200}=\S*)"
)
FILE = "[EnvironmentFile {}]"
"""What stands before the text of a file that the unit names, where both are read as one."""
_FILE = re.compile(r"^\[EnvironmentFile (?P<name>[^\]\n]+)\]$", re.MULTILINE)
_ROW = re.compile(r"[ \t]*(?P<name>\w{1,200})=(?P<value>.*?)[ \t]*")
_STARTS = ("ExecStart", "ExecStartPre", "ExecStartPost")


def read(text: str) -> Reading:
    """What the unit states of its process. Raises `IntakeError`."""
    reading, commands = Reading(), dict[str, tuple[str, int]]()
    here = {match["name"] for match in _FILE.finditer(text)}
    for number, name, value in _settings(text):
        if name in _STARTS and value:
            commands[f"{name}:{number}"] = (value, number)
        elif name == "EnvironmentFile" and (base := file_of(value)) not in here:
            words = (
                f"EnvironmentFile {shown(base)} may hold settings: not read here. Give that, too"
            )
            reading.note(number, words)
    rows = [*variables(text)]
    for command, line in commands.values():
        rows += ((name, value, line) for name, value in exported_variables(command))
    reading.variable_values += map(variable_value, rows)
    take_rows(reading, rows, commands)
    take_topics(reading, commands.values(), {})
    for command, line in commands.values():
        for name, value in overrides(command):
            reading.state(Component.BROKER, name, value, line)
        refuse_written_settings(reading, command, line, of_server="kafka-server-start" in command)
    take_altered(reading, commands.values())
    reading.empty_reason = "" if reading.items else reading.empty_reason
    return reading


def variables(text: str) -> Iterator[Variable]:
    """The variables of the service; an empty `Environment=` forgets those before it. One that is
    only passed on has no value here, and one that is unset is gone, whatever states it."""
    found, passed, unset = dict[str, Variable](), dict[str, Variable](), set[str]()
    for number, name, value in _settings(text):
        words = value.split() if name in ("PassEnvironment", "UnsetEnvironment") else []
        if name == "PassEnvironment":
            passed |= {word: (word, inherited_value(word), number) for word in words}
        unset |= {*words} if name == "UnsetEnvironment" else set()
        if name == "Environment" and not value:
            found.clear()
        for match in _ASSIGNED.finditer(value) if name == "Environment" else ():
            own, _, stated = match[match.lastgroup or 0].partition("=")
            found[own] = (own, stated, number)
    if begins := _FILE.search(text):
        before = text.count("\n", 0, begins.start())
        for number, line in enumerate(text[begins.start() :].splitlines(), start=before + 1):
            if row := _ROW.fullmatch(line):
                value = row["value"]
                value = value[1:-1] if re.fullmatch(r"([\"']).*\1", value) else value
                found[row["name"]] = (row["name"], value, number)
    for variable in (passed | found).values():
        if unset.isdisjoint((variable[0], f"{variable[0]}={variable[1]}")):
            yield variable


def files_of(text: str) -> list[str]:
    """The files of variables that a unit names, the last of which goes first."""
    return [file_of(value) for _, name, value in _settings(text) if name == "EnvironmentFile"]


def file_of(value: str) -> str:
    """The name of a file of variables, which need not be there with `-` before it."""
    return value.removeprefix("-").rpartition("/")[2]


def _settings(text: str) -> Iterator[tuple[int, str, str]]:
    """The settings of the section of the service, each with its first line."""
    section, begins, before = "", 0, list[str]()
    for number, line in enumerate(text.splitlines(), start=1):
        if _FILE.match(line):
            return
        if not before and (match := _SECTION.match(line)):
            section = match["name"]
        if line.lstrip()[:1] in ("#", ";"):
            continue
        begins = begins if before else number
        before.append(line.strip().removesuffix("\\"))
        if line.rstrip().endswith("\\"):
            continue
        name, equals, value = " ".join(before).partition("=")
        before = []
        if equals and section == "Service":
            yield begins, name.strip(), value.strip()


def _likeness(text: str) -> float:
    return 0.99 if _SERVICE.search(text) and _OURS.search(text) else 0.0


READERS = (Reader("systemd", "Units of systemd (Environment=, ExecStart=)", _likeness, read),)
