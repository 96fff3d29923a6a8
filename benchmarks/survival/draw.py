"""Draws what is done to a run; the same seed and number give the same.

Only what is drawn repeats. Where a process is in its work at that moment does not.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Literal, TypeVar

from tests.stack.victims import PHASES

Deed = Literal["kill", "kill two", "stop", "sleep", "few files", "disk full"]
"""`stop` is SIGSTOP and, `for_s` later, SIGCONT; `sleep` does that to every process at once, as
a machine that is suspended. `few files` takes a process the right to open one more file."""

DEEDS: dict[Deed, int] = {
    "kill": 45,
    "kill two": 20,
    "stop": 15,
    "sleep": 5,
    "few files": 8,
    "disk full": 7,
}
"""How many of a hundred blows are of which kind."""

CASES = {"plain-sink": 2, "commits-first": 2, "forgets": 2, "behind": 2}
"""Cases of `labs.calibration.cases` that are soon over, by weight; only the last has three
brokers."""

ARMS = {"good": 5, "bad": 2, "both": 1}

PARTS = {
    "supervisor": 1, "worker": 2, "web": 1, "redis": 2, "judge": 1, "spark": 2,
    "keeper": 2, "runner": 2, "broker": 3, "client": 3,
}  # fmt: skip
"""By weight, who is struck."""

_Name = TypeVar("_Name", bound=str)

LATEST_S = 4.0
STOPPED_S = (0.5, 25.0)


@dataclass(frozen=True, slots=True)
class Blow:
    """One run and what is done to it, `after_s` seconds after an arm has come to a phase."""

    number: int
    case: str
    arms: str
    deed: Deed
    parts: tuple[str, ...]
    phase: str
    after_s: float
    for_s: float


def draw(seed: int, number: int) -> Blow:
    """The blow of that number under that seed."""
    dice = random.Random(f"{seed}/{number}")  # noqa: S311 - repeatable on purpose
    deed = _one(dice, DEEDS)
    first = _one(dice, PARTS)
    second = _one(dice, {part: weight for part, weight in PARTS.items() if part != first})
    struck = {"kill two": (first, second), "sleep": (), "disk full": ()}
    return Blow(
        number, _one(dice, CASES), _one(dice, ARMS), deed, struck.get(deed, (first,)),
        dice.choice(PHASES), round(dice.uniform(0, LATEST_S), 2),
        0.0 if deed.startswith("kill") else round(dice.uniform(*STOPPED_S), 1),
    )  # fmt: skip


def _one(dice: random.Random, weights: dict[_Name, int]) -> _Name:
    return dice.choices(list(weights), list(weights.values()))[0]
