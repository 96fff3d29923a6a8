"""The smallest set of changes after which nothing that the team forbids may happen."""

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
"""What the application is, and not how it is set."""

Spaces = dict[int, Space]
"""What is known of one pipeline's changes, by the number of brokers that it is to survive."""


@dataclass(frozen=True, slots=True)
class Change:
    """One setting from one value to another; `closes` names the events that need it.

    Where `after` is None the line that states it is removed, and the default holds. `confidence`
    and `procedure` are those of the lever: how sure its effect is, and how the change is made to a
    running system.
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
    """The changes, what cannot be had, and the pipeline after the changes."""

    changes: tuple[Change, ...]
    impossible: tuple[Impossible, ...]
    pipeline: Pipeline


def recommend(
    pipeline: Pipeline, guarantee: Guarantee | None = None, spaces: Spaces | None = None
) -> Recommendation:
    """The smallest sufficient change for a guarantee, by default the one required.

    Deterministic; every change is needed, and each makes a setting stronger (`levers`). A wish
    that is met needs no change and has nothing impossible. When
    the wish cannot be met, the changes are those for the nearest that can. The pipeline must
    be valid. Who asks for several guarantees of one pipeline gives the same `spaces` each time,
    empty at first.
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
    raise AssertionError("asking for nothing can always be met")


def _smallest(pipeline: Pipeline, spaces: Spaces, wish: Requirement) -> tuple[Search, Pulls | None]:
    """The fewest changes, of the application only what no setting can do in its place; none gives
    up a message where the wish forbids that, also for something lesser."""
    survive = pipeline.requirement.survive
    if survive not in spaces:
        other = next(iter(spaces.values()), None)
        spaces[survive] = other.requiring(pipeline.requirement) if other else Space(pipeline)
    may_lose = Anomaly.SKIPPED not in wish.forbids()
    gentle = Search.of(pipeline, spaces[survive], sum(BIT[key] for key in BENDS), may_lose)
    pulls = gentle.smallest()
    if pulls is not None:
        return gentle, pulls
    search = gentle.with_every_setting()
    return search, search.smallest()


def _nearer(wish: Requirement, brokers: int) -> Iterator[Requirement]:
    """Lesser wishes, nearest first: fewer brokers lost (one must be left), then no order, then a
    weaker guarantee."""
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
    """One entry for each event that no change closes even by itself.

    Why is said of the pipeline after the changes: what is left there is the true obstacle.
    """
    closed = describe_requirement(near)
    results = []
    opened = {violation.event for violation in search.violations()}
    for event in search.events:
        if event.name in opened and not search.closes(event):
            why = " ".join(dict.fromkeys(reasons(after, event)))
            nearest = f"{closed}. {event.beyond_settings}".strip()
            source = "; ".join(event.sources)
            results.append(
                Impossible(describe_requirement(pipeline.requirement), why, nearest, source=source)
            )
    why = "Each failure can be met by itself, but not all of them together."
    return tuple(results) or (Impossible(describe_requirement(pipeline.requirement), why, closed),)


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
    """The events that are open again without this change.

    There may be none, where it only makes others valid: then those that these others close, be it
    one that only a change among these makes possible.
    """
    without = pulls & ~pull.bit
    if reopened := search.violations(without):
        return tuple(violation.event for violation in reopened)
    others = search.chosen(without)
    served = [other for other in others if not search.refused(without & ~other.bit)]
    closed = {
        violation.event
        for other in served or others
        for violation in search.violations(pulls & ~other.bit)
    }
    before = {violation.event for violation in search.violations()}
    named = closed & before or closed
    return tuple(event.name for event in search.events if event.name in named)
