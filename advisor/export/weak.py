"""Weak values that stay in a team's files: they are unchanged, and not recommended.

An export names such a value in a comment and never sets it. A value is weak if a finding names it,
unless the pipeline would be worse, or refused, without it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache

from advisor.catalog import Component
from advisor.export.base import Revision
from advisor.reasoning.assess import assess, judgements
from advisor.reasoning.behaviour.replication import Replication
from advisor.reasoning.failures import offsets_unclean_election, streams_unclean_election
from advisor.reasoning.guarantees import FORBIDS, ORDER, Anomaly, Guarantee
from advisor.reasoning.pipeline import Pipeline

Key = tuple[Component, str]

_HARMS = FORBIDS[Guarantee.EXACTLY_ONCE] | ORDER
_FOR_TOPICS = {
    "replication.factor": "default.replication.factor",
    "min.insync.replicas": "min.insync.replicas",
    "unclean.leader.election.enable": "unclean.leader.election.enable",
}
"""A setting of a topic, and the brokers' default for it."""


def weak(revision: Revision) -> frozenset[Key]:
    """Returns the settings in force that are unchanged and not recommended."""
    return frozenset() if revision.described is None else _weak(_Keyed(repr(revision), revision))


@dataclass(frozen=True, slots=True)
class _Keyed:
    """A cache key with all content of a revision: one page needs its weak values thirty times."""

    key: str
    revision: Revision = field(compare=False)


@lru_cache(maxsize=256)
def _weak(question: _Keyed) -> frozenset[Key]:
    revision, exported = question.revision, question.revision.exported
    candidates = {
        *_keys_in_findings(exported),
        *_trivial_min_isr(exported),
        *_broker_default_keys(exported),
    }
    results, remaining = set(), exported
    # One by one: if either of two settings suffices, one stays; that of the topic is tried last.
    for key in sorted(key for key in candidates if not revision.changes(*key)):
        if not _needs(remaining, key):
            results.add(key)
            remaining = _without(remaining, key)
    return frozenset(results)


def _keys_in_findings(pipeline: Pipeline) -> Iterator[Key]:
    """Yields the settings of findings, except for the brokers' defaults for topics."""
    for finding in assess(pipeline).findings:
        key = (finding.rule.component, finding.rule.setting)
        if key[0] is not Component.BROKER or key[1] not in _FOR_TOPICS.values():
            yield key


def _trivial_min_isr(pipeline: Pipeline) -> Iterator[Key]:
    """Yields a min.insync.replicas of one: it requires nothing, and overrides a higher one of the
    brokers.

    Before 3.7 a topic with one copy needs it, if the brokers require two (KAFKA-15583).
    """
    key = (Component.TOPIC, "min.insync.replicas")
    is_set = key[1] in pipeline.stated(key[0])
    if pipeline.number(*key) == 1 and (Replication(pipeline).hides_below_min_isr or not is_set):
        yield key


def _broker_default_keys(pipeline: Pipeline) -> Iterator[Key]:
    """Yields the brokers' defaults, as they apply to a topic that sets nothing, or only its
    replication factor."""
    copies = pipeline.value(Component.TOPIC, "replication.factor")
    for topic_settings in ({}, {"replication.factor": copies}):
        other_topic = replace(
            pipeline, settings={**pipeline.settings, Component.TOPIC: topic_settings}
        )
        for component, name in {*_keys_in_findings(other_topic), *_trivial_min_isr(other_topic)}:
            if component is Component.TOPIC and name in _FOR_TOPICS:
                yield Component.BROKER, _FOR_TOPICS[name]


def _needs(pipeline: Pipeline, key: Key) -> bool:
    """Whether fewer anomalies are permitted with this setting than with the product's default."""
    component, name = key
    if name not in pipeline.stated(component):
        return False
    without = _without(pipeline, key)
    return bool(without.problems()) or not _harms(without) <= _harms(pipeline)


def _without(pipeline: Pipeline, key: Key) -> Pipeline:
    component, name = key
    rest = {key: value for key, value in pipeline.stated(component).items() if key != name}
    return replace(pipeline, settings={**pipeline.settings, component: rest})


def _harms(pipeline: Pipeline) -> frozenset[tuple[str, Anomaly]]:
    """Returns the anomalies that are permitted if a broker is lost, whatever the team wants to
    survive.

    One copy is not better because no other replica can become the leader, and a producer without
    idempotence is not better because it does not notice the loss (docs/decisions/0025).
    """
    need = pipeline.requirement
    described = replace(pipeline, requirement=replace(need, survive=max(need.survive, 1)))
    return frozenset(
        (assessment.event.name, anomaly)
        for assessment in judgements(described)
        if assessment.event not in (offsets_unclean_election.EVENT, streams_unclean_election.EVENT)
        for anomaly in _HARMS & assessment.permits.keys()
        if not (anomaly is Anomaly.GIVEN_UP and Anomaly.LOST_WRITE in assessment.permits)
    )
