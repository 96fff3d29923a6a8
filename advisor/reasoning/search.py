"""The exact search for the fewest changes that leave nothing forbidden.

A violation (an event that permits something forbidden) can only go away through a setting that
its judgement reads. So every solution holds a change of one of those: the search branches over
them, at the violation with the fewest ways out, and deepens by size until one is enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from advisor.catalog import Value, validate
from advisor.reasoning.assess import Assessed
from advisor.reasoning.event import FailureEvent
from advisor.reasoning.levers import Lever, levers
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.trace import Key, judge_and_trace


@dataclass(frozen=True, slots=True)
class Pull:
    """One lever pulled to one value."""

    lever: Lever
    value: Value

    @property
    def key(self) -> Key:
        return self.lever.component, self.lever.setting


@dataclass(frozen=True, slots=True)
class Violation:
    """An event that permits something forbidden, and the settings that this depends on."""

    event: str
    reads: frozenset[Key]


Pulls = frozenset[Pull]
_NOTHING: Pulls = frozenset()


def pulled(pipeline: Pipeline, pulls: Pulls) -> Pipeline:
    """The pipeline with these changes."""
    for pull in pulls:
        pipeline = pipeline.with_setting(*pull.key, pull.value)
    return pipeline


class Search:
    """Finds the fewest pulls that leave none of some events with a violation."""

    def __init__(self, before: Pipeline, events: Sequence[FailureEvent]) -> None:
        self._before = before
        self._forbidden = before.requirement.forbids()
        self._events = [event for event in events if event.in_scope(before.requirement)]
        self.order = [Pull(lever, v) for lever, values in levers(before) for v in values]
        self._judged: dict[tuple[str, Pulls], tuple[Assessed, frozenset[Key]]] = {}
        self._read: dict[str, frozenset[Key]] = {event.name: frozenset() for event in self._events}

    def smallest(self) -> Pulls | None:
        """The pulls, or None if no set of them is enough. Always the same for one pipeline."""
        found = self._solve(_NOTHING, len(self.order), _NOTHING)
        if found is None:
            return None
        smaller = (self._solve(_NOTHING, size, _NOTHING) for size in range(len(found)))
        return next((pulls for pulls in smaller if pulls is not None), found)

    def violations(self, pulls: Pulls = _NOTHING) -> list[Violation]:
        """What is still open after these pulls."""
        judged = ((event.name, *self._judge(event, pulls)) for event in self._events)
        return [
            Violation(name, reads)
            for name, assessed, reads in judged
            if assessed.permits.keys() & self._forbidden
        ]

    def reasons(self) -> list[str]:
        """Why what is forbidden may happen as things are."""
        assessed = (self._judge(event, _NOTHING)[0] for event in self._events)
        return [
            why
            for each in assessed
            for anomaly, why in each.permits.items()
            if anomaly in self._forbidden
        ]

    def _judge(self, event: FailureEvent, pulls: Pulls) -> tuple[Assessed, frozenset[Key]]:
        """Judged once for all sets of pulls that agree in what this event ever read.

        What was read so far holds all that any stored answer read, so two sets that agree in it
        have that answer in common.
        """
        name = event.name
        known = self._judged.get((name, self._of_matter(name, pulls)))
        if known is None:
            known = judge_and_trace(event, pulled(self._before, pulls))
            self._read[name] |= known[1]
            self._judged[name, self._of_matter(name, pulls)] = known
        return known

    def _of_matter(self, name: str, pulls: Pulls) -> Pulls:
        read = self._read[name]
        return frozenset(pull for pull in pulls if pull.key in read)

    def _solve(self, pulls: Pulls, budget: int, tried: Pulls) -> Pulls | None:
        """`pulls` with at most `budget` more, none of a setting already changed or in `tried`."""
        changed = {pull.key for pull in pulls}
        left = [pull for pull in self.order if pull.key not in changed and pull not in tried]
        reads = [violation.reads for violation in self.violations(pulls)]
        if not reads:
            if not self._invalid(pulls):
                return pulls
            reads = [frozenset(pull.key for pull in left)]
        if _least(reads, left) > budget:
            return None
        ways = ([pull for pull in left if pull.key in each] for each in reads)
        for pull in min(ways, key=len):
            found = self._solve(pulls | {pull}, budget - 1, tried)
            if found is not None:
                return found
            # Every solution with this pull has been tried, so the others leave it out.
            tried |= {pull}
        return None

    def _invalid(self, pulls: Pulls) -> bool:
        after = pulled(self._before, pulls)
        return bool(
            validate(after.family, after.version, after.kafka, after.brokers, after.settings)
        )


def _least(violations: Sequence[frozenset[Key]], left: Sequence[Pull]) -> int:
    """Changes that any solution needs: violations without a common setting need one each."""
    keys = {pull.key for pull in left}
    taken: set[Key] = set()
    count = 0
    for reads in sorted((reads & keys for reads in violations), key=len):
        if not reads & taken:
            count += 1
            taken |= reads
    return count
