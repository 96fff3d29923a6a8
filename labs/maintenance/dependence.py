"""Rebuilds the table of the settings on which failures depend (advisor.reasoning.dependence).

The failure model assesses some 90,000 pipelines, which takes seconds. A setting is listed if
changing it alone changes, for one of the sampled pipelines, which anomalies an event permits, or
whether the event is in scope. Settings that change only the text about them, such as a duration,
are listed separately. So every listed setting does matter; one that matters only together with
several unusual settings may be missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from advisor.catalog import Component, Family, Kind, Setting, Value, versions
from advisor.reasoning.dependence import TABLE, Dependence, line
from advisor.reasoning.event import FailureEvent
from advisor.reasoning.failures import all_events, events_for
from advisor.reasoning.guarantees import Anomaly
from advisor.reasoning.judgement import EventAssessment
from advisor.reasoning.keys import Key, spelled_out
from advisor.reasoning.trace import Traced

_TOPICS: tuple[dict[str, Value], ...] = (
    {"replication.factor": 1},
    {"replication.factor": 3},
    {"replication.factor": 3, "min.insync.replicas": 2},
)


_STATIC: Mapping[Key, Value] = {(Component.CONSUMER, "group.instance.id"): "a"}
_BY_BROKERS: Mapping[Key, Value] = {(Component.CONSUMER, "group.protocol"): "consumer"}
_UNUSUAL: tuple[Mapping[Key, Value], ...] = (
    {(Component.APPLICATION, "outage.ms"): 10**9},
    {(Component.APPLICATION, "idle.ms"): 10**6},
    {(Component.APPLICATION, "producer.byte.rate"): 10**5},
    {(Component.APPLICATION, "clock.skew.ms"): 10**9},
    {
        (Component.APPLICATION, "processing"): "asynchronous",
        (Component.APPLICATION, "commit"): "after-processing",
        (Component.CONSUMER, "enable.auto.commit"): False,
    },
    _STATIC,
    _BY_BROKERS,
    {**_STATIC, **_BY_BROKERS},
    {(Component.PRODUCER, "enable.idempotence"): False},
    {(Component.PRODUCER, "retries"): 14},
    {(Component.PRODUCER, "buffer.memory"): 10**9},
    {(Component.PRODUCER, "reconnect.backoff.ms"): 3_000_000},
    {(Component.PRODUCER, "reconnect.backoff.max.ms"): 3_000_000},
    {(Component.TOPIC, "cleanup.policy"): "compact"},
    {(Component.TOPIC, "remote.storage.enable"): True},
    {(Component.PRODUCER, "partitioner.class"): "a"},
    {(Component.STREAMS, "num.standby.replicas"): 1},
    {(Component.STREAMS, "replication.factor"): 3},
)
"""Unusual settings without which some other settings have no effect."""

_LAST_WITH_ZOOKEEPER = "3.9"
_LAST_TO_REMOVE_EARLY = "3.7"

_NUMBERS = (0, 1, 3, 1_000, 50_000, 10**6, 10**9)  # 50 s: brokers' sessions are 45 to 60

_CUSTOM_CLASS = "com.example.Own"

_Outcome = tuple[frozenset[Anomaly], bool]
_Judged = tuple[EventAssessment, frozenset[Key]]


def main() -> None:
    """Builds the table from the current model and writes it."""
    TABLE.write_text(text(), encoding="utf-8")


def text() -> str:
    """The text of the current table: a line for each event, by name."""
    return "".join(line(name, dependence) for name, dependence in sorted(table().items()))


def table() -> Mapping[str, Dependence]:
    """The dependence of each event, by its name."""
    events = all_events()
    keys: dict[str, set[Key]] = {event.name: set() for event in events}
    measures: dict[str, set[Key]] = {event.name: set() for event in events}
    anomalies_by_name: dict[str, dict[Family, frozenset[Anomaly]]] = {
        event.name: {family: frozenset() for family in Family if family in event.families}
        for event in events
    }
    judgements = _Judgements()
    for pipeline in _samples():
        judged = judgements.judge(pipeline, events_for(pipeline))
        before = {name: _outcome(assessed) for name, (assessed, _) in judged.items()}
        for name, (anomalies, _) in before.items():
            anomalies_by_name[name][pipeline.family] |= anomalies
        for key in frozenset[Key]().union(*(reads for _, reads in judged.values())):
            # Only events that read the setting can depend on it; known dependences are skipped.
            undecided = [
                event for event in events
                if event.name in judged
                and key in judged[event.name][1] and key not in keys[event.name]
            ]  # fmt: skip
            for other in _others(pipeline, key) if undecided else ():
                for name, (assessed, _) in judgements.judge(other, undecided).items():
                    outcome = _outcome(assessed)
                    anomalies_by_name[name][pipeline.family] |= outcome[0]
                    if outcome != before[name]:
                        keys[name].add(key)
                    elif assessed != judged[name][0]:
                        measures[name].add(key)
    return {
        name: Dependence(
            frozenset(keys[name]), frozenset(measures[name] - keys[name]), anomalies_by_name[name]
        )
        for name in keys
    }


class _Judgements:
    """Cached judgements of pipelines with one requirement, by the stated settings that they read.

    Pipelines that state the same values for these have the same judgement, which saves six of
    seven.
    """

    def __init__(self) -> None:
        self._cache: dict[
            tuple[object, ...],
            dict[frozenset[Key], dict[frozenset[tuple[Key, Value]], EventAssessment]],
        ] = {}

    def judge(self, pipeline: Traced, events: Iterable[FailureEvent]) -> dict[str, _Judged]:
        """The result of `Traced.judged` for each event, by name, with its settings spelled out."""
        stated = {
            (component, name): value
            for component, settings in pipeline.settings.items()
            for name, value in settings.items()
        }
        return {event.name: self._judge(pipeline, event, stated) for event in events}

    def _judge(self, pipeline: Traced, event: FailureEvent, stated: Mapping[Key, Value]) -> _Judged:
        products = (event.name, pipeline.family, pipeline.version, pipeline.kafka)
        cached = self._cache.setdefault(products, {})
        for reads, judgements in cached.items():
            if assessed := judgements.get(_stated_values(stated, reads)):
                return assessed, reads
        assessed, keys = pipeline.judged(event)
        reads = spelled_out(keys)
        cached.setdefault(reads, {})[_stated_values(stated, reads)] = assessed
        return assessed, reads


def _stated_values(
    stated: Mapping[Key, Value], keys: frozenset[Key]
) -> frozenset[tuple[Key, Value]]:
    return frozenset([(key, stated[key]) for key in keys & stated.keys()])


def _outcome(assessed: EventAssessment) -> _Outcome:
    return frozenset({*assessed.permits, *assessed.absorbed}), assessed.in_scope


def _samples() -> Iterator[Traced]:
    """Yields the sampled pipelines of each client.

    These are combinations of replicas and acknowledgements, each setting of the application alone,
    the unusual settings, transactions that include the input's offsets, and older brokers, also
    with ZooKeeper.
    """
    for family in Family:
        for topic in _TOPICS:
            for acks in ("1", "all"):
                yield _with(family, topic, acks)
        plain = _with(family, _TOPICS[-1], "all")
        for setting in plain.known_settings(Component.APPLICATION):
            if setting.kind is not Kind.INT:
                yield from _others(plain, (Component.APPLICATION, setting.name))
        for unusual in _UNUSUAL:
            if all(plain.knows(*key) for key in unusual):
                yield _all_of(plain, unusual)
        for transactional in _others(plain, (Component.PRODUCER, "transactional.id")):
            yield transactional
            yield from _others(transactional, (Component.APPLICATION, "commit"))
        early = replace(plain, kafka=_LAST_TO_REMOVE_EARLY)
        yield early.with_setting(Component.APPLICATION, "replicas.moved", "any-time")
        older = replace(plain, kafka=_LAST_WITH_ZOOKEEPER)
        yield older.with_setting(Component.APPLICATION, "metadata.mode", "zookeeper")


def _all_of(pipeline: Traced, unusual: Mapping[Key, Value]) -> Traced:
    for key, value in unusual.items():
        pipeline = pipeline.with_setting(*key, value)
    return pipeline


def _with(family: Family, topic: Mapping[str, Value], acks: str) -> Traced:
    settings = {Component.TOPIC: topic, Component.PRODUCER: {"acks": acks}}
    return Traced(family, versions(family)[0], settings=settings)


def _others(pipeline: Traced, key: Key) -> Iterator[Traced]:
    """Yields the pipeline with each value of a setting with which it is valid."""
    setting = next(
        (setting for setting in pipeline.known_settings(key[0]) if setting.name == key[1]), None
    )
    for value in _values(setting) if setting else ():
        other = pipeline.with_setting(*key, value)
        if not other.problems():
            yield other


def _values(setting: Setting) -> tuple[Value, ...]:
    """The values to try: all choices, a custom class, one text, or the valid `_NUMBERS`."""
    match setting.kind:
        case Kind.BOOL:
            return (False, True)
        case Kind.CHOICE:
            custom = (_CUSTOM_CLASS,) if re.fullmatch(setting.pattern, _CUSTOM_CLASS) else ()
            return (*dict.fromkeys(value for _, value in setting.choices), *custom)
        case Kind.TEXT:
            return ("a",)
        case Kind.INT:
            low, high = setting.minimum, setting.maximum
            return tuple(
                number for number in _NUMBERS
                if (low is None or low <= number) and (high is None or number <= high)
            )  # fmt: skip


if __name__ == "__main__":
    main()
