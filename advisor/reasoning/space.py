"""The pipelines to which changes lead, each made and asked once."""

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
    """One lever pulled to one value. `bit` is its own among the pulls of one pipeline, `keys` is
    its setting as a set. The lower `rank` is preferred, and of one setting the pull made first."""

    lever: Lever
    value: Value
    key: Key
    keys: Keys
    rank: int
    bit: Pulls


def pulled(pipeline: Pipeline, pulls: Iterable[Pull]) -> Pipeline:
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


def _bits(bits: int) -> Iterator[int]:
    """The bits of a number, each by itself."""
    while bits:
        bit = bits & -bits
        yield bit
        bits ^= bit


def one_more(pulls: Pulls, container: Container[Pulls]) -> Pulls:
    """The pull by which these are more than others that are known already; 0 if there is none."""
    return next((bit for bit in _bits(pulls) if pulls ^ bit in container), 0)


_LEVERS = {BIT[lever.component, lever.setting]: (rank, lever) for rank, lever in enumerate(ALL)}
"""The lever of each setting, with its rank: the lower, the more it is preferred."""

_LEVERED: Keys = sum(_LEVERS)
"""Every setting that has a lever."""

_TRADED = [key for key, (_, lever) in _LEVERS.items() if lever.trades is not no_values]
"""Those of which a lever may give up a message."""


class Space:
    """The pipelines that pulls lead to from one, each made and asked once.

    Good for every requirement that wants to survive as many brokers as this one.
    """

    def __init__(self, before: Pipeline) -> None:
        self.before = Traced.of(before)
        self._pulls: list[Pull] = []
        self._made: dict[Pulls, Traced] = {0: self.before}
        self._known: defaultdict[str, dict[Pulls, tuple[Any, Keys]]] = defaultdict(dict)
        self._changing: dict[Keys, Pulls] = {}
        self._traded: Pulls = 0
        self._chosen: dict[Pulls, tuple[Pull, ...]] = {}
        self._of_settings: dict[Keys, Pulls] = {}

    def requiring(self, requirement: Requirement) -> Space:
        """The same pipelines where something else is needed."""
        return Space(self.before.requiring(requirement))

    def changing(self, keys: Keys) -> Pulls:
        """The pulls that change one of these settings."""
        keys &= _LEVERED
        pulls = self._changing.get(keys)
        if pulls is None:
            pulls = 0
            for bit in _bits(keys):
                pulls |= self._of_setting(bit)
            self._changing[keys] = pulls
        return pulls

    def _of_setting(self, keys: Keys) -> Pulls:
        """The pulls that change this one setting, which are looked up when they first matter."""
        pulls = self._of_settings.get(keys)
        if pulls is None:
            rank, lever = _LEVERS[keys]
            key = (lever.component, lever.setting)
            pulls = 0
            traded = lever.trades(self.before)
            for value in (*lever.targets(self.before), *traded):
                pull = Pull(lever, value, key, keys, rank, 1 << len(self._pulls))
                self._pulls.append(pull)
                pulls |= pull.bit
                self._traded |= pull.bit if value in traded else 0
            self._of_settings[keys] = pulls
        return pulls

    def trades(self) -> Pulls:
        """The pulls that give up a message where another one would repeat it."""
        for keys in _TRADED:
            self._of_setting(keys)
        return self._traded

    def pull(self, bit: Pulls) -> Pull:
        """The pull of a set of one."""
        return self._pulls[bit.bit_length() - 1]

    def chosen(self, pulls: Pulls) -> tuple[Pull, ...]:
        """The pulls of a set; those that are preferred come first."""
        chosen = self._chosen.get(pulls)
        if chosen is None:
            unsorted = map(self.pull, _bits(pulls))
            chosen = self._chosen[pulls] = tuple(sorted(unsorted, key=attrgetter("rank")))
        return chosen

    def judged(self, event: FailureEvent, pulls: Pulls) -> tuple[EventAssessment, Keys]:
        """What an event may do after these pulls, and the settings that this was said of."""
        entries = self._known[event.name].get(pulls)
        return entries or self._cached(event.name, lambda after: after.judged(event), pulls)

    def refused(self, pulls: Pulls) -> tuple[bool, Keys]:
        """Whether these pulls make what a product refuses, what spends the last replica, or that
        with which nothing works any more; and the settings that this was said of."""
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
        """A pull of what an answer does not read changes nothing: so a question is asked once
        for each set of pulls that its answer reads."""
        known = self._known[question]
        entries = known.get(pulls)
        read: Pulls = 0
        while entries is None:
            kept = known.get(read)
            if kept is None:
                kept = known[read] = ask(self.after(read))
            more, keys = read, kept[1]
            for pull in self.chosen(pulls):
                if pull.keys & keys:
                    more |= pull.bit
            if more == read:
                entries = known[pulls] = kept
            read = more
        return entries

    def after(self, pulls: Pulls) -> Traced:
        """The pipeline with these pulls; it knows what one with a pull less knew."""
        if pulls not in self._made:
            bit = one_more(pulls, self._made) or next(_bits(pulls))
            last = self.pull(bit)
            self._made[pulls] = self.after(pulls ^ bit).with_setting(*last.key, last.value)
        return self._made[pulls]
