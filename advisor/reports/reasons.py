"""Why anomalies may happen: each reason once, with the failures that it explains."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

from advisor.reasoning.answer import Failure, Judgement
from advisor.reasoning.guarantees import GRAVITY, Anomaly

SENTENCES = re.compile(r"(?<=\.) (?=[A-Z])")
"""The space between two sentences of a reason."""


@dataclass(slots=True)
class Reason:
    """A reason, with the anomalies and the failures that it explains."""

    why: str
    anomalies: list[Anomaly] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)


def breaking(judgement: Judgement) -> list[Reason]:
    """Returns the reasons of the forbidden anomalies, in the failures that are to be survived."""
    return by_reason(
        (failure for failure in judgement.failures if failure.breaks), judgement.forbids
    )


def by_reason(failures: Iterable[Failure], wanted: Collection[Anomaly]) -> list[Reason]:
    """Returns the reasons of the wanted anomalies: the gravest first, then that of most
    failures."""
    reasons: dict[str, Reason] = {}
    for failure in failures:
        for anomaly in GRAVITY:
            if anomaly not in wanted or anomaly not in failure.permits:
                continue
            why = _longest(failure.permits[anomaly], failure)
            reason = reasons.setdefault(why, Reason(why))
            if anomaly not in reason.anomalies:
                reason.anomalies.append(anomaly)
            if failure not in reason.failures:
                reason.failures.append(failure)
    for reason in reasons.values():
        reason.anomalies.sort(key=GRAVITY.index)
    return sorted(_joined(sorted(reasons.values(), key=_order)), key=_order)


def _joined(reasons: Iterable[Reason]) -> Iterator[Reason]:
    """Yields the reasons, with those that begin with the same sentence merged: that sentence once,
    followed by each ending."""
    alike = dict[tuple[str, ...], list[Reason]]()
    for reason in reasons:
        begins = SENTENCES.split(reason.why, 1)[0]
        alike.setdefault((begins, *reason.anomalies), []).append(reason)
    for (begins, *_), several in alike.items():
        ends = dict.fromkeys(reason.why.removeprefix(begins) for reason in several)
        failures = {failure.name: failure for reason in several for failure in reason.failures}
        yield Reason(begins + "".join(ends), several[0].anomalies, [*failures.values()])


def _longest(why: str, failure: Failure) -> str:
    """Returns the reason, or a longer one of the same failure that contains it."""
    return max((other for other in failure.permits.values() if other.startswith(why)), key=len)


def _order(reason: Reason) -> tuple[int, int, str]:
    return GRAVITY.index(reason.anomalies[0]), -len(reason.failures), reason.why
