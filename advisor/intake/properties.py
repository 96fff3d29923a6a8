"""A team's `.properties` file, read by the catalog: what is weighed, what is not, what is wrong."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from advisor.catalog import (
    Component,
    Family,
    Problem,
    SettingError,
    UnknownSetting,
    Value,
    lookup,
    parse,
    settings_of,
)
from advisor.intake.java_properties import Property, properties
from advisor.intake.known import known_keys, nearest
from advisor.intake.text import IntakeError, check_size, is_secret, shown

_CLIENTS = (Component.PRODUCER, Component.CONSUMER)
MAX_PROPERTIES = 500
"""More than any product has; each unknown name costs milliseconds to find its neighbours."""

_OPEN_ENDED = ("listener.name.", "zookeeper.")
"""Beginnings of real keys that no list can hold, and of those that Kafka 3 still had."""


@dataclass(slots=True)
class Intake:
    """What a file holds.

    `settings` are typed values by the catalog's names. `notes` say, with the line, what was left
    out and why: it is no mistake. `problems` are mistakes; with one, the file should not be used.
    `lines` says on which line each setting stands.
    """

    settings: dict[str, Value] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def read_properties(
    text: str, component: Component, family: Family, version: str, kafka: str
) -> Intake:
    """Reads a properties file of one component. Never raises for what the file says.

    Credentials are dropped unread and named in a note. A real setting that the catalog does not
    weigh is a note; a name near a real one is a problem that says which. A key that comes twice
    counts with its last value, as in Java. A text that is no properties file at all is one
    problem. Raises `SettingError` for a version that is not known.
    """
    settings_of(family, version, kafka, component)  # raises for an unknown version
    reader = _Reader(component, family, version, kafka, Intake())
    try:
        check_size(text)
        for count, found in enumerate(properties(text), start=1):
            if count > MAX_PROPERTIES:
                raise IntakeError(f"Line {found.line}: more than {MAX_PROPERTIES} properties.")
            reader.take(found)
    except IntakeError as error:
        reader.intake.problems.append(Problem(component, "file", str(error)))
    return reader.intake


@dataclass(slots=True)
class _Reader:
    component: Component
    family: Family
    version: str
    kafka: str
    intake: Intake

    def take(self, found: Property) -> None:
        """Sorts one property into settings, notes or problems."""
        if is_secret(found.key):
            self._note(found, "is a credential: dropped, not read")
            return
        try:
            setting = lookup(self.family, self.version, self.kafka, self.component, found.key)
        except UnknownSetting as error:
            self._unknown(found, error.problem)
            return
        except SettingError as error:
            self._problem(found, error.problem)
            return
        if setting.name in self.intake.lines:
            self._note(found, f"replaces line {self.intake.lines[setting.name]}")
        self.intake.lines[setting.name] = found.line
        try:
            self.intake.settings[setting.name] = parse(setting, found.value)
        except SettingError as error:
            self._problem(found, error.problem)

    def _unknown(self, found: Property, problem: Problem) -> None:
        names = known_keys(self.family, self.component)
        if found.key in names or found.key.startswith(_OPEN_ENDED):
            self._note(found, "is not weighed here")
        elif near := nearest(found.key, names | self._weighed()):
            message = f"There is no {self.component} setting {shown(found.key)}."
            message = f"{message} Did you mean {near}?"
            self._problem(found, replace(problem, message=message, suggestion=near))
        elif self.family is Family.LIBRDKAFKA and self.component in _CLIENTS:
            message = f'No such configuration property: "{shown(found.key)}"'
            self._problem(found, replace(problem, message=message, product=True, suggestion=None))
        else:
            self._note(found, "is not a setting of Kafka that we know; Kafka would pass over it")

    def _weighed(self) -> frozenset[str]:
        found = settings_of(self.family, self.version, self.kafka, self.component)
        return frozenset(setting.name for setting in found)

    def _note(self, found: Property, words: str) -> None:
        self.intake.notes.append(f"Line {found.line}: {shown(found.key)} {words}.")

    def _problem(self, found: Property, problem: Problem) -> None:
        message = f"Line {found.line}: {problem.message}"
        self.intake.problems.append(
            replace(problem, setting=shown(problem.setting), message=message)
        )
