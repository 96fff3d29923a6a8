"""The exact search for the fewest changes that leave nothing forbidden.

A violation (an event that permits something forbidden) can only go away through a setting that
its judgement reads. So every solution holds a change of one of those: the search branches over
them, at the violation with the fewest ways out, and deepens by size until one is enough.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from advisor.catalog import Component, Family, Value
from advisor.reasoning.behaviour.replication import Replication, short_of_copies
from advisor.reasoning.behaviour.streams import Streams
from advisor.reasoning.event import FailureEvent
from advisor.reasoning.failures import events_for
from advisor.reasoning.failures.offsets_topic_lost import MINIMUM as OFFSETS_MINIMUM
from advisor.reasoning.failures.offsets_topic_lost import NAME as OFFSETS
from advisor.reasoning.failures.transaction_log_lost import FACTOR as TRANSACTIONS
from advisor.reasoning.failures.transaction_log_lost import MINIMUM as TRANSACTIONS_MINIMUM
from advisor.reasoning.guarantees import Anomaly, Requirement
from advisor.reasoning.judgement import Assessed
from advisor.reasoning.levers import Lever, levers
from advisor.reasoning.obstacle import blocked
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.trace import Key, Traced
from advisor.reasoning.wish import forbidden

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, eq=False)
class Pull:
    """One lever pulled to one value. A search makes each of its own once: identity will do."""

    lever: Lever
    value: Value
    key: Key


@dataclass(frozen=True, slots=True)
class Violation:
    """An event that permits something forbidden, and the settings that this depends on."""

    event: str
    reads: frozenset[Key]


_Look = tuple[Violation | None, frozenset[Key]]
"""What is wrong with an event, if anything is, and the settings that this was said of."""


@dataclass(frozen=True, slots=True)
class Need:
    """How many changes of these settings an event takes, were it the only one.

    Among them are the changes without which a product would refuse the others.
    """

    keys: frozenset[Key]
    count: int


Pulls = frozenset[Pull]
_NOTHING: Pulls = frozenset()


def pulled(pipeline: Pipeline, pulls: Pulls) -> Pipeline:
    """The pipeline with these changes."""
    for pull in sorted(pulls, key=lambda pull: pull.key):
        pipeline = pipeline.with_setting(*pull.key, pull.value)
    return pipeline


def spends_last_replica(before: Pipeline, after: Pipeline) -> bool:
    """Whether a change leaves no replica of a topic to spare for writes (finding T003), where there
    were some and the cluster has a broker for one more."""
    return any(
        now <= 0 < then and short_of_copies(after, copies)
        for (then, _), (now, copies) in zip(_spares(before), _spares(after), strict=True)
    )


_OF_KAFKA = (
    (OFFSETS, Component.APPLICATION, OFFSETS_MINIMUM),
    (TRANSACTIONS, Component.BROKER, TRANSACTIONS_MINIMUM),
)
"""The copies of topics of Kafka's own, and where their minimum is stated."""


def _spares(pipeline: Pipeline) -> list[tuple[int, int]]:
    """How many copies may be away while writes go on, and how many there are: of the topic, and of
    those that Kafka and Kafka Streams have of their own."""
    topic = Replication(pipeline)
    spares = [(topic.spares, topic.factor)]
    if pipeline.family is Family.STREAMS:
        streams = Streams(pipeline)
        copies = streams.internal_factor
        spares.append((copies - streams.internal_min_isr, copies))
    for factor, component, least in _OF_KAFKA if pipeline.family is not Family.SPARK else ():
        copies = pipeline.number(Component.BROKER, factor)
        spares.append((copies - pipeline.number(component, least), copies))
    return spares


def _one_more(pulls: Pulls, container: Container[Pulls]) -> Pull | None:
    """The pull by which these are more than others that are known already, if there is one."""
    return next((pull for pull in pulls if pulls - {pull} in container), None)


class Space:
    """The pipelines that pulls lead to from one, each made and asked once.

    Good for every requirement that wants to survive as many brokers as this one.
    """

    def __init__(self, before: Pipeline) -> None:
        self.before = Traced.of(before)
        self.order = [
            Pull(lever, value, (lever.component, lever.setting))
            for lever, values in levers(self.before)
            for value in values
        ]
        self._made: dict[Pulls, Traced] = {_NOTHING: self.before}
        self._known: dict[tuple[str, Pulls], tuple[Any, frozenset[Key]]] = {}

    def requiring(self, requirement: Requirement) -> Space:
        """The same pipelines where something else is needed."""
        return Space(self.before.requiring(requirement))

    def judged(self, event: FailureEvent, pulls: Pulls) -> tuple[Assessed, frozenset[Key]]:
        """What an event may do after these pulls, and the settings that this was said of."""
        return self._cached(event.name, lambda after: after.judged(event), pulls)

    def refused(self, pulls: Pulls) -> tuple[bool, frozenset[Key]]:
        """Whether these pulls make what a product refuses, what spends the last replica, or that
        with which nothing works any more; and the settings that this was said of."""
        every = frozenset[Key]()
        for question, ask in (
            ("refused", Traced.refused), ("spent", self._spends), ("works", self._obstructs),
        ):  # fmt: skip
            refused, reads = self._cached(question, ask, pulls)
            if refused:
                return True, reads
            every |= reads
        return False, every

    def _spends(self, after: Traced) -> tuple[bool, frozenset[Key]]:
        return after.ask(lambda pipeline: spends_last_replica(self.before, pipeline))

    def _obstructs(self, after: Traced) -> tuple[bool, frozenset[Key]]:
        results, reads = after.ask(blocked)
        return bool(results) and not blocked(self.before), reads

    def _cached(
        self, question: str, ask: Callable[[Traced], tuple[_T, frozenset[Key]]], pulls: Pulls
    ) -> tuple[_T, frozenset[Key]]:
        """A pull of what an answer does not read changes nothing: so a question is asked once
        for each set of pulls that its answer reads."""
        entries = self._known.get((question, pulls))
        read = _NOTHING
        while entries is None:
            known = self._known.get((question, read))
            if known is None:
                known = self._known[question, read] = ask(self.after(read))
            more = frozenset([pull for pull in pulls if pull.key in known[1]])
            if more <= read:
                entries = self._known[question, pulls] = known
            read |= more
        return entries

    def after(self, pulls: Pulls) -> Traced:
        """The pipeline with these pulls; it knows what one with a pull less knew."""
        if pulls not in self._made:
            last = _one_more(pulls, self._made) or next(iter(pulls))
            self._made[pulls] = self.after(pulls - {last}).with_setting(*last.key, last.value)
        return self._made[pulls]


class Search:
    """Finds the fewest pulls that leave none of some events with a violation."""

    def __init__(
        self,
        space: Space,
        events: Sequence[FailureEvent],
        forbids: frozenset[Anomaly],
        leaving: frozenset[Key] = frozenset(),
    ) -> None:
        """`forbids` is what must not be possible, `leaving` are settings that stay as they are."""
        self.events = events
        self._space = space
        self._forbids = forbids
        self._leaving = leaving
        self._looks: dict[Pulls, list[_Look]] = {}
        self._needs: dict[str, Need | None] = {}
        self._looked_at: set[Key] = set()
        self._cut = False
        self._order = [pull for pull in space.order if pull.key not in leaving]

    @classmethod
    def of(
        cls,
        pipeline: Pipeline,
        space: Space | None = None,
        leaving: frozenset[Key] = frozenset(),
    ) -> Search:
        """For what the pipeline's requirement forbids, in each event that counts."""
        space = space or Space(pipeline)
        before = space.before.requiring(pipeline.requirement)
        # A sink that knows its messages makes repeats harmless; one that is only proposed does
        # not stand in for the settings that keep them away.
        events = [event for event in events_for(before) if event.in_scope(before)]
        return cls(space, events, forbidden(before), leaving)

    def with_every_setting(self) -> Search:
        """The same search in which no setting has to stay as it is.

        What an event takes is known where nobody looked at a setting that stayed.
        """
        search = Search(self._space, self.events, self._forbids)
        search._looks = self._looks
        search._needs = {
            event: need
            for event, need in self._needs.items()
            if need and need.keys.isdisjoint(self._leaving)
        }
        return search

    @property
    def order(self) -> Sequence[Pull]:
        """Every pull there is; those that are preferred come first."""
        return self._order

    @property
    def before(self) -> Traced:
        """The pipeline as it is; its requirement may be another one that is to survive as much."""
        return self._space.before

    def after(self, pulls: Pulls) -> Traced:
        """The pipeline with these pulls."""
        return self._space.after(pulls)

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
            alone = Search(self._space, (event,), self._forbids, self._leaving)
            self._needs[event.name] = alone._need()
        return self._needs[event.name] is not None

    def _need(self) -> Need | None:
        """How many pulls these events take, and everything that they ever look at."""
        pulls = self.smallest_by_depth()
        return None if pulls is None else Need(frozenset(self._looked_at), len(pulls))

    def smallest_by_depth(self) -> Pulls | None:
        for size in range(len(self.order) + 1):
            self._cut = False
            pulls = self._solve(_NOTHING, size, _NOTHING)
            # Where no branch ended for its size alone, a larger one finds nothing either.
            if pulls is not None or not self._cut:
                return pulls
        return None

    def violations(self, pulls: Pulls = _NOTHING) -> list[Violation]:
        """What is still open after these pulls."""
        return [violation for violation, _ in self._look(pulls) if violation]

    def _look(self, pulls: Pulls) -> list[_Look]:
        """Every event after these pulls, most as one pull before: what did not read it stays."""
        looks = self._looks.get(pulls)
        if looks is None:
            last = _one_more(pulls, self._looks)
            if last is None:
                looks = [self._ask(event, pulls) for event in self.events]
            else:
                looks = [
                    self._ask(event, pulls) if last.key in look[1] else look
                    for event, look in zip(self.events, self._looks[pulls - {last}], strict=True)
                ]
            self._looks[pulls] = looks
        return looks

    def _ask(self, event: FailureEvent, pulls: Pulls) -> _Look:
        assessed, reads = self._space.judged(event, pulls)
        if self._forbids.isdisjoint(assessed.permits):
            return None, reads
        return Violation(event.name, reads), reads

    def refused(self, pulls: Pulls) -> bool:
        """Whether a client or a broker would refuse what these pulls make."""
        return self._space.refused(pulls)[0]

    def _solve(self, pulls: Pulls, budget: int, tried: Pulls) -> Pulls | None:
        """`pulls` with at most `budget` more, none of a setting already changed or in `tried`."""
        changed = {pull.key for pull in pulls}
        left = [pull for pull in self.order if pull.key not in changed and pull not in tried]
        violations = self.violations(pulls)
        reads = [violation.reads for violation in violations]
        if not reads:
            refused, clashing = self._space.refused(pulls)
            if not refused:
                return pulls
            reads = [clashing]
        self._looked_at.update(*reads)
        rows = min(
            ([pull for pull in left if pull.key in components] for components in reads), key=len
        )
        if rows and max(1, self._least(violations, changed, left)) > budget:
            self._cut = True
            return None
        for pull in rows:
            results = self._solve(pulls | {pull}, budget - 1, tried)
            if results is not None:
                return results
            # Every solution with this pull has been tried, so the others leave it out.
            tried |= {pull}
        return None

    def _least(
        self, violations: Sequence[Violation], changed: set[Key], left: Sequence[Pull]
    ) -> int:
        """Changes that any solution still needs.

        Violations without a common setting need one each, and as many as they need alone where
        nothing that they ever look at was changed.
        """
        keys = {pull.key for pull in left}
        single = [Need(violation.reads & keys, 1) for violation in violations]
        needs = [self._needs.get(violation.event) for violation in violations]
        whole = [
            Need(need.keys & keys, need.count) if need and need.keys.isdisjoint(changed) else one
            for one, need in zip(single, needs, strict=True)
        ]
        return max(_apart(single), _apart(whole))


def _apart(needs: Sequence[Need]) -> int:
    """What needs without a common setting add up to, the narrowest taken first."""
    taken: set[Key] = set()
    count = 0
    for need in sorted(needs, key=lambda need: len(need.keys) / need.count):
        if taken.isdisjoint(need.keys):
            count += need.count
            taken |= need.keys
    return count
