"""Rebuilds the table of what each failure depends on (advisor.reasoning.dependence).

The failure model is asked about some 90,000 pipelines, which takes seconds. A setting is listed if
changing it alone changes which anomalies an event permits, or whether it is in scope, in one of the
sampled pipelines; apart from these, if it changes only what is said of them, such as for how long.
So nothing is listed that the model does not do; what shows only with several unusual settings at
once may be missing.
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
"""Without these some settings have nothing to decide."""

_LAST_WITH_ZOOKEEPER = "3.9"
_LAST_TO_REMOVE_EARLY = "3.7"

_NUMBERS = (0, 1, 3, 1_000, 50_000, 10**6, 10**9)  # 50 s: brokers' sessions are 45 to 60

_OWN = "com.example.Own"

_Outcome = tuple[frozenset[Anomaly], bool]
_Judged = tuple[EventAssessment, frozenset[Key]]


def main() -> None:
    """Asks the model of today and writes the table."""
    TABLE.write_text(text(), encoding="utf-8")


def text() -> str:
    """The table as it has to be: a line for each event, by name."""
    return "".join(line(name, dependence) for name, dependence in sorted(table().items()))


def table() -> Mapping[str, Dependence]:
    """Every event's dependence by name."""
    events = all_events()
    keys: dict[str, set[Key]] = {event.name: set() for event in events}
    measures: dict[str, set[Key]] = {event.name: set() for event in events}
    may: dict[str, dict[Family, frozenset[Anomaly]]] = {
        event.name: {family: frozenset() for family in Family if family in event.families}
        for event in events
    }
    judgements = _Judgements()
    for pipeline in _samples():
        judged = judgements.of(pipeline, events_for(pipeline))
        before = {name: _outcome(assessed) for name, (assessed, _) in judged.items()}
        for name, (anomalies, _) in before.items():
            may[name][pipeline.family] |= anomalies
        for key in frozenset[Key]().union(*(reads for _, reads in judged.values())):
            # What does not read a setting cannot change with it; what is known is not asked again.
            open_ = [
                event for event in events
                if event.name in judged
                and key in judged[event.name][1] and key not in keys[event.name]
            ]  # fmt: skip
            for other in _others(pipeline, key) if open_ else ():
                for name, (assessed, _) in judgements.of(other, open_).items():
                    outcome = _outcome(assessed)
                    may[name][pipeline.family] |= outcome[0]
                    if outcome != before[name]:
                        keys[name].add(key)
                    elif assessed != judged[name][0]:
                        measures[name].add(key)
    return {
        name: Dependence(frozenset(keys[name]), frozenset(measures[name] - keys[name]), may[name])
        for name in keys
    }


class _Judgements:
    """Judgements of pipelines with the same requirement, by the stated settings that they read.

    Pipelines that state the same of these are judged alike: of seven, six need not be asked.
    """

    def __init__(self) -> None:
        self._known: dict[
            tuple[object, ...],
            dict[frozenset[Key], dict[frozenset[tuple[Key, Value]], EventAssessment]],
        ] = {}

    def of(self, pipeline: Traced, events: Iterable[FailureEvent]) -> dict[str, _Judged]:
        """What `Traced.judged` says of each event, by name, with the settings one by one."""
        stated = {
            (component, name): value
            for component, settings in pipeline.settings.items()
            for name, value in settings.items()
        }
        return {event.name: self._of(pipeline, event, stated) for event in events}

    def _of(self, pipeline: Traced, event: FailureEvent, stated: Mapping[Key, Value]) -> _Judged:
        products = (event.name, pipeline.family, pipeline.version, pipeline.kafka)
        known = self._known.setdefault(products, {})
        for reads, judgements in known.items():
            if assessed := judgements.get(_among(stated, reads)):
                return assessed, reads
        assessed, keys = pipeline.judged(event)
        reads = spelled_out(keys)
        known.setdefault(reads, {})[_among(stated, reads)] = assessed
        return assessed, reads


def _among(stated: Mapping[Key, Value], keys: frozenset[Key]) -> frozenset[tuple[Key, Value]]:
    return frozenset([(key, stated[key]) for key in keys & stated.keys()])


def _outcome(assessed: EventAssessment) -> _Outcome:
    return frozenset({*assessed.permits, *assessed.absorbed}), assessed.in_scope


def _samples() -> Iterator[Traced]:
    """For each client: copies and acknowledgement together, then each word of the code alone, a
    reader that is away, retries that may repeat, internal topics with copies, for those that can
    a transaction that holds the input's offsets, and brokers with ZooKeeper."""
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
    """The pipeline with each other value of a setting, as far as that is valid."""
    setting = next(
        (setting for setting in pipeline.known_settings(key[0]) if setting.name == key[1]), None
    )
    for value in _values(setting) if setting else ():
        other = pipeline.with_setting(*key, value)
        if not other.problems():
            yield other


def _values(setting: Setting) -> tuple[Value, ...]:
    """Each switch and word, a class of one's own, one text, numbers of every size that it takes."""
    match setting.kind:
        case Kind.BOOL:
            return (False, True)
        case Kind.CHOICE:
            own = (_OWN,) if re.fullmatch(setting.pattern, _OWN) else ()
            return (*dict.fromkeys(value for _, value in setting.choices), *own)
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
