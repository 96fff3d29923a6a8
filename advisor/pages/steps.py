"""The steps of the recommended changes, and their effect on the numbers: for page and report."""

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
"""A part of a price as the levers write it: `Latency: …`; parts without a cost are omitted."""


@dataclass(frozen=True, slots=True)
class Step:
    """One change with its number; `after` names the changes of this list that must come first."""

    number: int
    change: Change
    after: tuple[str, ...]

    @property
    def restart(self) -> str:
        """What must be restarted, in words."""
        return RESTARTS[self.change.procedure.restart]

    @property
    def paid_in(self) -> str:
        """The kinds of its price: `latency, disk`; empty if it costs nothing."""
        return ", ".join(name.lower() for name in _PART.findall(self.change.price))


@dataclass(frozen=True, slots=True)
class Compared:
    """One number before and after the changes; None if one of the pipelines does not have it."""

    title: str
    source: str
    before: Number | None
    after: Number | None

    @property
    def differs(self) -> bool:
        """Whether the changes affect the number."""
        values = [number and (number.value, number.unit) for number in (self.before, self.after)]
        return values[0] != values[1]


def in_order(changes: Iterable[Change]) -> tuple[Step, ...]:
    """Returns the changes in a possible order: each after those that must come first."""
    remaining, ordered = list(changes), list[Step]()
    changed_settings = {change.setting for change in remaining}
    while remaining:
        changed = {step.change.setting for step in ordered}
        ready = (
            change
            for change in remaining
            if changed_settings & set(change.procedure.after) <= changed
        )
        change = next(ready, remaining[0])  # a circle would be our mistake, and no reason to hang
        remaining.remove(change)
        after = tuple(name for name in change.procedure.after if name in changed_settings)
        ordered.append(Step(len(ordered) + 1, change, after))
    return tuple(ordered)


def compared(described: Iterable[Number], recommended: Iterable[Number]) -> tuple[Compared, ...]:
    """Returns every number of either pipeline, in their order."""
    before, after = ({number.name: number for number in some} for some in (described, recommended))
    return tuple(
        Compared(number.title, number.source, before.get(name), after.get(name))
        for name, number in {**before, **after}.items()
    )
