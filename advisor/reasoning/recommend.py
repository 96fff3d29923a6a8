"""The smallest set of changes with which no anomaly that the team forbids is possible."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from advisor.catalog import Component, Value
from advisor.reasoning.finding import Confidence
from advisor.reasoning.guarantees import Anomaly, Guarantee, Requirement
from advisor.reasoning.impossible import Impossible, describe_requirement, standstills
from advisor.reasoning.keys import BIT
from advisor.reasoning.levers import Procedure
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.search import Search
from advisor.reasoning.space import Pull, Pulls, Space, pulled
from advisor.reasoning.trace import Traced
from advisor.reasoning.wish import breaking, reasons

_WEAKER: Mapping[Guarantee, tuple[Guarantee, ...]] = {
    Guarantee.EXACTLY_ONCE: (Guarantee.AT_LEAST_ONCE, Guarantee.AT_MOST_ONCE, Guarantee.NONE),
    Guarantee.AT_LEAST_ONCE: (Guarantee.NONE,),
    Guarantee.AT_MOST_ONCE: (Guarantee.NONE,),
    Guarantee.NONE: (),
}

BENDS = frozenset({(Component.APPLICATION, "sink")})
"""Properties of the application itself, rather than of its configuration."""

Spaces = dict[int, Space]
"""The spaces of one pipeline's changes, by the number of lost brokers that it has to survive."""


@dataclass(frozen=True, slots=True)
class Change:
    """A change of one setting; `closes` names the events that require it.

    If `after` is None, the line that states the setting is removed, and the default applies.
    `confidence` and `procedure` are those of the lever: how certain its effect is, and how the
    change is applied to a running system.
    """

    component: Component
    setting: str
    before: Value
    after: Value
    closes: tuple[str, ...]
    price: str
    source: str
    confidence: Confidence
    procedure: Procedure

    @property
    def removes(self) -> bool:
        """Whether the change is to remove the line."""
        return self.after is None


@dataclass(frozen=True, slots=True)
class Recommendation:
    """The changes, the requirements that cannot be met, and the pipeline after the changes."""

    changes: tuple[Change, ...]
    impossible: tuple[Impossible, ...]
    pipeline: Pipeline


def recommend(
    pipeline: Pipeline, guarantee: Guarantee | None = None, spaces: Spaces | None = None
) -> Recommendation:
    """Returns the smallest sufficient set of changes for a guarantee, by default the required one.

    The result is deterministic. Every change is necessary, and each makes a setting stronger
    (`levers`). A requirement that is met needs no change. If it cannot be met, the changes are
    those for the nearest one that can. The pipeline must be valid. To compare several guarantees of
    one pipeline, pass the same `spaces` each time, empty at first.
    """
    required = pipeline.requirement
    wish = required if guarantee is None else replace(required, guarantee=guarantee)
    described = replace(pipeline, requirement=wish)
    spaces = {} if spaces is None else spaces
    search, pulls = _smallest(described, spaces, wish)
    if pulls is not None:
        if not pulls:
            return Recommendation((), (), described)
        after = pulled(described, search.chosen(pulls))
        waits = standstills(described, after)
        return Recommendation(_changes(search, pulls), waits, after)
    for near in _nearer(wish, pipeline.brokers):
        nearest = replace(pipeline, requirement=near)
        nearer, pulls = _smallest(nearest, spaces, wish)
        if pulls is not None:
            after = replace(pulled(nearest, nearer.chosen(pulls)), requirement=wish)
            changes, changed = _changes(nearer, pulls), nearer.after(pulls).requiring(wish)
            if not breaking(changed):
                return Recommendation(changes, standstills(described, after), after)
            refused = _impossible(search, described, near, changed)
            return Recommendation(changes, refused + standstills(nearest, after), after)
    raise AssertionError("a requirement without a guarantee can always be met")


def _smallest(pipeline: Pipeline, spaces: Spaces, wish: Requirement) -> tuple[Search, Pulls | None]:
    """Returns the search and the fewest changes. They change the application only if no setting is
    enough, and give up no message if `wish` forbids that, even for a lesser requirement."""
    survive = pipeline.requirement.survive
    if survive not in spaces:
        other = next(iter(spaces.values()), None)
        spaces[survive] = other.requiring(pipeline.requirement) if other else Space(pipeline)
    may_lose = Anomaly.SKIPPED not in wish.forbids()
    settings_only = Search.of(pipeline, spaces[survive], sum(BIT[key] for key in BENDS), may_lose)
    pulls = settings_only.smallest()
    if pulls is not None:
        return settings_only, pulls
    search = settings_only.with_every_setting()
    return search, search.smallest()


def _nearer(wish: Requirement, brokers: int) -> Iterator[Requirement]:
    """Yields lesser requirements, nearest first: fewer lost brokers (one must remain), then no
    order, then a weaker guarantee."""
    for guarantee in (wish.guarantee, *_WEAKER[wish.guarantee]):
        for ordering in dict.fromkeys((wish.ordering, False)):
            for survive in range(min(wish.survive, brokers - 1), -1, -1):
                near = Requirement(guarantee, survive, ordering)
                if near != wish:
                    yield near
    yield Requirement(Guarantee.NONE, survive=0, ordering=False)


def _impossible(
    search: Search, pipeline: Pipeline, near: Requirement, after: Traced
) -> tuple[Impossible, ...]:
    """Returns one entry per event that no change closes even by itself.

    The reasons are those of the pipeline after the changes, which are the real obstacles.
    """
    nearest_met = describe_requirement(near)
    results = []
    violated = {violation.event for violation in search.violations()}
    for event in search.events:
        if event.name in violated and not search.closes(event):
            why = " ".join(dict.fromkeys(reasons(after, event)))
            nearest = f"{nearest_met}. {event.beyond_settings}".strip()
            source = "; ".join(event.sources)
            results.append(
                Impossible(describe_requirement(pipeline.requirement), why, nearest, source=source)
            )
    why = "Each failure can be met by itself, but not all of them together."
    return tuple(results) or (
        Impossible(describe_requirement(pipeline.requirement), why, nearest_met),
    )


def _changes(search: Search, pulls: Pulls) -> tuple[Change, ...]:
    before, after = search.before, search.after(pulls)
    return tuple(
        Change(
            *pull.key,
            before=before.value(*pull.key),
            after=pull.value,
            closes=_closes(search, pulls, pull),
            price=pull.lever.price(before, after),
            source=pull.lever.source,
            confidence=pull.lever.confidence,
            procedure=pull.lever.procedure,
        )
        for pull in search.chosen(pulls)
    )


def _closes(search: Search, pulls: Pulls, pull: Pull) -> tuple[str, ...]:
    """Returns the events that are open again without this change.

    There are none if it only makes other changes valid; then it returns the events that those
    close, even if the event is only possible because of one of these changes.
    """
    without = pulls & ~pull.bit
    if reopened := search.violations(without):
        return tuple(violation.event for violation in reopened)
    others = search.chosen(without)
    dependent = [other for other in others if not search.refused(without & ~other.bit)]
    closed = {
        violation.event
        for other in dependent or others
        for violation in search.violations(pulls & ~other.bit)
    }
    before = {violation.event for violation in search.violations()}
    names = closed & before or closed
    return tuple(event.name for event in search.events if event.name in names)
