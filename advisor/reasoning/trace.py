"""Which settings a judgement looked at; so the search for changes knows which could matter.

An event's answer is a pure function of the settings that it reads, directly or through the
catalog's silent rules (idempotence reads `acks`). A setting that was not read cannot change it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from advisor.catalog import Component, Value
from advisor.reasoning.assess import Assessed, judge
from advisor.reasoning.event import FailureEvent
from advisor.reasoning.pipeline import Pipeline

Key = tuple[Component, str]


def judge_and_trace(event: FailureEvent, pipeline: Pipeline) -> tuple[Assessed, frozenset[Key]]:
    """What `judge` says, and the settings it was said of, stated or not."""
    reads: set[Key] = set()
    return judge(event, replace(pipeline, settings=_Settings(pipeline.settings, reads))), frozenset(
        reads
    )


class _Settings(Mapping[Component, Mapping[str, Value]]):
    """Stated settings that remember what was asked of them."""

    def __init__(self, stated: Mapping[Component, Mapping[str, Value]], reads: set[Key]) -> None:
        self._stated = stated
        self._reads = reads

    def __getitem__(self, component: Component) -> Mapping[str, Value]:
        return _Component(component, self._stated.get(component, {}), self._reads)

    def __iter__(self) -> Iterator[Component]:
        return iter(Component)

    def __len__(self) -> int:
        return len(Component)


class _Component(Mapping[str, Value]):
    """The stated settings of one component; asking for one that is not stated counts too."""

    def __init__(self, component: Component, stated: Mapping[str, Value], reads: set[Key]) -> None:
        self._component = component
        self._stated = stated
        self._reads = reads

    def __getitem__(self, name: str) -> Value:
        self._reads.add((self._component, name))
        return self._stated[name]

    def __iter__(self) -> Iterator[str]:
        for name in self._stated:
            self._reads.add((self._component, name))
            yield name

    def __len__(self) -> int:
        return len(self._stated)
