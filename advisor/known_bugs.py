"""What known bugs of the described releases make of an answer; looked up anew each time.

An answer is about settings and is kept; what is known of releases grows, so that an old link names
a bug that was found later.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from advisor.advisories import (
    Advisory,
    Certainty,
    Hit,
    Upgrade,
    added,
    hits,
    readable,
    upgrades,
    versions_of,
    weakened,
)
from advisor.reasoning.answer import Answer
from advisor.reasoning.finding import Severity
from advisor.reasoning.guarantees import Anomaly, Boundary, Guarantee


@dataclass(frozen=True, slots=True)
class KnownBug:
    """A hit with its severity for this pipeline's wish; `breaks` is what of it is forbidden."""

    hit: Hit
    severity: Severity
    breaks: tuple[Anomaly, ...]

    @property
    def advisory(self) -> Advisory:
        """The bug itself."""
        return self.hit.advisory

    @property
    def sure(self) -> bool:
        """Whether release and settings are those of the bug."""
        return self.hit.certainty is Certainty.HIT


@dataclass(frozen=True, slots=True)
class KnownBugs:
    """`guarantees` are those with the sure hits, `at_worst` those with the possible ones too;
    `by_settings` is what the settings alone give end to end."""

    found: tuple[KnownBug, ...]
    by_settings: Guarantee
    guarantees: Mapping[Boundary, Guarantee]
    at_worst: Mapping[Boundary, Guarantee]
    upgrades: tuple[Upgrade, ...]

    @property
    def sure(self) -> tuple[KnownBug, ...]:
        """Those that certainly concern the pipeline."""
        return tuple(each for each in self.found if each.sure)

    @property
    def possible(self) -> tuple[KnownBug, ...]:
        """Those that may, as something was not stated."""
        return tuple(each for each in self.found if not each.sure)

    @property
    def end_to_end(self) -> Guarantee:
        """What is left end to end with the sure hits."""
        return self.guarantees[Boundary.END_TO_END]

    @property
    def breaking(self) -> tuple[KnownBug, ...]:
        """Sure hits that add what the wish forbids: no settings hold it on this release."""
        return tuple(each for each in self.sure if each.breaks)


def known_bugs(answer: Answer) -> KnownBugs:
    """The advisories that concern the pipeline of an answer, the gravest first."""
    judgement = answer.judgement
    pipeline = judgement.pipeline
    concerned = hits(pipeline)
    found = [_weighed(hit, judgement.forbids) for hit in concerned]
    order = list(Severity)
    return KnownBugs(
        found=tuple(sorted(found, key=lambda each: order.index(each.severity))),
        by_settings=judgement.guarantees[Boundary.END_TO_END],
        guarantees=weakened(judgement.guarantees, added(concerned, sure=True)),
        at_worst=weakened(judgement.guarantees, added(concerned, sure=False)),
        upgrades=upgrades(concerned, versions_of(pipeline), readable(pipeline)),
    )


def to_json(bugs: KnownBugs) -> dict[str, Any]:
    """What the JSON of an advice has beside the settings' own answer."""
    return {
        "advisories": [_bug(each) for each in bugs.found],
        "guarantee_with_advisories": {
            "hit": {key.value: value.value for key, value in bugs.guarantees.items()},
            "possible": {key.value: value.value for key, value in bugs.at_worst.items()},
        },
        "upgrades": [
            {
                "what": each.what,
                "from": each.running,
                "to": each.target or None,
                "clears": list(each.clears),
                "remain": list(each.remain),
            }
            for each in bugs.upgrades
        ],
    }


def advisory_json(each: Advisory) -> dict[str, Any]:
    """One advisory as JSON data."""
    return {
        "id": each.id,
        "title": each.title,
        "component": each.part.value,
        "affected": [str(one) for one in each.affected],
        "fixed": [str(one) for one in each.fixed],
        "incident": each.incident or None,
        "anomalies": [one.value for one in each.anomalies],
        "confidence": each.confidence.value,
        "sources": list(each.sources),
    }


def _weighed(hit: Hit, forbids: frozenset[Anomaly]) -> KnownBug:
    breaks = tuple(each for each in hit.advisory.anomalies if each in forbids)
    sure = hit.certainty is Certainty.HIT
    if sure and breaks:
        severity = Severity.HIGH
    else:
        severity = Severity.MEDIUM if sure or breaks else Severity.LOW
    return KnownBug(hit, severity, breaks)


def _bug(each: KnownBug) -> dict[str, Any]:
    return {
        **advisory_json(each.advisory),
        "severity": each.severity.value,
        "certainty": each.hit.certainty.value,
        "running": each.hit.running,
        "unknown": list(each.hit.unknown),
        "message": message(each),
        "workaround": each.advisory.workaround,
    }


def message(each: KnownBug) -> str:
    """One sentence or two: what the bug may do here, and what it takes beside what was stated."""
    advisory, hit = each.advisory, each.hit
    may = ", ".join(advisory.anomalies)
    said = f"{advisory.part} {hit.running}: {advisory.title}. May add: {may}."
    return f"{said} It takes: {'; '.join(hit.unknown)}." if hit.unknown else said
