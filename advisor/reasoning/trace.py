"""A pipeline that remembers what was asked of it, so that a search asks only once.

An answer (a value, a look at the replication, what an event permits) is a pure function of the
settings that it reads, directly or through the catalog's silent rules (idempotence reads
`acks`). A setting that was not read cannot change it: so the search knows which changes could
matter, and the pipeline after a change still knows every answer that did not read what changed.
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
    """What was read since somebody last began to look."""

    __slots__ = ("keys",)

    def __init__(self) -> None:
        self.keys: Keys = 0


@dataclass(frozen=True, slots=True, eq=False)
class Traced(Pipeline):
    """A pipeline with its answers and what each of them read. For one thread at a time."""

    answers: dict[object, _Answer] = field(default_factory=dict, init=False, repr=False)
    before: Traced | None = field(default=None, repr=False)
    changed: Key | None = field(default=None, repr=False)
    """The pipeline from which this one differs in one setting, and that setting."""
    _read: _Read = field(default_factory=_Read, init=False, repr=False)

    @classmethod
    def of(cls, pipeline: Pipeline) -> Traced:
        """The same pipeline, with what it was asked already if it is traced."""
        if isinstance(pipeline, cls):
            return pipeline
        result = cls(
            pipeline.family, pipeline.version, pipeline.kafka, pipeline.brokers,
            pipeline.settings, pipeline.requirement, pipeline.client_release,
        )  # fmt: skip
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
        results = self.answers.get(key) or self._kept(key)
        if results is None:
            results = self.answers[key] = self._look(component, name)
        self._read.keys |= results[1]
        result: Value = results[0]
        return result

    # As a pipeline has them, with one call less: most of what an event reads is one of these.
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

    def derive(self, look: Callable[[_Owner], _Result], owner: _Owner) -> _Result:
        entries = self.answers.get(look) or self._kept(look)
        if entries is None:
            before, self._read.keys = self._read.keys, 0
            entries = self.answers[look] = (look(owner), self._read.keys)
            self._read.keys |= before
        else:
            self._read.keys |= entries[1]
        result: _Result = entries[0]
        return result

    def judged(self, event: FailureEvent) -> tuple[EventAssessment, Keys]:
        """What `judge` says, and the settings that it was said of, stated or not."""
        entries = self.answers.get(event.name) or self._kept(event.name)
        if entries is None:
            self._read.keys = 0
            entries = self.answers[event.name] = (judge(event, self), self._read.keys)
        return entries

    def ask(self, look: Callable[[Pipeline], _Result]) -> tuple[_Result, Keys]:
        """What a look at the pipeline gives, and the settings that it reads, stated or not."""
        self._read.keys = 0
        return look(self), self._read.keys

    def refused(self) -> tuple[bool, Keys]:
        """Whether a client or a broker would refuse these settings, and which it looks at."""
        results = [self._checked(check) for check in checks(self.family)]
        return any(refused for refused, _ in results), reduce(or_, (keys for _, keys in results))

    def _checked(self, check: Check) -> tuple[bool, Keys]:
        entries = self.answers.get(check) or self._kept(check)
        if entries is None:
            read = _Read()
            stated = _Settings(self.settings, read)
            of = (self.family, self.version, self.kafka, self.brokers, stated)
            entries = self.answers[check] = (bool(validate(*of, only=check)), read.keys)
        return entries

    def with_setting(self, component: Component, name: str, value: Value) -> Traced:
        return Traced(
            self.family, self.version, self.kafka, self.brokers,
            {**self.settings, component: restated(self.settings.get(component, {}), name, value)},
            self.requirement, self.client_release, before=self, changed=(component, name),
        )  # fmt: skip

    def _kept(self, request: object) -> _Answer | None:
        """What the pipeline before the change answered, if the change cannot matter to it."""
        if self.before is None:
            return None
        entries = self.before.answers.get(request) or self.before._kept(request)
        if entries is None or (self.changed and BIT[self.changed] & entries[1]):
            return None
        self.answers[request] = entries
        return entries

    def requiring(self, requirement: Requirement) -> Traced:
        """The same settings where something else is needed.

        An event reads of a requirement how many brokers are to survive, and no more.
        """
        same = requirement.survive == self.requirement.survive
        before = self if same else None
        after = replace(self, requirement=requirement, before=before, changed=None)
        if not same:
            after.answers.update(
                {request: kept for request, kept in self.answers.items() if type(request) is tuple}
            )
        return after

    def _look(self, component: Component, name: str) -> _Answer:
        text = self.settings.get(component, {}).get(name)
        # Kafka Streams may overrule what was stated, by its own guarantee.
        if text is not None and self.family is not Family.STREAMS:
            return text, BIT[component, name]
        if text is None and not self.client_release:
            default = _defaults(self.family, self.version, self.kafka).get((component, name))
            if default is not None:
                return default
        read = _Read()
        stated = _Settings(self.settings, read)
        value = effective(self.family, self.version, self.kafka, stated, component, name)
        if self.client_release:
            of = (self.family, self.client_release, stated)
            value = in_release(*of, (component, name), value)
        return value, read.keys


@lru_cache(maxsize=1024)
def _defaults(family: Family, version: str, kafka: str) -> dict[object, _Answer]:
    """The answers that nothing but the setting itself can change; all pipelines share them."""
    return {key: (value, BIT[key]) for key, value in plain_defaults(family, version, kafka).items()}


class _Settings(Mapping[Component, Mapping[str, Value]]):
    """Stated settings that note what is asked of them."""

    def __init__(self, stated: Mapping[Component, Mapping[str, Value]], read: _Read) -> None:
        self._stated = stated
        self._read = read

    def __getitem__(self, component: Component) -> Mapping[str, Value]:
        return _Component(component, self._stated.get(component, {}), self._read)

    def get(self, component: Component, default: Any = None) -> Any:
        """As any mapping has it, which takes three times as long."""
        return _Component(component, self._stated.get(component, {}), self._read)

    def __iter__(self) -> Iterator[Component]:
        return iter(Component)

    def __len__(self) -> int:
        return len(Component)


class _Component(Mapping[str, Value]):
    """The stated settings of one component; asking for one that is not stated counts too."""

    def __init__(self, component: Component, stated: Mapping[str, Value], read: _Read) -> None:
        self._component = component
        self._stated = stated
        self._read = read

    def __getitem__(self, name: str) -> Value:
        self._read.keys |= BIT[self._component, name]
        return self._stated[name]

    def get(self, name: str, default: Any = None) -> Any:
        """As any mapping has it, which takes three times as long; most questions end here."""
        self._read.keys |= BIT[self._component, name]
        return self._stated.get(name, default)

    def __iter__(self) -> Iterator[str]:
        for name in self._stated:
            self._read.keys |= BIT[self._component, name]
            yield name

    def __len__(self) -> int:
        return len(self._stated)
