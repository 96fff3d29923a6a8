"""The description of a team's pipeline: what runs, with which settings, and what is needed.

Only what a person stated is stored; what a client fills in is asked of the catalog, because
real clients treat a setting that was typed unlike one that was left alone (for example
`acks=1` switches idempotence off in the Java client, unless idempotence was asked for).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import wraps
from types import MappingProxyType
from typing import Any, Generic, Protocol, TypeVar, overload

from advisor.catalog import (
    Component,
    Family,
    Problem,
    Setting,
    Value,
    effective,
    has,
    settings_of,
    validate,
)
from advisor.catalog.releases import in_release
from advisor.reasoning.guarantees import Requirement

_Owner = TypeVar("_Owner")
_Result = TypeVar("_Result")
_EMPTY: Mapping[str, Value] = MappingProxyType({})


def restated(stated: Mapping[str, Value], name: str, value: Value) -> Mapping[str, Value]:
    """The settings of a component with one of them stated, or with None without it."""
    others = {key: before for key, before in stated.items() if key != name}
    return others if value is None else {**stated, name: value}


@dataclass(frozen=True, slots=True)
class Pipeline:
    """One producer, one topic, one consumer group, and what the team wants of them.

    `settings` holds typed values by component and dotted key, already parsed by the catalog;
    `version` is the client's (`4.3` for java, `2.16` for librdkafka, `4.2` for spark) and
    `kafka` the brokers'; both are lines. `client_release` and `kafka_release` are the releases
    (`4.3.1`), empty where only a line was stated: known bugs depend on them, and one default.
    """

    family: Family = Family.JAVA
    version: str = "4.3"
    kafka: str = "4.3"
    brokers: int = 3
    settings: Mapping[Component, Mapping[str, Value]] = field(default_factory=dict)
    requirement: Requirement = field(default_factory=Requirement)
    client_release: str = ""
    kafka_release: str = ""

    def stated(self, component: Component) -> Mapping[str, Value]:
        """The settings of one component that the team wrote down."""
        return self.settings.get(component, _EMPTY)

    def value(self, component: Component, name: str) -> Value:
        """What is in force: the stated value, or what this client and version makes of it."""
        value = effective(self.family, self.version, self.kafka, self.settings, component, name)
        of = (self.family, self.client_release, self.settings)
        return in_release(*of, (component, name), value) if self.client_release else value

    def knows(self, component: Component, name: str) -> bool:
        """Whether these versions have the setting at all."""
        return has(self.family, self.version, self.kafka, component, name)

    def known_settings(self, component: Component) -> tuple[Setting, ...]:
        """The settings that these versions have, stated or not, in the order of the catalog."""
        return settings_of(self.family, self.version, self.kafka, component)

    def in_force(self, component: Component) -> dict[str, str | int | bool]:
        """Each setting that has a value, stated or not, by its dotted key."""
        names = [setting.name for setting in self.known_settings(component)]
        values = ((name, self.value(component, name)) for name in names)
        return {name: value for name, value in values if value is not None}

    def problems(self) -> list[Problem]:
        """What the real client or brokers would refuse; empty where they would start."""
        return validate(self.family, self.version, self.kafka, self.brokers, self.settings)

    def with_setting(self, component: Component, name: str, value: Value) -> Pipeline:
        """The same pipeline with one setting stated; with None its line is left out."""
        settings = {**self.settings, component: restated(self.stated(component), name, value)}
        return replace(self, settings=settings)

    def number(self, component: Component, name: str) -> int:
        """A whole number in force. Raises TypeError if the setting is none (our mistake)."""
        value = self.value(component, name)
        if type(value) is not int:  # a switch is an int by class
            raise TypeError(f"{component}.{name} is not a number: {value!r}")
        return value

    def flag(self, component: Component, name: str) -> bool:
        """A switch in force. Raises TypeError if the setting is none (our mistake)."""
        value = self.value(component, name)
        if not isinstance(value, bool):
            raise TypeError(f"{component}.{name} is not a switch: {value!r}")
        return value

    def text(self, component: Component, name: str) -> str:
        """A word in force; a setting that the product leaves unset is the empty word."""
        value = self.value(component, name)
        return "" if value is None else str(value)

    def derive(self, look: Callable[[_Owner], _Result], owner: _Owner) -> _Result:
        """What `look` makes of the owner, which reads this pipeline and nothing else."""
        return look(owner)


def derived(look: Callable[[Pipeline], _Result]) -> Callable[[Pipeline], _Result]:
    """Makes a function of a pipeline alone one whose result a traced pipeline keeps (`trace`)."""

    @wraps(look)
    def result(pipeline: Pipeline) -> _Result:
        return pipeline.derive(look, pipeline)

    return result


def derived_rows(
    look: Callable[[Pipeline], Iterator[_Result]],
) -> Callable[[Pipeline], tuple[_Result, ...]]:
    """The same of a function that yields its results."""
    return derived(wraps(look)(lambda pipeline: tuple(look(pipeline))))


class _Reader(Protocol):
    @property
    def pipeline(self) -> Pipeline: ...


class derived_property(Generic[_Result]):
    """A property of a class that holds a pipeline and no more, kept as `derived` keeps results."""

    def __init__(self, look: Callable[[Any], _Result]) -> None:
        self._look = look
        self.__doc__ = look.__doc__

    @overload
    def __get__(self, owner: None, of: type) -> derived_property[_Result]: ...
    @overload
    def __get__(self, owner: _Reader, of: type) -> _Result: ...
    def __get__(self, owner: _Reader | None, of: type) -> derived_property[_Result] | _Result:
        if owner is None:
            return self
        result: _Result = owner.pipeline.derive(self._look, owner)
        return result
