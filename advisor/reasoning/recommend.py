"""The smallest set of changes after which nothing that the team forbids may happen.

The search is exact. A violation (an event that permits something forbidden) can only go away
through a setting that its judgement reads, so every solution holds a change of one of those;
the search branches over them, at the violation with the fewest ways out, and deepens by size.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from advisor.catalog import Component, Value, validate
from advisor.reasoning.assess import Assessed
from advisor.reasoning.event import FailureEvent
from advisor.reasoning.failures import all_events
from advisor.reasoning.guarantees import Guarantee, Requirement
from advisor.reasoning.levers import Lever, levers
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.trace import Key, judge_and_trace

_WEAKER: Mapping[Guarantee, tuple[Guarantee, ...]] = {
    Guarantee.EXACTLY_ONCE: (Guarantee.AT_LEAST_ONCE, Guarantee.AT_MOST_ONCE, Guarantee.NONE),
    Guarantee.AT_LEAST_ONCE: (Guarantee.NONE,),
    Guarantee.AT_MOST_ONCE: (Guarantee.NONE,),
    Guarantee.NONE: (),
}


@dataclass(frozen=True, slots=True)
class Change:
    """One setting from one value to another; `closes` names the events that need it."""

    component: Component
    setting: str
    before: Value
    after: Value
    closes: tuple[str, ...]
    price: str
    source: str


@dataclass(frozen=True, slots=True)
class Impossible:
    """A wish that no settings grant, what stands in the way, and the nearest that can be had."""

    wish: str
    why: str
    nearest: str


@dataclass(frozen=True, slots=True)
class Recommendation:
    """The changes, what cannot be had, and the pipeline after the changes."""

    changes: tuple[Change, ...]
    impossible: tuple[Impossible, ...]
    pipeline: Pipeline


@dataclass(frozen=True, slots=True)
class _Pull:
    """One lever pulled to one value."""

    lever: Lever
    value: Value

    @property
    def key(self) -> Key:
        return self.lever.component, self.lever.setting


def recommend(pipeline: Pipeline, guarantee: Guarantee | None = None) -> Recommendation:
    """The smallest sufficient change for a guarantee, by default the one required.

    Deterministic; every change is needed; nothing that is impossible now becomes possible. When
    the wish cannot be met, the changes are those for the nearest that can. The pipeline must
    be valid.
    """
    required = pipeline.requirement
    wish = required if guarantee is None else replace(required, guarantee=guarantee)
    asked = replace(pipeline, requirement=wish)
    pulls = _Search(asked, all_events()).smallest()
    if pulls is not None:
        return Recommendation(_changes(asked, pulls), (), _pulled(asked, pulls))
    for near in _nearer(wish):
        nearest = replace(pipeline, requirement=near)
        pulls = _Search(nearest, all_events()).smallest()
        if pulls is not None:
            after = replace(_pulled(nearest, pulls), requirement=wish)
            return Recommendation(_changes(nearest, pulls), _impossible(asked, near), after)
    raise AssertionError("asking for nothing can always be met")


def _nearer(wish: Requirement) -> Iterator[Requirement]:
    """Lesser wishes, nearest first: fewer failures survived, then a weaker guarantee."""
    for guarantee in (wish.guarantee, *_WEAKER[wish.guarantee]):
        for survive in range(wish.survive, -1, -1):
            if (guarantee, survive) != (wish.guarantee, wish.survive):
                yield replace(wish, guarantee=guarantee, survive=survive)
    yield Requirement(Guarantee.NONE, survive=0, ordering=False)


def _impossible(asked: Pipeline, near: Requirement) -> tuple[Impossible, ...]:
    """One entry for each event that no change closes even by itself."""
    closed = _describe(near)
    found = []
    for event in all_events():
        search = _Search(asked, (event,))
        if search.smallest() is None:
            why = " ".join(dict.fromkeys(search.reasons()))
            nearest = f"{closed}. {event.beyond_settings}".strip()
            found.append(Impossible(_describe(asked.requirement), why, nearest))
    why = "Each failure can be met by itself, but not all of them together."
    return tuple(found) or (Impossible(_describe(asked.requirement), why, closed),)


def _describe(wish: Requirement) -> str:
    brokers = "1 broker" if wish.survive == 1 else f"{wish.survive} brokers"
    order = ", in order" if wish.ordering else ""
    return f"{wish.guarantee}{order}, with {brokers} lost for good"


def _pulled(pipeline: Pipeline, pulls: Sequence[_Pull]) -> Pipeline:
    for pull in pulls:
        pipeline = pipeline.with_setting(*pull.key, pull.value)
    return pipeline


def _changes(before: Pipeline, pulls: Sequence[_Pull]) -> tuple[Change, ...]:
    search = _Search(before, all_events())
    after = _pulled(before, pulls)
    open_before = search.root()
    changes = []
    for pull in sorted(pulls, key=lambda each: _position(before, each)):
        without = search.violations(_pulled(before, [each for each in pulls if each != pull]))
        needed = [name for name, _ in without] or [
            name for name, reads in open_before if pull.key in reads
        ]
        changes.append(
            Change(
                *pull.key,
                before=before.value(*pull.key),
                after=pull.value,
                closes=tuple(needed),
                price=pull.lever.price(before, after),
                source=pull.lever.source,
            )
        )
    return tuple(changes)


def _position(pipeline: Pipeline, pull: _Pull) -> int:
    return [lever for lever, _ in levers(pipeline)].index(pull.lever)


_Judged = Mapping[str, tuple[Assessed, frozenset[Key]]]


class _Search:
    """Finds the fewest pulls that leave none of some events with a violation."""

    def __init__(self, before: Pipeline, events: Sequence[FailureEvent]) -> None:
        self._before = before
        self._forbidden = before.requirement.forbids()
        self._events = [event for event in events if event.in_scope(before.requirement)]
        self._pulls = [_Pull(lever, v) for lever, values in levers(before) for v in values]
        self._start = self._judge(before)

    def smallest(self) -> tuple[_Pull, ...] | None:
        """The pulls, or None if no set of them is enough."""
        keys = len({pull.key for pull in self._pulls})
        any_size = self._solve(self._before, self._start, keys, frozenset(), frozenset())
        if any_size is None:
            return None
        for size in range(len(any_size)):
            found = self._solve(self._before, self._start, size, frozenset(), frozenset())
            if found is not None:
                return found
        return any_size

    def reasons(self) -> list[str]:
        """Why what is forbidden may happen as things are."""
        return [
            why
            for assessed, _ in self._start.values()
            for anomaly, why in assessed.permits.items()
            if anomaly in self._forbidden
        ]

    def root(self) -> list[tuple[str, frozenset[Key]]]:
        """The violations of the pipeline as described."""
        return self._violations(self._start)

    def violations(self, pipeline: Pipeline) -> list[tuple[str, frozenset[Key]]]:
        """The events with a violation, each with the settings it depends on."""
        return self._violations(self._judge(pipeline))

    def _judge(self, pipeline: Pipeline) -> _Judged:
        return {event.name: judge_and_trace(event, pipeline) for event in self._events}

    def _again(self, judged: _Judged, pipeline: Pipeline, changed: Key) -> _Judged:
        """Judges anew only what depends on the changed setting."""
        return {
            event.name: judge_and_trace(event, pipeline)
            if changed in judged[event.name][1]
            else judged[event.name]
            for event in self._events
        }

    def _violations(self, judged: _Judged) -> list[tuple[str, frozenset[Key]]]:
        return [
            (name, reads)
            for name, (now, reads) in judged.items()
            if now.permits.keys() & self._forbidden
        ]

    def _solve(
        self,
        pipeline: Pipeline,
        judged: _Judged,
        budget: int,
        changed: frozenset[Key],
        tried: frozenset[_Pull],
    ) -> tuple[_Pull, ...] | None:
        """At most `budget` further pulls, none of a key in `changed` nor one in `tried`."""
        left = [p for p in self._pulls if p.key not in changed and p not in tried]
        open_now = [reads for _, reads in self._violations(judged)]
        if not open_now:
            if not _invalid(pipeline):
                return ()
            open_now = [frozenset(pull.key for pull in left)]
        if _at_least(open_now, left) > budget:
            return None
        ways = [[pull for pull in left if pull.key in reads] for reads in open_now]
        for pull in min(ways, key=len):
            key = pull.key
            after = pipeline.with_setting(*key, pull.value)
            rest = self._solve(
                after, self._again(judged, after, key), budget - 1, changed | {key}, tried
            )
            if rest is not None:
                return (pull, *rest)
            # Every solution with this pull has been tried, so the others leave it out.
            tried |= {pull}
        return None


def _invalid(pipeline: Pipeline) -> bool:
    found = validate(
        pipeline.family, pipeline.version, pipeline.kafka, pipeline.brokers, pipeline.settings
    )
    return bool(found)


def _at_least(violations: Sequence[frozenset[Key]], left: Sequence[_Pull]) -> int:
    """Changes that any solution needs: violations without a common setting need one each."""
    keys = {pull.key for pull in left}
    taken: set[Key] = set()
    count = 0
    for reads in sorted((reads & keys for reads in violations), key=len):
        if not reads & taken:
            count += 1
            taken |= reads
    return count
