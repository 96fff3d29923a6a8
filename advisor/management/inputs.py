"""The files and options of a command, as the flat fields that a form would send."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from advisor.catalog import (
    Component,
    Family,
    Problem,
    SettingError,
    kafka_versions,
    lookup,
    settings_of,
    versions,
)
from advisor.intake import MAX_BYTES, IntakeError, read_pipeline, read_properties
from advisor.intake.java_properties import properties
from advisor.reasoning.fields import field_of


class FileProblem(ValueError):
    """A file that cannot be read; the message names it."""


@dataclass(slots=True)
class Inputs:
    """What was stated, where each field stands, what was left out, and what is wrong."""

    fields: dict[str, str] = field(default_factory=dict)
    origins: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def state(self, name: str, text: str, origin: str) -> None:
        """Sets a field; what comes later replaces it."""
        self.fields[name] = text
        self.origins[name] = origin

    def add_pipeline(self, path: str) -> None:
        """Adds a whole pipeline file. Raises `FileProblem`."""
        text = _read(path)
        found = read_pipeline(text)
        self._tell(path, found.notes, found.problems)
        for name, value in found.fields.items():
            line = _line_of(text, name)
            self.state(name, value, f"{path}:{line}" if line else path)

    def add_properties(self, path: str, component: Component) -> None:
        """Adds the properties file of one component. Raises `FileProblem`."""
        self._add(path, _read(path), component)

    def add_spark(self, path: str) -> None:
        """Adds the options of a Spark query, source and sink in one file. Raises `FileProblem`."""
        self.state("family", Family.SPARK, "--spark")
        for component, text in _by_end(_read(path)).items():
            self._add(path, text, component)

    def said(self, problem: Problem) -> str:
        """A problem with its file and line, as a compiler says it."""
        name = field_of(problem)
        named = problem.setting in problem.message
        message = problem.message if named else f"{problem.setting}: {problem.message}"
        return f"{self.origins.get(name, name)}: {message}"

    def _add(self, path: str, text: str, component: Component) -> None:
        family, version, kafka = self._product()
        try:
            found = read_properties(text, component, family, version, kafka)
        except SettingError as error:
            raise FileProblem(self.said(error.problem)) from error
        self._tell(path, found.notes, found.problems)
        if not found.problems:
            lines = _lines(text, family, version, kafka, component)
            for name, value in found.settings.items():
                said = str(value).lower() if isinstance(value, bool) else str(value)
                self.state(f"{component}.{name}", said, f"{path}:{lines[name]}")

    def _product(self) -> tuple[Family, str, str]:
        """Which client and brokers the files are for; a name that is none is told later."""
        stated = self.fields.get("family") or Family.JAVA
        family = Family(stated) if stated in list(Family) else Family.JAVA
        version = self.fields.get("version") or versions(family)[0]
        return family, version, self.fields.get("kafka") or kafka_versions()[0]

    def _tell(self, path: str, notes: list[str], problems: list[Problem]) -> None:
        self.notes += [f"{path}: {note}" for note in notes]
        self.problems += [_with_line(path, problem) for problem in problems]


def _with_line(path: str, problem: Problem) -> str:
    """`Line 3: …` becomes `path:3: …`."""
    match = re.match(r"Line (\d+): (.*)", problem.message, re.DOTALL)
    if match is None:
        return f"{path}: {problem.message}"
    named = problem.setting in match[2]
    return f"{path}:{match[1]}: {match[2] if named else f'{problem.setting}: {match[2]}'}"


def _read(path: str) -> str:
    try:
        with Path(path).open("rb") as file:
            return file.read(MAX_BYTES + 1).decode("utf-8-sig")
    except OSError as error:
        raise FileProblem(f"{path}: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise FileProblem(f"{path}: not UTF-8 text (byte {error.start}).") from error


def _lines(
    text: str, family: Family, version: str, kafka: str, component: Component
) -> Mapping[str, int]:
    """The line of each setting, by the catalog's name for it."""
    found = {}
    for each in properties(text):
        try:
            setting = lookup(family, version, kafka, component, each.key)
        except SettingError:
            continue
        found[setting.name] = each.line
    return found


def _line_of(text: str, name: str) -> int:
    """The line of a TOML key, written whole or inside its table; 0 if it cannot be found."""
    inside = name.partition(".")[2]
    for number, line in enumerate(text.splitlines(), 1):
        written = re.sub(r"[\"'\s]", "", line.partition("=")[0])
        if written and written in (name, inside):
            return number
    return 0


def _by_end(text: str) -> Mapping[Component, str]:
    """Spark's options do not say whether they are the source's or the sink's; their names do.

    Each end gets the text with the lines of the other blanked, so that line numbers stay.
    """
    java = settings_of(Family.JAVA, versions(Family.JAVA)[0], kafka_versions()[0], _SINK)
    of_sink = {setting.name for setting in java}
    try:
        ends = {
            each.line: _SINK if each.key.removeprefix("kafka.") in of_sink else _SOURCE
            for each in properties(text)
        }
    except IntakeError:
        return {_SOURCE: text}  # read again, and refused with its line
    parts: dict[Component, list[str]] = {_SINK: [], _SOURCE: []}
    end = _SOURCE
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text), 1):
        end = ends.get(number, end)
        for each, lines in parts.items():
            lines.append(line if each is end else "")
    return {each: "\n".join(lines) for each, lines in parts.items()}


_SINK, _SOURCE = Component.PRODUCER, Component.CONSUMER
