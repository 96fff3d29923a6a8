"""A pipeline that caches its answers, together with the settings that each answer depends on.

An answer (a value, a property of the replication, what an event permits) is a pure function of the
settings that it reads, directly or through the catalog's silent rules (idempotence reads `acks`).
A setting that was not read cannot change it. So the search knows which changes may matter, and a
changed pipeline reuses every answer that did not read the changed setting.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache, reduce
from operator import or_
from typing import Any, TypeVar

from advisor.catalog import Component, Family, Value, effective, validate
from advisor.catalog.effective import plain_defaults
from advisor.catalog.releases import in_release
from advisor.catalog.validity import Check, checks
from advisor.reasoning.event import FailureEvent
from advisor.reasoning.guarantees import Requirement
from advisor.reasoning.judgement import EventAssessment, judge
from advisor.reasoning.keys import BIT, Key, Keys
from advisor.reasoning.pipeline import Pipeline, restated

_Answer = tuple[Any, Keys]
_Owner = TypeVar("_Owner")
_Result = TypeVar("_Result")


class _Read:
    """The settings that were read since `keys` was last reset."""

    __slots__ = ("keys",)

    def __init__(self) -> None:
        self.keys: Keys = 0


@dataclass(frozen=True, slots=True, eq=False)
class Traced(Pipeline):
    """A pipeline with its answers and the settings that each of them read. Not thread-safe."""

    answers: dict[object, _Answer] = field(default_factory=dict, init=False, repr=False)
    before: Traced | None = field(default=None, repr=False)
    changed: Key | None = field(default=None, repr=False)
    """`before` is the pipeline from which this one differs in one setting, `changed`."""
    _read: _Read = field(default_factory=_Read, init=False, repr=False)

    @classmethod
    def of(cls, pipeline: Pipeline) -> Traced:
        """Returns the pipeline as a traced one; the same object if it is traced already."""
        if isinstance(pipeline, cls):
            return pipeline
        result = pipeline.as_kind(cls)
        if not pipeline.client_release:
            defaults = _defaults(pipeline.family, pipeline.version, pipeline.kafka)
            result.answers.update(defaults)
            for component, settings in pipeline.settings.items():
                for name in settings:
                    result.answers.pop((component, name), None)
        return result

    def stated(self, component: Component) -> Mapping[str, Value]:
        return _Component(component, self.settings.get(component, {}), self._read)

    def value(self, component: Component, name: str) -> Value:
        key = (component, name)
        results = self.answers.get(key) or self._inherited(key)
        if results is None:
            results = self.answers[key] = self._resolve(component, name)
        self._read.keys |= results[1]
        result: Value = results[0]
        return result

    # The same as in Pipeline, with one call less: events mostly read numbers and texts.
    def number(self, component: Component, name: str) -> int:
        results = self.answers.get((component, name))
        if results is None or type(results[0]) is not int:
            return Pipeline.number(self, component, name)
        self._read.keys |= results[1]
        number: int = results[0]
        return number

    def text(self, component: Component, name: str) -> str:
        results = self.answers.get((component, name))
        if results is None or type(results[0]) is not str:
            return Pipeline.text(self, component, name)
        self._read.keys |= results[1]
        text: str = results[0]
        return text

    def derive(self, function: Callable[[_Owner], _Result], owner: _Owner) -> _Result:
        answer = self.answers.get(function) or self._inherited(function)
        if answer is None:
            before, self._read.keys = self._read.keys, 0
            answer = self.answers[function] = (function(owner), self._read.keys)
            self._read.keys |= before
        else:
            self._read.keys |= answer[1]
        result: _Result = answer[0]
        return result

    def judged(self, event: FailureEvent) -> tuple[EventAssessment, Keys]:
        """Returns the result of `judge`, and the settings that it read, stated or not."""
        answer = self.answers.get(event.name) or self._inherited(event.name)
        if answer is None:
            self._read.keys = 0
            answer = self.answers[event.name] = (judge(event, self), self._read.keys)
        return answer

    def ask(self, function: Callable[[Pipeline], _Result]) -> tuple[_Result, Keys]:
        """Returns `function(self)`, and the settings that it read, stated or not."""
        self._read.keys = 0
        return function(self), self._read.keys

    def refused(self) -> tuple[bool, Keys]:
        """Returns whether a client or broker would refuse these settings, and which it checks."""
        results = [self._checked(check) for check in checks(self.family)]
        return any(refused for refused, _ in results), reduce(or_, (keys for _, keys in results))

    def _checked(self, check: Check) -> tuple[bool, Keys]:
        answer = self.answers.get(check) or self._inherited(check)
        if answer is None:
            read = _Read()
            stated = _Settings(self.settings, read)
            args = (self.family, self.version, self.kafka, self.brokers, stated)
            answer = self.answers[check] = (bool(validate(*args, only=check)), read.keys)
        return answer

    def with_setting(self, component: Component, name: str, value: Value) -> Traced:
        return Traced(
            self.family, self.version, self.kafka, self.brokers,
            {**self.settings, component: restated(self.settings.get(component, {}), name, value)},
            self.requirement, self.client_release, self.kafka_release,
            before=self, changed=(component, name),
        )  # fmt: skip

    def _inherited(self, request: object) -> _Answer | None:
        """Returns the answer of the pipeline before the change, if the change cannot affect it."""
        if self.before is None:
            return None
        answer = self.before.answers.get(request) or self.before._inherited(request)
        if answer is None or (self.changed and BIT[self.changed] & answer[1]):
            return None
        self.answers[request] = answer
        return answer

    def requiring(self, requirement: Requirement) -> Traced:
        """Returns the pipeline with another requirement.

        Of a requirement, events only read how many lost brokers it has to survive.
        """
        same = requirement.survive == self.requirement.survive
        before = self if same else None
        after = replace(self, requirement=requirement, before=before, changed=None)
        if not same:
            after.answers.update(
                {
                    request: answer
                    for request, answer in self.answers.items()
                    if type(request) is tuple
                }
            )
        return after

    def _resolve(self, component: Component, name: str) -> _Answer:
        stated_value = self.settings.get(component, {}).get(name)
        # Kafka Streams may override stated values, depending on its guarantee.
        if stated_value is not None and self.family is not Family.STREAMS:
            return stated_value, BIT[component, name]
        if stated_value is None and not self.client_release:
            default = _defaults(self.family, self.version, self.kafka).get((component, name))
            if default is not None:
                return default
        read = _Read()
        stated = _Settings(self.settings, read)
        value = effective(self.family, self.version, self.kafka, stated, component, name)
        if self.client_release:
            args = (self.family, self.client_release, stated)
            value = in_release(*args, (component, name), value)
        return value, read.keys


@lru_cache(maxsize=1024)
def _defaults(family: Family, version: str, kafka: str) -> dict[object, _Answer]:
    """Returns the answers that depend on nothing but the setting itself; all pipelines share
    them."""
    return {key: (value, BIT[key]) for key, value in plain_defaults(family, version, kafka).items()}


class _Settings(Mapping[Component, Mapping[str, Value]]):
    """Stated settings that record which of them are read."""

    def __init__(self, stated: Mapping[Component, Mapping[str, Value]], read: _Read) -> None:
        self._stated = stated
        self._read = read

    def __getitem__(self, component: Component) -> Mapping[str, Value]:
        return _Component(component, self._stated.get(component, {}), self._read)

    def get(self, component: Component, default: Any = None) -> Any:
        """The same as Mapping.get(), which takes three times as long."""
        return _Component(component, self._stated.get(component, {}), self._read)

    def __iter__(self) -> Iterator[Component]:
        return iter(Component)

    def __len__(self) -> int:
        return len(Component)


class _Component(Mapping[str, Value]):
    """The stated settings of one component; reading one that is not stated is recorded, too."""

    def __init__(self, component: Component, stated: Mapping[str, Value], read: _Read) -> None:
        self._component = component
        self._stated = stated
        self._read = read

    def __getitem__(self, name: str) -> Value:
        self._read.keys |= BIT[self._component, name]
        return self._stated[name]

    def get(self, name: str, default: Any = None) -> Any:
        """The same as Mapping.get(), which takes three times as long; most reads end here."""
        self._read.keys |= BIT[self._component, name]
        return self._stated.get(name, default)

    def __iter__(self) -> Iterator[str]:
        for name in self._stated:
            self._read.keys |= BIT[self._component, name]
            yield name

    def __len__(self) -> int:
        return len(self._stated)
