"""Draws what is done to a run; the same seed and number give the same blow.

Only the drawn values repeat, not the exact state of a process at that moment.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Literal, TypeVar

from tests.stack.victims import PHASES

Deed = Literal["kill", "kill two", "stop", "sleep", "few files", "disk full"]
"""`stop` is SIGSTOP and, `for_s` later, SIGCONT; `sleep` does this to all processes, like a
suspended machine. `few files` lets a process open no more files."""

DEEDS: dict[Deed, int] = {
    "kill": 45,
    "kill two": 20,
    "stop": 15,
    "sleep": 5,
    "few files": 8,
    "disk full": 7,
}
"""The percentage of blows of each kind."""

CASES = {"plain-sink": 2, "commits-first": 2, "forgets": 2, "behind": 2}
"""Short cases of `labs.calibration.cases`, with weights; only the last one has three brokers."""

ARMS = {"good": 5, "bad": 2, "both": 1}

PARTS = {
    "supervisor": 1, "worker": 2, "web": 1, "redis": 2, "judge": 1, "spark": 2,
    "keeper": 2, "runner": 2, "broker": 3, "client": 3,
}  # fmt: skip
"""The parts that may be struck, with weights."""

_Name = TypeVar("_Name", bound=str)

LATEST_S = 4.0
STOPPED_S = (0.5, 25.0)


@dataclass(frozen=True, slots=True)
class Blow:
    """One run and what is done to it, `after_s` seconds after an arm has reached a phase."""

    number: int
    case: str
    arms: str
    deed: Deed
    parts: tuple[str, ...]
    phase: str
    after_s: float
    for_s: float


def draw(seed: int, number: int) -> Blow:
    """The blow of this number under this seed."""
    dice = random.Random(f"{seed}/{number}")  # noqa: S311 - repeatable on purpose
    deed = _choose(dice, DEEDS)
    first = _choose(dice, PARTS)
    second = _choose(dice, {part: weight for part, weight in PARTS.items() if part != first})
    struck = {"kill two": (first, second), "sleep": (), "disk full": ()}
    return Blow(
        number, _choose(dice, CASES), _choose(dice, ARMS), deed, struck.get(deed, (first,)),
        dice.choice(PHASES), round(dice.uniform(0, LATEST_S), 2),
        0.0 if deed.startswith("kill") else round(dice.uniform(*STOPPED_S), 1),
    )  # fmt: skip


def _choose(dice: random.Random, weights: dict[_Name, int]) -> _Name:
    return dice.choices(list(weights), list(weights.values()))[0]
