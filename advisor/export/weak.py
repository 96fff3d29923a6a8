"""Weak values that stay in a team's files: no change of ours needs them, and we do not advise them.

Such a value is shown in an export as a comment and never set by it. A value is weak if a finding
names it, unless the pipeline would be worse, or be refused, without it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache

from advisor.catalog import Component
from advisor.export.base import Revision
from advisor.reasoning.assess import assess, judgements
from advisor.reasoning.behaviour.replication import Replication
from advisor.reasoning.failures import offsets_led_uncleanly, streams_led_uncleanly
from advisor.reasoning.guarantees import FORBIDS, ORDER, Anomaly, Guarantee
from advisor.reasoning.pipeline import Pipeline

Key = tuple[Component, str]

_HARMS = FORBIDS[Guarantee.EXACTLY_ONCE] | ORDER
_FOR_TOPICS = {
    "replication.factor": "default.replication.factor",
    "min.insync.replicas": "min.insync.replicas",
    "unclean.leader.election.enable": "unclean.leader.election.enable",
}
"""A setting of a topic, and that of the brokers which stands for it in topics that state none."""


def weak(revision: Revision) -> frozenset[Key]:
    """The settings in force that were left as described, and that we do not advise."""
    return frozenset() if revision.described is None else _weak(_Keyed(repr(revision), revision))


@dataclass(frozen=True, slots=True)
class _Keyed:
    """A revision by all that is in it, since the exports of one page ask for one thirty times."""

    key: str
    revision: Revision = field(compare=False)


@lru_cache(maxsize=256)
def _weak(question: _Keyed) -> frozenset[Key]:
    revision, exported = question.revision, question.revision.exported
    named = {*_named(exported), *_least(exported), *_named_for_other_topics(exported)}
    results, left = set(), exported
    # One after the other: of two that stand in for each other one stays, and the topic's goes last.
    for key in sorted(key for key in named if not revision.changes(*key)):
        if not _better_with(left, key):
            results.add(key)
            left = _without(left, key)
    return frozenset(results)


def _named(pipeline: Pipeline) -> Iterator[Key]:
    """What findings name; of the brokers' defaults for topics they speak of where they stand."""
    for finding in assess(pipeline).findings:
        key = (finding.rule.component, finding.rule.setting)
        if key[0] is not Component.BROKER or key[1] not in _FOR_TOPICS.values():
            yield key


def _least(pipeline: Pipeline) -> Iterator[Key]:
    """A minimum of one asks for nothing, and would overrule the brokers' own, which may be more.

    Before 3.7 one copy needs it, where the brokers ask for two (KAFKA-15583).
    """
    key = (Component.TOPIC, "min.insync.replicas")
    stated = key[1] in pipeline.stated(key[0])
    if pipeline.number(*key) == 1 and (Replication(pipeline).hides_below_min_isr or not stated):
        yield key


def _named_for_other_topics(pipeline: Pipeline) -> Iterator[Key]:
    """The brokers' defaults, as topics have them that state nothing, or only their copies."""
    copies = pipeline.value(Component.TOPIC, "replication.factor")
    for stated in ({}, {"replication.factor": copies}):
        bare = replace(pipeline, settings={**pipeline.settings, Component.TOPIC: stated})
        for component, name in {*_named(bare), *_least(bare)}:
            if component is Component.TOPIC and name in _FOR_TOPICS:
                yield Component.BROKER, _FOR_TOPICS[name]


def _better_with(pipeline: Pipeline, key: Key) -> bool:
    """Whether less may happen with what was stated than with what a product fills in."""
    component, name = key
    if name not in pipeline.stated(component):
        return False
    without = _without(pipeline, key)
    return bool(without.problems()) or not _harms(without) <= _harms(pipeline)


def _without(pipeline: Pipeline, key: Key) -> Pipeline:
    component, name = key
    others = {key: value for key, value in pipeline.stated(component).items() if key != name}
    return replace(pipeline, settings={**pipeline.settings, component: others})


def _harms(pipeline: Pipeline) -> frozenset[tuple[str, Anomaly]]:
    """The anomalies that are permitted if a broker is lost, whatever the team wants to survive.

    That no other replica can lead does not make one copy better, and that a producer without
    idempotence does not notice a broker's loss does not make it better (docs/decisions/0025).
    """
    need = pipeline.requirement
    described = replace(pipeline, requirement=replace(need, survive=max(need.survive, 1)))
    return frozenset(
        (assessment.event.name, anomaly)
        for assessment in judgements(described)
        if assessment.event not in (offsets_led_uncleanly.EVENT, streams_led_uncleanly.EVENT)
        for anomaly in _HARMS & assessment.permits.keys()
        if not (anomaly is Anomaly.GIVEN_UP and Anomaly.LOST_WRITE in assessment.permits)
    )
