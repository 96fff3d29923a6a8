"""The time until a running experiment has its verdicts, in words, from its arms' paces. Pure."""

from __future__ import annotations

import math
from collections.abc import Collection
from heapq import heappush, heapreplace

from labs.pages.pace import Pace


def time_left(arms: Collection[Pace]) -> str:
    """Returns the remaining time for these arms, in words; if one is late, also its phase."""
    if not arms:
        return "it ends in a moment"
    waiting = sum(arm.waits for arm in arms)
    remaining = f"about {max(math.ceil(until_verdict_s(arms)), 1)} s"
    if waiting == len(arms):
        return f"{_wait(waiting)} for a place on this machine; {remaining} from then on"
    reason = f", because {_wait(waiting)} for a place on this machine" if waiting else ""
    late = max((arm for arm in arms if arm.late), key=lambda arm: arm.spent_s, default=None)
    if late is None:
        return f"{remaining} left{reason}"
    # The end of an overdue phase is unknown; what comes after it, and the other arms, are known.
    after = (
        f"; at least {remaining.removeprefix('about ')} left{reason}"
        if until_verdict_s(arms)
        else ""
    )
    usual_s = math.ceil(late.usual_s)
    return f"{late.words.lower()} for {late.spent_s:.0f} s, usually about {usual_s} s{after}"


def until_verdict_s(arms: Collection[Pace]) -> float:
    """Returns the seconds to the last verdict if each waiting arm gets the next free place."""
    ends = sorted(arm.remaining_s for arm in arms if not arm.waits)
    for arm in arms:
        if arm.waits and ends:
            heapreplace(ends, ends[0] + arm.remaining_s)
    if not ends:  # it is unknown whose place they get, and whether one after the other
        heappush(ends, max(arm.remaining_s for arm in arms))
    return max(ends)


def _wait(arms: int) -> str:
    return "an arm waits" if arms == 1 else f"{arms} arms wait"
