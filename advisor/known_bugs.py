"""How known bugs of the described releases change an answer; looked up each time.

An answer is about settings and is kept. The list of known bugs grows, so an old link names a bug
that was found later.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from advisor.advisories import (
    Advisory,
    Certainty,
    Hit,
    Upgrade,
    added,
    hits,
    part_versions,
    readable,
    upgrades,
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
    `by_settings` is what the settings alone give end to end. `afterwards` are those that break the
    wish only where the changes for it are made, and `upgrades_afterwards` what ends them."""

    bugs: tuple[KnownBug, ...]
    by_settings: Guarantee
    guarantees: Mapping[Boundary, Guarantee]
    at_worst: Mapping[Boundary, Guarantee]
    upgrades: tuple[Upgrade, ...]
    afterwards: tuple[KnownBug, ...]
    upgrades_afterwards: tuple[Upgrade, ...]

    @property
    def sure(self) -> tuple[KnownBug, ...]:
        """Those that certainly concern the pipeline."""
        return tuple(known_bug for known_bug in self.bugs if known_bug.sure)

    @property
    def possible(self) -> tuple[KnownBug, ...]:
        """Those that may, as something was not stated."""
        return tuple(known_bug for known_bug in self.bugs if not known_bug.sure)

    @property
    def end_to_end(self) -> Guarantee:
        """What is left end to end with the sure hits."""
        return self.guarantees[Boundary.END_TO_END]

    @property
    def breaking(self) -> tuple[KnownBug, ...]:
        """Sure hits that add what the wish forbids: no settings hold it on this release."""
        return tuple(known_bug for known_bug in self.sure if known_bug.breaks)


def known_bugs(answer: Answer) -> KnownBugs:
    """The advisories that concern the pipeline of an answer, the gravest first."""
    judgement = answer.judgement
    pipeline = judgement.pipeline
    concerned = hits(pipeline)
    known_bugs = [_rated(hit, judgement.forbids) for hit in concerned]
    later = tuple(_afterwards(answer, known_bugs))
    ends = upgrades([bug.hit for bug in later], part_versions(pipeline), readable(pipeline))
    return KnownBugs(
        bugs=tuple(sorted(known_bugs, key=lambda known_bug: known_bug.severity.rank)),
        by_settings=judgement.guarantees[Boundary.END_TO_END],
        guarantees=weakened(judgement.guarantees, added(concerned, sure=True)),
        at_worst=weakened(judgement.guarantees, added(concerned, sure=False)),
        upgrades=upgrades(concerned, part_versions(pipeline), readable(pipeline)),
        afterwards=later,
        upgrades_afterwards=ends,
    )


def _afterwards(answer: Answer, now: Iterable[KnownBug]) -> Iterator[KnownBug]:
    """What certainly breaks the wish once the changes for it are made, such as a bug of
    transactions where these are recommended, and does not break it before."""
    if not answer.wanted.changes or answer.wanted.refused:
        return
    broken = {bug.advisory.id for bug in now if bug.sure and bug.breaks}
    for hit in hits(answer.recommended):
        bug = _rated(hit, answer.judgement.forbids)
        if bug.sure and bug.breaks and bug.advisory.id not in broken:
            yield bug


def to_json(bugs: KnownBugs) -> dict[str, Any]:
    """What the JSON of an advice has besides the settings' own answer."""
    return {
        "advisories": [_bug(known_bug) for known_bug in bugs.bugs],
        "guarantee_with_advisories": {
            "hit": {key.value: value.value for key, value in bugs.guarantees.items()},
            "possible": {key.value: value.value for key, value in bugs.at_worst.items()},
        },
        "upgrades": [_upgrade(upgrade) for upgrade in bugs.upgrades],
        "after_changes": {
            "advisories": [_bug(known_bug) for known_bug in bugs.afterwards],
            "upgrades": [_upgrade(upgrade) for upgrade in bugs.upgrades_afterwards],
        },
    }


def _upgrade(upgrade: Upgrade) -> dict[str, Any]:
    return {
        "what": upgrade.what,
        "from": upgrade.running,
        "to": upgrade.target or None,
        "clears": list(upgrade.clears),
        "remain": list(upgrade.remain),
        "but_not": list(upgrade.but_not),
    }


def advisory_json(advisory: Advisory) -> dict[str, Any]:
    """One advisory as JSON data."""
    return {
        "id": advisory.id,
        "title": advisory.title,
        "component": advisory.part.value,
        "affected": [str(one) for one in advisory.affected],
        "fixed": [str(one) for one in advisory.fixed],
        "incident": advisory.incident or None,
        "anomalies": [one.value for one in advisory.anomalies],
        "confidence": advisory.confidence.value,
        "sources": list(advisory.sources),
    }


def _rated(hit: Hit, forbids: frozenset[Anomaly]) -> KnownBug:
    breaks = tuple(anomaly for anomaly in hit.advisory.anomalies if anomaly in forbids)
    sure = hit.certainty is Certainty.HIT
    if sure and breaks:
        severity = Severity.HIGH
    else:
        severity = Severity.MEDIUM if sure or breaks else Severity.LOW
    return KnownBug(hit, severity, breaks)


def _bug(known_bug: KnownBug) -> dict[str, Any]:
    return {
        **advisory_json(known_bug.advisory),
        "severity": known_bug.severity.value,
        "certainty": known_bug.hit.certainty.value,
        "running": known_bug.hit.running,
        "unknown": list(known_bug.hit.unknown),
        "message": message(known_bug),
        "workaround": known_bug.advisory.workaround,
    }


def message(known_bug: KnownBug) -> str:
    """One sentence or two: what the bug may do here, and what it needs besides what was stated."""
    advisory, hit = known_bug.advisory, known_bug.hit
    may = ", ".join(advisory.anomalies)
    text = f"{advisory.part} {hit.running}: {advisory.title}. May add: {may}."
    return f"{text} It needs: {'; '.join(hit.unknown)}." if hit.unknown else text
