"""What was taken because nobody stated it, as far as another value would change the answer.

A client's default is a fact: code that does not state a setting runs with it. A topic's is not:
the topic has what it was created with, by the brokers' defaults of that day or by hand. And what
the code around the clients does has no default at all. What is taken for these is assumed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from advisor.catalog import Component, Family, Kind, Setting, Value
from advisor.reasoning.behaviour.absence import NAME as OUTAGE
from advisor.reasoning.behaviour.absence import until_replaced
from advisor.reasoning.behaviour.replication import min_isr_only_on_brokers
from advisor.reasoning.behaviour.sizes import LARGEST, client_limits, topic_limit
from advisor.reasoning.failures.controllers_lost import SERVERS, lost_for_good
from advisor.reasoning.keys import BIT, Key, Keys
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.trace import Traced

_TOPICS_NAME = {"default.replication.factor": "replication.factor"}
"""The brokers' name of a default → the topic's name of the setting, where they differ."""

_USUAL_BYTES = 1_000_000
"""The least of the products' own limits on a message (librdkafka's message.max.bytes)."""

_NOT_BY_ACCIDENT = frozenset({"remote.storage.enable"})
"""What takes more than a line of the topic: brokers that are set up for it."""

_RATE, _SIZE = "rate", (Component.APPLICATION, "message.bytes")
"""What a topic that keeps so many bytes (`retention.bytes`) holds depends on the load."""

_COUNTS_OF_COPIES = ("replication.factor", "min.insync.replicas")


@dataclass(frozen=True, slots=True)
class Assumption:
    """One setting that was not stated, and the value that was taken for it."""

    component: Component
    setting: str
    value: Value


def assumptions(
    pipeline: Traced, read: Keys, differs: Callable[[Pipeline, Key], bool]
) -> tuple[Assumption, ...]:
    """The assumptions on which an answer rests: with another value of a setting, it `differs`.

    Each is looked at by itself, all else as it is; `read` are the settings that the answer read.
    The pipeline must be valid.
    """
    checked = pipeline.refused()[1]
    return tuple(
        Assumption(setting.component, setting.name, _taken(pipeline, setting))
        for setting in _not_stated(pipeline)
        if BIT[key := (setting.component, setting.name)] & read
        and any(differs(other, key) for other in _others(pipeline, setting, checked))
    )


def _taken(pipeline: Pipeline, setting: Setting) -> Value:
    """The value in force; of the readers' absence, the least that there always is, and of who keeps
    the metadata, as many as leave a majority."""
    if setting.name == OUTAGE:
        return until_replaced(pipeline).ms
    if setting.name in SERVERS:
        return 2 * lost_for_good(pipeline) + 1
    return pipeline.value(setting.component, setting.name)


def _not_stated(pipeline: Pipeline) -> Iterator[Setting]:
    by_brokers = {_TOPICS_NAME.get(name, name) for name in pipeline.stated(Component.BROKER)}
    if min_isr_only_on_brokers(pipeline) is not None:
        # Whose file it is decides whether the cluster takes it (finding B001).
        by_brokers -= {"min.insync.replicas"}
    stated = {
        Component.TOPIC: pipeline.stated(Component.TOPIC).keys() | by_brokers,
        Component.APPLICATION: pipeline.stated(Component.APPLICATION).keys(),
    }
    for component, names in stated.items():
        settings = pipeline.known_settings(component)
        yield from (one for one in settings if one.name not in names | _NOT_BY_ACCIDENT)


def _others(pipeline: Traced, setting: Setting, checked: Keys) -> Iterator[Pipeline]:
    """The pipeline with each other value of the setting that it could have; `checked` are the
    settings that decide whether a product takes the pipeline."""
    key = (setting.component, setting.name)
    now = pipeline.value(*key)
    if setting.name == _RATE and pipeline.value(*_SIZE) is None:
        pipeline = pipeline.with_setting(*_SIZE, 1)  # a rate counts with a size alone
    for value in _values(pipeline, setting):
        if value != now:
            other = pipeline.with_setting(*key, value)
            if not BIT[key] & checked or not other.problems():
                yield other


def _values(pipeline: Pipeline, setting: Setting) -> Iterator[Value]:
    if setting.kind is Kind.BOOL:
        yield from (False, True)
    elif setting.kind is Kind.CHOICE:
        yield from dict.fromkeys(value for _, value in setting.choices)
    elif setting.name in _COUNTS_OF_COPIES:
        # Between these nothing changes: no fail-over, a fail-over, f brokers survived, one spare.
        lost = pipeline.requirement.survive
        yield from sorted({1, 2, lost + 1, lost + 2})
    elif setting.name in SERVERS:
        # So many that all of them may be lost.
        yield from [lost] if (lost := lost_for_good(pipeline)) else []
    elif setting.name == LARGEST:
        # A limit that was lowered: some message may be above it.
        lowest = min(limit.most for limit in (*client_limits(pipeline), topic_limit(pipeline)))
        yield from [lowest] if lowest < _USUAL_BYTES else []
    elif setting.name == _RATE or (setting.name == _SIZE[1] and _is_loaded(pipeline)):
        # More than a topic with a size keeps.
        yield from [] if setting.maximum is None else [setting.maximum]
    elif setting.name == OUTAGE:
        # Longer than messages are kept, and than positions are.
        yield from sorted({*_kept_ms(pipeline)})


def _is_loaded(pipeline: Pipeline) -> bool:
    return pipeline.value(Component.APPLICATION, _RATE) is not None


def _kept_ms(pipeline: Pipeline) -> Iterator[int]:
    yield max(pipeline.number(Component.TOPIC, "retention.ms"), 0)
    if pipeline.family is not Family.SPARK:
        yield pipeline.number(Component.BROKER, "offsets.retention.minutes") * 60_000
