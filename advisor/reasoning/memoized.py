"""A pipeline that is asked many times and never changed: what it was asked once, it keeps.

An assessment asks some hundred times for what some fifty settings are. It needs to know nothing of
what was read, which `trace` writes down for a search, and so it does not pay for that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeVar

from advisor.catalog import Component, Family, Value
from advisor.catalog.effective import plain_defaults
from advisor.reasoning.keys import Key
from advisor.reasoning.pipeline import Pipeline

_Owner = TypeVar("_Owner")
_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True, eq=False)
class MemoizedPipeline(Pipeline):
    """A pipeline with the values and the looks that it was asked for. For one thread at a time."""

    values: dict[Key, Value] = field(default_factory=dict, init=False, repr=False)
    looks: dict[object, Any] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def of(cls, pipeline: Pipeline) -> MemoizedPipeline:
        """The same pipeline, with what it was asked already if it is one of these."""
        if isinstance(pipeline, cls):
            return pipeline
        result = cls(
            pipeline.family, pipeline.version, pipeline.kafka, pipeline.brokers,
            pipeline.settings, pipeline.requirement, pipeline.client_release,
        )  # fmt: skip
        if not pipeline.client_release:
            result.values.update(_plain(pipeline.family, pipeline.version, pipeline.kafka))
            # Kafka Streams may overrule what was stated, by its own guarantee.
            overruled = pipeline.family is Family.STREAMS
            for component, settings in pipeline.settings.items():
                for name, value in settings.items():
                    if overruled or value is None:
                        result.values.pop((component, name), None)
                    else:
                        result.values[component, name] = value
        return result

    def value(self, component: Component, name: str) -> Value:
        key = (component, name)
        try:
            return self.values[key]
        except KeyError:
            value = self.values[key] = Pipeline.value(self, component, name)
            return value

    # As a pipeline has them, with one call less.
    def number(self, component: Component, name: str) -> int:
        value = self.values.get((component, name))
        return value if type(value) is int else Pipeline.number(self, component, name)

    def text(self, component: Component, name: str) -> str:
        value = self.values.get((component, name))
        return value if type(value) is str else Pipeline.text(self, component, name)

    def derive(self, look: Callable[[_Owner], _Result], owner: _Owner) -> _Result:
        result: _Result
        try:
            result = self.looks[look]
        except KeyError:
            result = self.looks[look] = look(owner)
        return result


@lru_cache(maxsize=1024)
def _plain(family: Family, version: str, kafka: str) -> Mapping[Key, Value]:
    """The values that nothing but the setting itself can change; all pipelines share them."""
    return plain_defaults(family, version, kafka)
