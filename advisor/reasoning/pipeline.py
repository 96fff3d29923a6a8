"""The description of a team's pipeline: what runs, with which settings, and what is required.

Only stated settings are stored; the catalog provides what a client fills in. Real clients treat a
stated setting differently from one that is not stated: for example, `acks=1` disables idempotence
in the Java client, unless idempotence was stated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
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
_Kind = TypeVar("_Kind", bound="Pipeline")
_EMPTY: Mapping[str, Value] = MappingProxyType({})


def restated(stated: Mapping[str, Value], name: str, value: Value) -> Mapping[str, Value]:
    """Returns the settings of a component with one of them stated, or removed if `value` is
    None."""
    others = {key: before for key, before in stated.items() if key != name}
    return others if value is None else {**stated, name: value}


@dataclass(frozen=True, slots=True)
class Pipeline:
    """One producer, one topic, one consumer group, and what the team requires of them.

    `settings` contains values by component and dotted key, already parsed by the catalog.
    `version` is the client's (`4.3` for java, `2.16` for librdkafka, `4.2` for spark) and `kafka`
    the brokers'; both are lines. `client_release` and `kafka_release` are the releases (`4.3.1`),
    empty if only a line was stated: known bugs and one default depend on them.
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
        """Returns the settings of one component that the team stated."""
        return self.settings.get(component, _EMPTY)

    def value(self, component: Component, name: str) -> Value:
        """Returns the value in force: the stated one, or what this client and version use."""
        value = effective(self.family, self.version, self.kafka, self.settings, component, name)
        args = (self.family, self.client_release, self.settings)
        return in_release(*args, (component, name), value) if self.client_release else value

    def knows(self, component: Component, name: str) -> bool:
        """Whether these versions have the setting."""
        return has(self.family, self.version, self.kafka, component, name)

    def known_settings(self, component: Component) -> tuple[Setting, ...]:
        """Returns the settings that these versions have, in the order of the catalog."""
        return settings_of(self.family, self.version, self.kafka, component)

    def in_force(self, component: Component) -> dict[str, str | int | bool]:
        """Returns each setting that has a value, stated or not, by its dotted key."""
        names = [setting.name for setting in self.known_settings(component)]
        values = ((name, self.value(component, name)) for name in names)
        return {name: value for name, value in values if value is not None}

    def problems(self) -> list[Problem]:
        """Returns what the real client or brokers would refuse; empty if they would start."""
        return validate(self.family, self.version, self.kafka, self.brokers, self.settings)

    def with_setting(self, component: Component, name: str, value: Value) -> Pipeline:
        """Returns the pipeline with one setting stated, or removed if `value` is None."""
        settings = {**self.settings, component: restated(self.stated(component), name, value)}
        return replace(self, settings=settings)

    def as_kind(self, kind: type[_Kind]) -> _Kind:
        """Returns the same pipeline as an object of a subclass."""
        return kind(**{member.name: getattr(self, member.name) for member in fields(Pipeline)})

    def number(self, component: Component, name: str) -> int:
        """Returns a number in force. Raises TypeError if the setting is not a number."""
        value = self.value(component, name)
        if type(value) is not int:  # bool is a subclass of int
            raise TypeError(f"{component}.{name} is not a number: {value!r}")
        return value

    def flag(self, component: Component, name: str) -> bool:
        """Returns a switch in force. Raises TypeError if the setting is not a switch."""
        value = self.value(component, name)
        if not isinstance(value, bool):
            raise TypeError(f"{component}.{name} is not a switch: {value!r}")
        return value

    def text(self, component: Component, name: str) -> str:
        """Returns a text in force; empty if the product leaves the setting unset."""
        value = self.value(component, name)
        return "" if value is None else str(value)

    def derive(self, function: Callable[[_Owner], _Result], owner: _Owner) -> _Result:
        """Returns `function(owner)`, which may only read this pipeline. Subclasses cache it."""
        return function(owner)


def derived(function: Callable[[Pipeline], _Result]) -> Callable[[Pipeline], _Result]:
    """Decorates a function of a pipeline alone: a traced pipeline caches its result (`trace`)."""

    @wraps(function)
    def result(pipeline: Pipeline) -> _Result:
        return pipeline.derive(function, pipeline)

    return result


def derived_rows(
    function: Callable[[Pipeline], Iterator[_Result]],
) -> Callable[[Pipeline], tuple[_Result, ...]]:
    """The same as `derived` for a generator function, whose results become a tuple."""
    return derived(wraps(function)(lambda pipeline: tuple(function(pipeline))))


class _HasPipeline(Protocol):
    @property
    def pipeline(self) -> Pipeline: ...


class derived_property(Generic[_Result]):
    """A property, cached like `derived`, of a class whose only field is a pipeline."""

    def __init__(self, function: Callable[[Any], _Result]) -> None:
        self._function = function
        self.__doc__ = function.__doc__

    @overload
    def __get__(self, owner: None, owner_type: type) -> derived_property[_Result]: ...
    @overload
    def __get__(self, owner: _HasPipeline, owner_type: type) -> _Result: ...
    def __get__(
        self, owner: _HasPipeline | None, owner_type: type
    ) -> derived_property[_Result] | _Result:
        if owner is None:
            return self
        result: _Result = owner.pipeline.derive(self._function, owner)
        return result
