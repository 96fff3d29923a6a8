"""How the recommended changes are made, and what they do to the numbers: for page and report."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from advisor.reasoning.levers import Restart
from advisor.reasoning.numbers import Number
from advisor.reasoning.recommend import Change

RESTARTS = {
    Restart.NOTHING: "Nothing restarts",
    Restart.PRODUCERS: "Restart the producers, one by one",
    Restart.CONSUMERS: "Restart the consumers, one by one",
    Restart.BROKERS: "Restart the brokers, one by one",
}

_PART = re.compile(r"(?:^|(?<=[.!?] ))([A-Z]\w+): (?!none\b)")
"""A part of a price as the levers write it: `Latency: …`; what costs nothing is not among them."""


@dataclass(frozen=True, slots=True)
class Step:
    """One change at its place; `after` names the changes of this list that come first."""

    number: int
    change: Change
    after: tuple[str, ...]

    @property
    def restart(self) -> str:
        """What has to be started again, in words."""
        return RESTARTS[self.change.procedure.restart]

    @property
    def paid_in(self) -> str:
        """In what its price is paid, as names: `latency, disk`; empty where it costs nothing."""
        return ", ".join(name.lower() for name in _PART.findall(self.change.price))


@dataclass(frozen=True, slots=True)
class Compared:
    """One number as described and as recommended; None where one of them has no such number."""

    title: str
    source: str
    before: Number | None
    after: Number | None

    @property
    def differs(self) -> bool:
        """Whether the changes move it."""
        values = [number and (number.value, number.unit) for number in (self.before, self.after)]
        return values[0] != values[1]


def in_order(changes: Iterable[Change]) -> tuple[Step, ...]:
    """The changes in an order in which they can be made: each after those that come first."""
    left, done = list(changes), list[Step]()
    named = {change.setting for change in left}
    while left:
        made = {step.change.setting for step in done}
        ready = (change for change in left if named & set(change.procedure.after) <= made)
        change = next(ready, left[0])  # a circle would be our mistake, and no reason to hang
        left.remove(change)
        after = tuple(name for name in change.procedure.after if name in named)
        done.append(Step(len(done) + 1, change, after))
    return tuple(done)


def compared(described: Iterable[Number], recommended: Iterable[Number]) -> tuple[Compared, ...]:
    """Every number of either pipeline, in their order."""
    before, after = ({number.name: number for number in some} for some in (described, recommended))
    return tuple(
        Compared(number.title, number.source, before.get(name), after.get(name))
        for name, number in {**before, **after}.items()
    )
