"""The advisories that affect a pipeline, and the guarantees that remain."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from packaging.version import Version

from advisor.advisories.features import FEATURES
from advisor.advisories.load import advisories
from advisor.advisories.model import Advisory, Part, SettingNeed
from advisor.advisories.releases import VersionError, possible_releases
from advisor.catalog import Component, Family, SettingError
from advisor.catalog.lookups import lookup
from advisor.catalog.versions import SPARK_CLIENT
from advisor.reasoning.guarantees import FORBIDS, Anomaly, Boundary, Guarantee, strongest
from advisor.reasoning.pipeline import Pipeline

Versions = Mapping[Part, str]
"""A release or a line for each part of the pipeline."""


class Certainty(StrEnum):
    """`hit`: release and settings are those of the bug. `possible`: one of them is unknown."""

    HIT = "hit"
    POSSIBLE = "possible"


@dataclass(frozen=True, slots=True)
class Hit:
    """An advisory that concerns a pipeline; `unknown` names the deciding facts that are unknown."""

    advisory: Advisory
    running: str
    certainty: Certainty
    unknown: tuple[str, ...] = ()


_INSIDE_SPARK: Mapping[str, str] = {
    "4.0.0": "3.9.0",
    **dict.fromkeys(("4.0.1", "4.0.3", "4.1", "4.1.0", "4.1.1", "4.1.3"), "3.9.1"),
    **dict.fromkeys(("4.2", "4.2.0"), "3.9.2"),
}
"""The kafka-clients that a Spark release brings (POMs of spark-sql-kafka-0-10_2.13); every release
of the lines 4.1 and 4.2 that we know brings the same."""


def part_versions(pipeline: Pipeline) -> Versions:
    """Returns the release of each part of a pipeline if it is set, otherwise its line."""
    client = pipeline.client_release or pipeline.version
    results = {Part.BROKER: pipeline.kafka_release or pipeline.kafka}
    match pipeline.family:
        case Family.JAVA:
            results |= {Part.PRODUCER: client, Part.CONSUMER: client}
            if pipeline.stated(Component.APPLICATION).get("framework") == "connect":
                results |= {Part.CONNECT: client}
        case Family.STREAMS:
            results |= {Part.PRODUCER: client, Part.CONSUMER: client, Part.STREAMS: client}
        case Family.SPARK:
            inside = _INSIDE_SPARK.get(client, SPARK_CLIENT)
            results |= {Part.SPARK: client, Part.PRODUCER: inside, Part.CONSUMER: inside}
        case Family.LIBRDKAFKA:
            results |= {Part.LIBRDKAFKA: client}
    return results


def hits(pipeline: Pipeline) -> tuple[Hit, ...]:
    """Returns the advisories that affect a pipeline, the certain ones first.

    If the catalog no longer accepts the pipeline, only its versions are used.
    """
    running, described = part_versions(pipeline), readable(pipeline)
    hits = [
        hit for advisory in advisories() if (hit := match(advisory, running, described)) is not None
    ]
    return tuple(sorted(hits, key=lambda hit: hit.certainty is Certainty.POSSIBLE))


def readable(pipeline: Pipeline) -> Pipeline | None:
    """Returns the pipeline if the catalog accepts it, so that its settings in force can be read.
    More copies than brokers are accepted."""
    try:
        return (
            pipeline if all(problem.needs_more_brokers for problem in pipeline.problems()) else None
        )
    except SettingError:
        return None


def match(advisory: Advisory, running: Versions, pipeline: Pipeline | None = None) -> Hit | None:
    """Returns how an advisory concerns these versions, and the pipeline if there is one."""
    text = running.get(advisory.part)
    if text is None:
        return None
    try:
        may_be = possible_releases(advisory.product, text)
    except VersionError:
        return None
    affected = [version for version in may_be if advisory.affects(version)]
    if not affected or not may_concern(advisory, pipeline):
        return None
    unknown = [name for name in _unmet(advisory, pipeline) if name is not None]
    if len(affected) < len(may_be):
        unknown.insert(0, f"the release of {advisory.part} {text} ({_listed(affected)} have it)")
    certainty = Certainty.POSSIBLE if unknown else Certainty.HIT
    return Hit(advisory, text, certainty, tuple(unknown))


def may_concern(advisory: Advisory, pipeline: Pipeline | None) -> bool:
    """Whether an advisory concerns a pipeline, or may, on the releases that it affects."""
    return pipeline is None or None not in _unmet(advisory, pipeline)


def weakened(
    guarantees: Mapping[Boundary, Guarantee], added: Iterable[Anomaly]
) -> dict[Boundary, Guarantee]:
    """Returns the guarantees of the settings with these anomalies added; never stronger ones."""
    anomalies = frozenset(added)
    return {
        boundary: _weaker(guarantee, _within(boundary, anomalies))
        for boundary, guarantee in guarantees.items()
    }


def added(hits: Iterable[Hit], *, sure: bool) -> frozenset[Anomaly]:
    """Returns the anomalies that advisories add; with `sure`, only those of certain hits."""
    return frozenset(
        anomaly
        for hit in hits
        if hit.certainty is Certainty.HIT or not sure
        for anomaly in hit.advisory.anomalies
    )


_OF_LOG = frozenset({
    Anomaly.LOST_WRITE, Anomaly.DUPLICATE, Anomaly.REORDERED, Anomaly.DIVERGED, Anomaly.GIVEN_UP,
    Anomaly.PHANTOM, Anomaly.UNAVAILABLE,
})  # fmt: skip
_OF_SINK = frozenset({Anomaly.EFFECT_MISSING, Anomaly.EFFECT_DUPLICATED, Anomaly.STATE_LOST})


def _within(boundary: Boundary, anomalies: frozenset[Anomaly]) -> frozenset[Anomaly]:
    match boundary:
        case Boundary.PRODUCER_TO_LOG:
            return anomalies & _OF_LOG
        case Boundary.LOG_TO_CONSUMER:
            return anomalies - _OF_LOG - _OF_SINK
        case Boundary.END_TO_END:
            return anomalies


def _weaker(guarantee: Guarantee, anomalies: frozenset[Anomaly]) -> Guarantee:
    if guarantee is Guarantee.EXACTLY_ONCE:
        return strongest(anomalies)
    return Guarantee.NONE if FORBIDS[guarantee] & anomalies else guarantee


def _unmet(advisory: Advisory, pipeline: Pipeline | None) -> Iterator[str | None]:
    """Yields the conditions that are not known to hold, in words; None for one that is known not to
    hold."""
    for need in advisory.settings:
        decided = None if pipeline is None else _has(pipeline, need)
        if not decided:
            yield str(need) if decided is None else None
    for name in advisory.features:
        feature = FEATURES[name]
        decided = None if pipeline is None else feature.decide(pipeline)
        if not decided:
            yield feature.words if decided is None else None


def _has(pipeline: Pipeline, need: SettingNeed) -> bool | None:
    if pipeline.knows(need.component, need.setting):
        return pipeline.value(need.component, need.setting) in need.values
    scope = (pipeline.family, pipeline.version, pipeline.kafka, need.component)
    try:
        lookup(*scope, need.setting, every=True)
    except SettingError:
        return False
    return None


def _listed(versions: Iterable[Version]) -> str:
    return ", ".join(str(version) for version in versions)
