"""The pipelines that changes lead to, each created and judged only once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, TypeVar

from advisor.catalog import Component, Family, Value
from advisor.reasoning.behaviour.replication import Replication, short_of_copies
from advisor.reasoning.behaviour.streams import Streams
from advisor.reasoning.event import FailureEvent
from advisor.reasoning.failures.offsets_topic_lost import MINIMUM as OFFSETS_MINIMUM
from advisor.reasoning.failures.offsets_topic_lost import NAME as OFFSETS
from advisor.reasoning.failures.transaction_log_lost import FACTOR as TRANSACTIONS
from advisor.reasoning.failures.transaction_log_lost import MINIMUM as TRANSACTIONS_MINIMUM
from advisor.reasoning.guarantees import Requirement
from advisor.reasoning.judgement import EventAssessment
from advisor.reasoning.keys import BIT, Key, Keys
from advisor.reasoning.levers import ALL, Lever
from advisor.reasoning.levers.lever import no_values
from advisor.reasoning.obstacle import blocked
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.trace import Traced

_T = TypeVar("_T")

Pulls = int
"""A set of pulls: the sum of their bits."""


@dataclass(frozen=True, slots=True, eq=False)
class Pull:
    """One lever pulled to one value.

    `bit` identifies it among the pulls of one pipeline; `keys` is the set of its setting. The lower
    `rank` is preferred and, for the same setting, the pull created first.
    """

    lever: Lever
    value: Value
    key: Key
    keys: Keys
    rank: int
    bit: Pulls


def pulled(pipeline: Pipeline, pulls: Iterable[Pull]) -> Pipeline:
    """Returns the pipeline with these changes."""
    for pull in sorted(pulls, key=lambda pull: pull.key):
        pipeline = pipeline.with_setting(*pull.key, pull.value)
    return pipeline


def spends_last_replica(before: Pipeline, after: Pipeline) -> bool:
    """Whether a change leaves no replica of a topic to spare for writes (finding T003), although
    there was one and the cluster has a broker for one more."""
    return any(
        spares_after <= 0 < spares_before and short_of_copies(after, copies)
        for (spares_before, _), (spares_after, copies) in zip(
            _spares(before), _spares(after), strict=True
        )
    )


_INTERNAL_TOPICS = (
    (OFFSETS, Component.APPLICATION, OFFSETS_MINIMUM),
    (TRANSACTIONS, Component.BROKER, TRANSACTIONS_MINIMUM),
)
"""The settings of the copies and of the minimum of Kafka's internal topics."""


def _spares(pipeline: Pipeline) -> list[tuple[int, int]]:
    """Returns how many copies may be away while writes continue, and how many there are: for the
    topic, and for the internal topics of Kafka and Kafka Streams."""
    topic = Replication(pipeline)
    spares = [(topic.spares, topic.factor)]
    if pipeline.family is Family.STREAMS:
        streams = Streams(pipeline)
        copies = streams.internal_factor
        spares.append((copies - streams.internal_min_isr, copies))
    for factor, component, least in _INTERNAL_TOPICS if pipeline.family is not Family.SPARK else ():
        copies = pipeline.number(Component.BROKER, factor)
        spares.append((copies - pipeline.number(component, least), copies))
    return spares


def _bits(bits: int) -> Iterator[int]:
    """Yields the bits of a number, lowest first."""
    while bits:
        bit = bits & -bits
        yield bit
        bits ^= bit


def one_more(pulls: Pulls, container: Container[Pulls]) -> Pulls:
    """Returns a pull without which the others are in the container; 0 if there is none."""
    return next((bit for bit in _bits(pulls) if pulls ^ bit in container), 0)


_LEVERS = {BIT[lever.component, lever.setting]: (rank, lever) for rank, lever in enumerate(ALL)}
"""The lever of each setting, with its rank; lower ranks are preferred."""

_KEYS: Keys = sum(_LEVERS)
"""Every setting that has a lever."""

_TRADING_KEYS = [key for key, (_, lever) in _LEVERS.items() if lever.trades is not no_values]
"""Settings whose lever may give up a message."""


class Space:
    """The pipelines that pulls lead to from one pipeline, each created and judged only once.

    It is valid for every requirement with the same `survive`.
    """

    def __init__(self, before: Pipeline) -> None:
        self.before = Traced.of(before)
        self._pulls: list[Pull] = []
        self._pipelines: dict[Pulls, Traced] = {0: self.before}
        self._answers: defaultdict[str, dict[Pulls, tuple[Any, Keys]]] = defaultdict(dict)
        self._changing: dict[Keys, Pulls] = {}
        self._trades: Pulls = 0
        self._chosen: dict[Pulls, tuple[Pull, ...]] = {}
        self._by_setting: dict[Keys, Pulls] = {}

    def requiring(self, requirement: Requirement) -> Space:
        """Returns the space of the pipeline with another requirement."""
        return Space(self.before.requiring(requirement))

    def changing(self, keys: Keys) -> Pulls:
        """Returns the pulls that change one of these settings."""
        keys &= _KEYS
        pulls = self._changing.get(keys)
        if pulls is None:
            pulls = 0
            for bit in _bits(keys):
                pulls |= self._pulls_of(bit)
            self._changing[keys] = pulls
        return pulls

    def _pulls_of(self, keys: Keys) -> Pulls:
        """Returns the pulls that change one setting, which are created when first needed."""
        pulls = self._by_setting.get(keys)
        if pulls is None:
            rank, lever = _LEVERS[keys]
            key = (lever.component, lever.setting)
            pulls = 0
            trades = lever.trades(self.before)
            for value in (*lever.targets(self.before), *trades):
                pull = Pull(lever, value, key, keys, rank, 1 << len(self._pulls))
                self._pulls.append(pull)
                pulls |= pull.bit
                self._trades |= pull.bit if value in trades else 0
            self._by_setting[keys] = pulls
        return pulls

    def trades(self) -> Pulls:
        """Returns the pulls that give up a message where another pull would repeat it."""
        for keys in _TRADING_KEYS:
            self._pulls_of(keys)
        return self._trades

    def pull(self, bit: Pulls) -> Pull:
        """Returns the pull of a set with one element."""
        return self._pulls[bit.bit_length() - 1]

    def chosen(self, pulls: Pulls) -> tuple[Pull, ...]:
        """Returns the pulls of a set, in the order of preference."""
        chosen = self._chosen.get(pulls)
        if chosen is None:
            unsorted = map(self.pull, _bits(pulls))
            chosen = self._chosen[pulls] = tuple(sorted(unsorted, key=attrgetter("rank")))
        return chosen

    def judged(self, event: FailureEvent, pulls: Pulls) -> tuple[EventAssessment, Keys]:
        """Returns the assessment of an event after these pulls, and the settings that it read."""
        answer = self._answers[event.name].get(pulls)
        return answer or self._cached(event.name, lambda after: after.judged(event), pulls)

    def refused(self, pulls: Pulls) -> tuple[bool, Keys]:
        """Returns whether these pulls are excluded, and the settings that this depends on.

        They are if a product refuses the result, if they spend the last spare replica, or if
        nothing works any more.
        """
        every: Keys = 0
        for question, ask in (
            ("refused", Traced.refused), ("spent", self._spends), ("works", self._obstructs),
        ):  # fmt: skip
            refused, reads = self._cached(question, ask, pulls)
            if refused:
                return True, reads
            every |= reads
        return False, every

    def _spends(self, after: Traced) -> tuple[bool, Keys]:
        return after.ask(lambda pipeline: spends_last_replica(self.before, pipeline))

    def _obstructs(self, after: Traced) -> tuple[bool, Keys]:
        results, reads = after.ask(blocked)
        return bool(results) and not blocked(self.before), reads

    def _cached(
        self, question: str, ask: Callable[[Traced], tuple[_T, Keys]], pulls: Pulls
    ) -> tuple[_T, Keys]:
        """Returns a cached answer. A pull of a setting that an answer does not read cannot change
        it, so each question is computed once per set of pulls that its answer reads."""
        answers = self._answers[question]
        answer = answers.get(pulls)
        relevant: Pulls = 0
        while answer is None:
            candidate = answers.get(relevant)
            if candidate is None:
                candidate = answers[relevant] = ask(self.after(relevant))
            more, keys = relevant, candidate[1]
            for pull in self.chosen(pulls):
                if pull.keys & keys:
                    more |= pull.bit
            if more == relevant:
                answer = answers[pulls] = candidate
            relevant = more
        return answer

    def after(self, pulls: Pulls) -> Traced:
        """Returns the pipeline with these pulls, which reuses the answers of one with a pull
        less."""
        if pulls not in self._pipelines:
            bit = one_more(pulls, self._pipelines) or next(_bits(pulls))
            last = self.pull(bit)
            self._pipelines[pulls] = self.after(pulls ^ bit).with_setting(*last.key, last.value)
        return self._pipelines[pulls]
