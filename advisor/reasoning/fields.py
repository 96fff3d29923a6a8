"""Reads a pipeline from the flat fields of a form, and reports all problems together.

The keys of settings are `producer.acks` and so on. The other keys are `family`, `version`, `kafka`,
`brokers`, `need.guarantee`, `need.survive` and `need.ordering`. An empty text means "not stated".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from advisor.catalog import (
    Component,
    Family,
    Problem,
    SettingError,
    Value,
    client_line,
    kafka_line,
    kafka_versions,
    lookup,
    parse,
    versions,
)
from advisor.reasoning.guarantees import Guarantee, Requirement
from advisor.reasoning.pipeline import Pipeline

HEADS = ("family", "version", "kafka", "brokers", "need.guarantee", "need.survive", "need.ordering")
"""The fields that are not settings."""

MAX_BROKERS = 1_000
_ORDERING = {"": False, "on": True, "true": True, "yes": True, "off": False, "false": False}
_T = TypeVar("_T")


def field_of(problem: Problem) -> str:
    """Returns the field next to which a problem is shown."""
    if problem.setting in HEADS:
        return problem.setting
    return f"{problem.component}.{problem.setting}"


def from_fields(
    fields: Mapping[str, str], *, any_cluster_size: bool = False
) -> tuple[Pipeline | None, list[Problem]]:
    """Returns the pipeline, or None and every problem. Never raises, whatever was typed.

    Every setting that is invalid by itself is reported. Combinations are checked only if each
    setting is valid by itself. With `any_cluster_size`, more replicas than brokers are not a
    problem here; the answer reports them as an obstacle.
    """
    reader = _Reader(fields)
    pipeline = reader.pipeline()
    if reader.problems:
        return None, reader.problems
    problems = pipeline.problems()
    if any_cluster_size:
        problems = [problem for problem in problems if not problem.needs_more_brokers]
    return (None, problems) if problems else (pipeline, [])


class _Reader:
    """Reads the fields one by one and collects their problems."""

    def __init__(self, fields: Mapping[str, str]) -> None:
        self._fields = fields
        self.problems: list[Problem] = []

    def pipeline(self) -> Pipeline:
        """Returns the pipeline as far as it can be read; meaningless if there are problems."""
        family = self._one_of("family", {family.value: family for family in Family}, Family.JAVA)
        version = self._version(family)
        kafka = self._kafka()
        return Pipeline(
            family=family,
            version=version,
            kafka=kafka,
            brokers=self._number("brokers", 1, MAX_BROKERS, 3),
            settings=self._settings(family, version, kafka),
            requirement=Requirement(
                guarantee=self._one_of(
                    "need.guarantee", {guarantee.value: guarantee for guarantee in Guarantee},
                    Guarantee.AT_LEAST_ONCE,
                ),
                survive=self._number("need.survive", 0, MAX_BROKERS, 1),
                ordering=self._one_of("need.ordering", _ORDERING, False),
            ),
            client_release=self._release("version", version),
            kafka_release=self._release("kafka", kafka),
        )  # fmt: skip

    def _text(self, name: str) -> str:
        return self._fields.get(name, "").strip(" ")

    def _report(self, name: str, message: str, suggestion: str | None = None) -> None:
        problem = Problem(Component.APPLICATION, name, message, suggestion=suggestion)
        self.problems.append(problem)

    def _one_of(self, name: str, choices: Mapping[str, _T], default: _T) -> _T:
        text = self._text(name)
        if text == "" or text in choices:
            return choices.get(text, default)
        listed = ", ".join(choice for choice in choices if choice)
        self._report(name, f"{name} must be one of {listed}.")
        return default

    def _number(self, name: str, low: int, high: int, default: int) -> int:
        text = self._text(name)
        if text == "":
            return default
        if text.isascii() and text.isdecimal() and len(text) <= 9 and low <= int(text) <= high:
            return int(text)
        self._report(name, f"{name} must be a whole number from {low} to {high}.")
        return default

    def _version(self, family: Family) -> str:
        newest = "4.3" if family is Family.JAVA else versions(family)[0]
        try:
            return client_line(family, self._text("version") or newest)
        except SettingError as error:
            self._report("version", error.problem.message, error.problem.suggestion)
            return newest

    def _kafka(self) -> str:
        try:
            return kafka_line(self._text("kafka") or kafka_versions()[0])
        except SettingError as error:
            self._report("kafka", error.problem.message, error.problem.suggestion)
            return kafka_versions()[0]

    def _release(self, name: str, line: str) -> str:
        """Returns the stated text if it is a release of the line, else an empty string."""
        text = self._text(name)
        return text if text.startswith(f"{line}.") else ""

    def _is_overruled(self, name: str, newer: str) -> bool:
        """Whether Kafka Streams ignores an older name because the newer one is also stated
        (StreamsConfig, deserializationExceptionHandler; KIP-1056)."""
        return name != newer and self._text(f"{Component.STREAMS}.{newer}") != ""

    def _settings(
        self, family: Family, version: str, kafka: str
    ) -> dict[Component, dict[str, Value]]:
        settings: dict[Component, dict[str, Value]] = {}
        for field, text in self._fields.items():
            if field in HEADS or text.strip(" ") == "":
                continue
            prefix, _, name = field.partition(".")
            if prefix not in list(Component) or not name:
                self._report(field[:60], f"There is no field {field[:60]!r}.")
                continue
            component = Component(prefix)
            try:
                setting = lookup(family, version, kafka, component, name)
                if component is Component.STREAMS and self._is_overruled(name, setting.name):
                    continue
                settings.setdefault(component, {})[setting.name] = parse(setting, text)
            except SettingError as error:
                self.problems.append(error.problem)
        return settings
