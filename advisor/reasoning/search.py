"""The exact search for the fewest changes that leave nothing forbidden.

A violation (an event that permits a forbidden anomaly) can only be removed by a change of a setting
that its judgement reads. So every solution contains such a change. The search branches over these
changes at the violation with the fewest of them, with iterative deepening by the number of changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from advisor.reasoning.event import FailureEvent
from advisor.reasoning.failures import events_for
from advisor.reasoning.guarantees import Anomaly
from advisor.reasoning.keys import Keys
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.space import Pull, Pulls, Space, one_more
from advisor.reasoning.trace import Traced
from advisor.reasoning.wish import forbidden


@dataclass(frozen=True, slots=True)
class Violation:
    """An event that permits a forbidden anomaly.

    `reads` are the settings that this depends on, and `changing` the pulls that change one of them.
    """

    event: str
    reads: Keys
    changing: Pulls


_Result = tuple[Violation | None, Keys]
"""The violation of an event, if any, and the settings that this depends on."""


@dataclass(frozen=True, slots=True)
class Need:
    """The number of changes of these settings that an event requires if it is the only one.

    It includes changes without which a product would refuse the others. `changing` are the pulls
    that change one of these settings.
    """

    keys: Keys
    count: int
    changing: Pulls


def _may_lose(forbids: frozenset[Anomaly]) -> bool:
    """Whether messages may be skipped, and none may be processed again."""
    return Anomaly.EFFECT_DUPLICATED in forbids and Anomaly.SKIPPED not in forbids


class Search:
    """Finds the fewest pulls that leave none of some events with a violation."""

    def __init__(
        self,
        space: Space,
        events: Sequence[FailureEvent],
        forbids: frozenset[Anomaly],
        leaving: Keys = 0,
        trading: bool = True,
    ) -> None:
        """`forbids` are the anomalies that must not be possible, `leaving` the settings that must
        not change. Without `trading` no pull may give up a message, whatever is forbidden."""
        self.events = events
        self._space = space
        self._forbids = forbids
        self._leaving = leaving
        self._trading = trading and _may_lose(forbids)
        traded = 0 if self._trading else space.trades()
        self._allowed: Pulls = ~(space.changing(leaving) | traded)
        self._results: dict[Pulls, list[_Result]] = {}
        self._needs: dict[str, Need | None] = {}
        self._reads: Keys = 0
        self._cut = False

    @classmethod
    def of(
        cls,
        pipeline: Pipeline,
        space: Space | None = None,
        leaving: Keys = 0,
        trading: bool = True,
    ) -> Search:
        """Returns a search for what the requirement forbids, in every event that is in scope."""
        space = space or Space(pipeline)
        before = space.before.requiring(pipeline.requirement)
        # A sink that recognizes its messages makes repeats harmless. One that is only proposed is
        # no replacement for the settings that prevent repeats.
        events = [event for event in events_for(before) if event.in_scope(before)]
        return cls(space, events, forbidden(before), leaving, trading)

    def with_every_setting(self) -> Search:
        """Returns the same search in which every setting may change.

        The need of an event is reused if it did not read a setting that could not change before.
        """
        search = Search(self._space, self.events, self._forbids, trading=self._trading)
        search._results = self._results
        search._needs = {
            event: need
            for event, need in self._needs.items()
            if need and not need.keys & self._leaving
        }
        return search

    @property
    def order(self) -> Sequence[Pull]:
        """Every allowed pull, in the order of preference."""
        return self.chosen(self._space.changing(~self._leaving) & self._allowed)

    @property
    def before(self) -> Traced:
        """The unchanged pipeline. Its requirement may be another one with the same `survive`."""
        return self._space.before

    def after(self, pulls: Pulls) -> Traced:
        """Returns the pipeline with these pulls."""
        return self._space.after(pulls)

    def chosen(self, pulls: Pulls) -> tuple[Pull, ...]:
        """Returns the pulls of a set, in the order of preference."""
        return self._space.chosen(pulls)

    def smallest(self) -> Pulls | None:
        """Returns a smallest sufficient set of pulls, or None. The result is deterministic."""
        opened = {violation.event for violation in self.violations()}
        for event in self.events:
            if event.name in opened and not self.closes(event):
                return None
        return self.smallest_by_depth()

    def closes(self, event: FailureEvent) -> bool:
        """Whether some pulls close this event if it is the only one."""
        if event.name not in self._needs:
            alone = Search(self._space, (event,), self._forbids, self._leaving, self._trading)
            self._needs[event.name] = alone._need()
        return self._needs[event.name] is not None

    def _need(self) -> Need | None:
        """Returns how many pulls these events require, with all settings that the search read."""
        pulls = self.smallest_by_depth()
        if pulls is None:
            return None
        keys = self._reads
        return Need(keys, pulls.bit_count(), self._space.changing(keys))

    def smallest_by_depth(self) -> Pulls | None:
        pulls, size = None, 0
        self._cut = True
        # If no branch was cut for its size, a larger size has no solution either.
        while pulls is None and self._cut:
            self._cut = False
            pulls = self._solve(0, size, self._allowed)
            size += 1
        return pulls

    def violations(self, pulls: Pulls = 0) -> list[Violation]:
        """Returns the violations that remain after these pulls."""
        return [violation for violation, _ in self._judge(pulls) if violation]

    def _judge(self, pulls: Pulls) -> list[_Result]:
        """Returns the result of every event. Most are those with one pull less: they only differ
        if they read its setting."""
        results = self._results.get(pulls)
        if results is None:
            last = one_more(pulls, self._results)
            if not last:
                results = [self._judge_event(event, pulls) for event in self.events]
            else:
                known = self._results[pulls ^ last]
                changed = self._space.pull(last).keys
                results = [
                    self._judge_event(event, pulls) if changed & result[1] else result
                    for event, result in zip(self.events, known, strict=True)
                ]
            self._results[pulls] = results
        return results

    def _judge_event(self, event: FailureEvent, pulls: Pulls) -> _Result:
        assessed, reads = self._space.judged(event, pulls)
        if self._forbids.isdisjoint(assessed.permits):
            return None, reads
        return Violation(event.name, reads, self._space.changing(reads)), reads

    def refused(self, pulls: Pulls) -> bool:
        """Whether a client or a broker would refuse the pipeline with these pulls."""
        return self._space.refused(pulls)[0]

    def _solve(self, pulls: Pulls, budget: int, allowed: Pulls) -> Pulls | None:
        """Returns a solution of `pulls` and at most `budget` of the `allowed` ones, or None."""
        violations = self.violations(pulls)
        changing = [allowed & violation.changing for violation in violations]
        for violation in violations:
            self._reads |= violation.reads
        if not violations:
            refused, conflicting = self._space.refused(pulls)
            if not refused:
                return pulls
            self._reads |= conflicting
            changing = [allowed & self._space.changing(conflicting)]
        candidates = min(changing, key=int.bit_count)
        if candidates and (
            not budget or self._lower_bound(violations, changing, pulls, allowed) > budget
        ):
            self._cut = True
            return None
        for pull in self.chosen(candidates):
            others = allowed & ~self._space.changing(pull.keys)
            solution = self._solve(pulls | pull.bit, budget - 1, others)
            if solution is not None:
                return solution
            # Every solution with this pull has been tried, so the others do not contain it.
            allowed &= ~pull.bit
        return None

    def _lower_bound(
        self,
        violations: Sequence[Violation],
        changing: Sequence[Pulls],
        pulls: Pulls,
        allowed: Pulls,
    ) -> int:
        """Returns a lower bound of the changes that any solution still needs.

        `changing` are the pulls for each violation. Violations without a common setting need one
        change each, or as many as they need alone if no setting that they read was changed.
        """
        needs = [self._needs.get(violation.event) for violation in violations]
        if len(violations) < 2 and not any(needs):
            return len(violations)
        single = [(candidates, 1) for candidates in changing]
        complete = [
            (allowed & need.changing, need.count) if need and not pulls & need.changing else one
            for one, need in zip(single, needs, strict=True)
        ]
        return max(_disjoint_sum(single), _disjoint_sum(complete))


def _disjoint_sum(needs: Sequence[tuple[Pulls, int]]) -> int:
    """Returns the sum of needs without a common setting, chosen greedily."""
    covered: Pulls = 0
    total = 0
    for pulls, count in sorted(needs, key=lambda need: need[0].bit_count() / need[1]):
        if not covered & pulls:
            total += count
            covered |= pulls
    return total
