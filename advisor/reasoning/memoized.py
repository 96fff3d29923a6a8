"""A pipeline that never changes and caches its values.

An assessment reads some fifty settings, each of them many times. It does not need to know which
settings were read, which `trace` records for a search, so it does not pay for that.
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
    """A pipeline with a cache of values and of derived results. Not thread-safe."""

    values: dict[Key, Value] = field(default_factory=dict, init=False, repr=False)
    results: dict[object, Any] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def of(cls, pipeline: Pipeline) -> MemoizedPipeline:
        """Returns the pipeline with a cache; the same object if it already has one."""
        if isinstance(pipeline, cls):
            return pipeline
        result = pipeline.as_kind(cls)
        if not pipeline.client_release:
            result.values.update(_plain(pipeline.family, pipeline.version, pipeline.kafka))
            # Kafka Streams may override stated values, depending on its guarantee.
            may_override = pipeline.family is Family.STREAMS
            for component, settings in pipeline.settings.items():
                for name, value in settings.items():
                    if may_override or value is None:
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

    # The same as in Pipeline, with one call less.
    def number(self, component: Component, name: str) -> int:
        value = self.values.get((component, name))
        return value if type(value) is int else Pipeline.number(self, component, name)

    def text(self, component: Component, name: str) -> str:
        value = self.values.get((component, name))
        return value if type(value) is str else Pipeline.text(self, component, name)

    def derive(self, function: Callable[[_Owner], _Result], owner: _Owner) -> _Result:
        result: _Result
        try:
            result = self.results[function]
        except KeyError:
            result = self.results[function] = function(owner)
        return result


@lru_cache(maxsize=1024)
def _plain(family: Family, version: str, kafka: str) -> Mapping[Key, Value]:
    """Returns the values that depend on nothing but the setting itself; all pipelines share
    them."""
    return plain_defaults(family, version, kafka)
