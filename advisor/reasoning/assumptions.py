"""Values that were assumed because nobody stated them, if another value would change the answer.

A client's default is a fact: code that does not state a setting runs with it. A topic's default is
not: the topic has the values that it was created with, by the brokers' defaults at that time or by
hand. The behaviour of the code around the clients has no default at all. So these values are
assumed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from advisor.catalog import Component, Family, Kind, Setting, Value
from advisor.reasoning.behaviour.absence import NAME as OUTAGE
from advisor.reasoning.behaviour.absence import until_replaced
from advisor.reasoning.behaviour.replication import min_isr_only_on_brokers
from advisor.reasoning.behaviour.sizes import AVERAGE, LARGEST, client_limits, topic_limit
from advisor.reasoning.failures.controllers_lost import SERVERS, lost_for_good
from advisor.reasoning.failures.rack_lost import PLACES, metadata_racks
from advisor.reasoning.keys import BIT, Key, Keys
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.trace import Traced

_TOPICS_NAME = {"default.replication.factor": "replication.factor"}
"""The brokers' name of a default → the topic's name of the setting, if they differ."""

_USUAL_BYTES = 1_000_000
"""The smallest of the products' default limits on a message (librdkafka's message.max.bytes)."""

_DELIBERATE = frozenset({"remote.storage.enable"})
"""Settings that have no effect unless the brokers are prepared for them."""

_RATE, _SIZE = "rate", (Component.APPLICATION, AVERAGE)
"""The load, which decides how long a topic with `retention.bytes` keeps a message."""

_COUNTS_OF_COPIES = ("replication.factor", "min.insync.replicas")


@dataclass(frozen=True, slots=True)
class Assumption:
    """A setting that was not stated, and the value that was assumed."""

    component: Component
    setting: str
    value: Value


def assumptions(
    pipeline: Traced, read: Keys, differs: Callable[[Pipeline, Key], bool]
) -> tuple[Assumption, ...]:
    """Returns the assumptions that an answer depends on: with another value, it `differs`.

    Each setting is varied by itself. `read` are the settings that the answer read. The pipeline
    must be valid.
    """
    checked = pipeline.refused()[1]
    return tuple(
        Assumption(setting.component, setting.name, _assumed(pipeline, setting))
        for setting in _not_stated(pipeline)
        if BIT[key := (setting.component, setting.name)] & read
        and any(differs(other, key) for other in _others(pipeline, setting, checked))
    )


def _assumed(pipeline: Pipeline, setting: Setting) -> Value:
    """Returns the value in force. For the consumers' absence it is the shortest possible one, for
    the servers that keep the metadata as many as leave a majority, in the racks of the brokers."""
    if setting.name == OUTAGE:
        return until_replaced(pipeline).ms
    if setting.name in SERVERS:
        return 2 * lost_for_good(pipeline) + 1
    if setting.name == PLACES:
        return metadata_racks(pipeline)
    return pipeline.value(setting.component, setting.name)


def _not_stated(pipeline: Pipeline) -> Iterator[Setting]:
    by_brokers = {_TOPICS_NAME.get(name, name) for name in pipeline.stated(Component.BROKER)}
    if min_isr_only_on_brokers(pipeline) is not None:
        # The cluster may not use the value of the brokers' files (finding B001).
        by_brokers -= {"min.insync.replicas"}
    stated = {
        Component.TOPIC: pipeline.stated(Component.TOPIC).keys() | by_brokers,
        Component.APPLICATION: pipeline.stated(Component.APPLICATION).keys(),
    }
    for component, names in stated.items():
        settings = pipeline.known_settings(component)
        yield from (setting for setting in settings if setting.name not in names | _DELIBERATE)


def _others(pipeline: Traced, setting: Setting, checked: Keys) -> Iterator[Pipeline]:
    """Yields the pipeline with each other possible value of the setting; `checked` are the settings
    that decide whether a product accepts the pipeline."""
    key = (setting.component, setting.name)
    current = pipeline.value(*key)
    if setting.name == _RATE and pipeline.value(*_SIZE) is None:
        pipeline = pipeline.with_setting(*_SIZE, 1)  # a rate only matters together with a size
    for value in _values(pipeline, setting):
        if value != current:
            other = pipeline.with_setting(*key, value)
            if not BIT[key] & checked or not other.problems():
                yield other


def _values(pipeline: Pipeline, setting: Setting) -> Iterator[Value]:
    if setting.kind is Kind.BOOL:
        yield from (False, True)
    elif setting.kind is Kind.CHOICE:
        yield from dict.fromkeys(value for _, value in setting.choices)
    elif setting.name in _COUNTS_OF_COPIES:
        # Other values change nothing: no failover, a failover, f brokers survived, one spare.
        lost = pipeline.requirement.survive
        yield from sorted({1, 2, lost + 1, lost + 2})
    elif setting.name in SERVERS:
        # As many as may all be lost.
        yield from [lost] if (lost := lost_for_good(pipeline)) else []
    elif setting.name == PLACES:
        # All in one rack, or one in a third place.
        yield from {1, 3} - {metadata_racks(pipeline)}
    elif setting.name == LARGEST:
        # A limit that was lowered: some message may be above it.
        yield from [lowest] if (lowest := _smallest_limit(pipeline)) < _USUAL_BYTES else []
    elif setting.name == _RATE:
        # More than a topic with a limit on its size keeps.
        yield from [] if setting.maximum is None else [setting.maximum]
    elif setting.name == AVERAGE and _is_loaded(pipeline):
        # Larger messages are refused.
        yield _smallest_limit(pipeline)
    elif setting.name == OUTAGE:
        # Longer than the retention of messages, and of positions.
        yield from sorted({*_retentions_ms(pipeline)})


def _smallest_limit(pipeline: Pipeline) -> int:
    """Returns the size in bytes above which a client or a broker refuses a record."""
    return min(limit.most for limit in (*client_limits(pipeline), topic_limit(pipeline)))


def _is_loaded(pipeline: Pipeline) -> bool:
    return pipeline.value(Component.APPLICATION, _RATE) is not None


def _retentions_ms(pipeline: Pipeline) -> Iterator[int]:
    yield max(pipeline.number(Component.TOPIC, "retention.ms"), 0)
    if pipeline.family is not Family.SPARK:
        yield pipeline.number(Component.BROKER, "offsets.retention.minutes") * 60_000
