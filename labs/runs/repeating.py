"""Repeats an experiment until the rate of an anomaly that was not seen has an upper bound."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from advisor.reasoning.plural import counted
from labs.calibration.bound import bound_in_words, runs_for
from labs.engine.plan.spec import ExperimentSpec

MOST_UNKNOWN = 10
"""The number of successive `unknown` verdicts after which an arm is given up."""


@dataclass(slots=True)
class Tally:
    """The verdicts of the runs of one arm."""

    name: str
    holds: int = 0
    broken: int = 0
    unknown: int = 0
    in_a_row: int = 0
    """The number of `unknown` verdicts since the last other one."""

    def take(self, verdict: str) -> None:
        """Counts one run."""
        self.holds += verdict == "holds"
        self.broken += verdict == "broken"
        unknown = verdict not in ("holds", "broken")
        self.unknown += unknown
        self.in_a_row = self.in_a_row + 1 if unknown else 0

    def open(self, needed: int) -> bool:
        """Whether more runs could bound the arm; after a broken run there is nothing to bound."""
        return not self.broken and self.holds < needed and self.in_a_row < MOST_UNKNOWN

    @property
    def result(self) -> str:
        """In how many runs it was broken, and the bound of their share if it never was."""
        runs = self.holds + self.broken
        bound = "" if self.broken or not runs else f": {bound_in_words(runs)}"
        unknown = f"; {self.unknown} unknown, which say nothing" if self.unknown else ""
        return f"broken in {self.broken} of {counted(runs, 'run')}{bound}{unknown}"

    def __str__(self) -> str:
        return f"{self.name}: {self.result}"


def until_bound(
    spec: ExperimentSpec,
    share: float,
    seconds: float,
    run: Callable[[ExperimentSpec], dict[str, Any]],
) -> list[Tally]:
    """Repeats it with its seed and the following seeds until each arm is broken or bounded.

    A bounded arm was never broken, in enough runs that the share of broken runs is at most `share`
    with 95 % confidence. No run begins after `seconds`; a run in progress is completed.
    """
    needed = runs_for(share)
    tallies = {arm.name: Tally(arm.name) for arm in spec.arms}
    until = time.monotonic() + seconds
    for seed in count(spec.seed):
        arms = tuple(arm for arm in spec.arms if tallies[arm.name].open(needed))
        if not arms or time.monotonic() >= until:
            break
        for data in run(replace(spec, seed=seed, arms=arms))["arms"]:
            tallies[data["name"]].take(data["verdict"])
    return list(tallies.values())


def unbounded(tallies: list[Tally], share: float) -> list[Tally]:
    """Returns the arms without a bound and without a broken run."""
    needed = runs_for(share)
    return [tally for tally in tallies if not tally.broken and tally.holds < needed]
