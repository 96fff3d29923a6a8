"""The exact search for the fewest changes that leave nothing forbidden.

A violation (an event that permits something forbidden) can only go away through a setting that
its judgement reads. So every solution holds a change of one of those: the search branches over
them, at the violation with the fewest ways out, and deepens by size until one is enough.
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
    """An event that permits something forbidden, the settings that this depends on, and the pulls
    that change one of them."""

    event: str
    reads: Keys
    changing: Pulls


_Look = tuple[Violation | None, Keys]
"""What is wrong with an event, if anything is, and the settings that this was said of."""


@dataclass(frozen=True, slots=True)
class Need:
    """How many changes of these settings an event takes, were it the only one.

    Among them are the changes without which a product would refuse the others. `changing` are the
    pulls that change one of these settings.
    """

    keys: Keys
    count: int
    changing: Pulls


def _may_lose(forbids: frozenset[Anomaly]) -> bool:
    """Whether a message may be passed over, and none be processed again."""
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
        """`forbids` is what must not be possible, `leaving` are settings that stay as they are;
        without `trading` no message is given up for others, whatever is forbidden."""
        self.events = events
        self._space = space
        self._forbids = forbids
        self._leaving = leaving
        self._trading = trading and _may_lose(forbids)
        traded = 0 if self._trading else space.trades()
        self._left: Pulls = ~(space.changing(leaving) | traded)
        self._looks: dict[Pulls, list[_Look]] = {}
        self._needs: dict[str, Need | None] = {}
        self._looked_at: Keys = 0
        self._cut = False

    @classmethod
    def of(
        cls,
        pipeline: Pipeline,
        space: Space | None = None,
        leaving: Keys = 0,
        trading: bool = True,
    ) -> Search:
        """For what the pipeline's requirement forbids, in each event that counts."""
        space = space or Space(pipeline)
        before = space.before.requiring(pipeline.requirement)
        # A sink that knows its messages makes repeats harmless; one that is only proposed does
        # not stand in for the settings that keep them away.
        events = [event for event in events_for(before) if event.in_scope(before)]
        return cls(space, events, forbidden(before), leaving, trading)

    def with_every_setting(self) -> Search:
        """The same search in which no setting has to stay as it is.

        What an event takes is known where nobody looked at a setting that stayed.
        """
        search = Search(self._space, self.events, self._forbids, trading=self._trading)
        search._looks = self._looks
        search._needs = {
            event: need
            for event, need in self._needs.items()
            if need and not need.keys & self._leaving
        }
        return search

    @property
    def order(self) -> Sequence[Pull]:
        """Every pull there is; those that are preferred come first."""
        return self.chosen(self._space.changing(~self._leaving) & self._left)

    @property
    def before(self) -> Traced:
        """The pipeline as it is; its requirement may be another one that is to survive as much."""
        return self._space.before

    def after(self, pulls: Pulls) -> Traced:
        """The pipeline with these pulls."""
        return self._space.after(pulls)

    def chosen(self, pulls: Pulls) -> tuple[Pull, ...]:
        """The pulls of a set; those that are preferred come first."""
        return self._space.chosen(pulls)

    def smallest(self) -> Pulls | None:
        """The pulls, or None if no set of them is enough. Always the same for one pipeline."""
        opened = {violation.event for violation in self.violations()}
        for event in self.events:
            if event.name in opened and not self.closes(event):
                return None
        return self.smallest_by_depth()

    def closes(self, event: FailureEvent) -> bool:
        """Whether some pulls close this event, were it the only one."""
        if event.name not in self._needs:
            alone = Search(self._space, (event,), self._forbids, self._leaving, self._trading)
            self._needs[event.name] = alone._need()
        return self._needs[event.name] is not None

    def _need(self) -> Need | None:
        """How many pulls these events take, and everything that they ever look at."""
        pulls = self.smallest_by_depth()
        if pulls is None:
            return None
        keys = self._looked_at
        return Need(keys, pulls.bit_count(), self._space.changing(keys))

    def smallest_by_depth(self) -> Pulls | None:
        pulls, size = None, 0
        self._cut = True
        # Where no branch ended for its size alone, a larger one finds nothing either.
        while pulls is None and self._cut:
            self._cut = False
            pulls = self._solve(0, size, self._left)
            size += 1
        return pulls

    def violations(self, pulls: Pulls = 0) -> list[Violation]:
        """What is still open after these pulls."""
        return [violation for violation, _ in self._look(pulls) if violation]

    def _look(self, pulls: Pulls) -> list[_Look]:
        """Every event after these pulls, most as one pull before: what did not read it stays."""
        looks = self._looks.get(pulls)
        if looks is None:
            last = one_more(pulls, self._looks)
            if not last:
                looks = [self._ask(event, pulls) for event in self.events]
            else:
                known = self._looks[pulls ^ last]
                changed = self._space.pull(last).keys
                looks = [
                    self._ask(event, pulls) if changed & look[1] else look
                    for event, look in zip(self.events, known, strict=True)
                ]
            self._looks[pulls] = looks
        return looks

    def _ask(self, event: FailureEvent, pulls: Pulls) -> _Look:
        assessed, reads = self._space.judged(event, pulls)
        if self._forbids.isdisjoint(assessed.permits):
            return None, reads
        return Violation(event.name, reads, self._space.changing(reads)), reads

    def refused(self, pulls: Pulls) -> bool:
        """Whether a client or a broker would refuse what these pulls make."""
        return self._space.refused(pulls)[0]

    def _solve(self, pulls: Pulls, budget: int, left: Pulls) -> Pulls | None:
        """`pulls` with at most `budget` more of those that are `left`."""
        violations = self.violations(pulls)
        changing = [left & violation.changing for violation in violations]
        for violation in violations:
            self._looked_at |= violation.reads
        if not violations:
            refused, clashing = self._space.refused(pulls)
            if not refused:
                return pulls
            self._looked_at |= clashing
            changing = [left & self._space.changing(clashing)]
        rows = min(changing, key=int.bit_count)
        if rows and (not budget or self._least(violations, changing, pulls, left) > budget):
            self._cut = True
            return None
        for pull in self.chosen(rows):
            others = left & ~self._space.changing(pull.keys)
            results = self._solve(pulls | pull.bit, budget - 1, others)
            if results is not None:
                return results
            # Every solution with this pull has been tried, so the others leave it out.
            left &= ~pull.bit
        return None

    def _least(
        self, violations: Sequence[Violation], changing: Sequence[Pulls], pulls: Pulls, left: Pulls
    ) -> int:
        """Changes that any solution still needs; `changing` are those of each violation.

        Violations without a common setting need one each, and as many as they need alone where
        nothing that they ever look at was changed.
        """
        needs = [self._needs.get(violation.event) for violation in violations]
        if len(violations) < 2 and not any(needs):
            return len(violations)
        single = [(pulls_of, 1) for pulls_of in changing]
        whole = [
            (left & need.changing, need.count) if need and not pulls & need.changing else one
            for one, need in zip(single, needs, strict=True)
        ]
        return max(_apart(single), _apart(whole))


def _apart(needs: Sequence[tuple[Pulls, int]]) -> int:
    """What needs without a common setting add up to, the narrowest taken first."""
    taken: Pulls = 0
    count = 0
    for pulls, most in sorted(needs, key=lambda need: need[0].bit_count() / need[1]):
        if not taken & pulls:
            count += most
            taken |= pulls
    return count
