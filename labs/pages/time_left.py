"""When a run that goes on has its verdict, in words, counted by the stages of its arms: pure."""

from __future__ import annotations

import math
from collections.abc import Collection
from heapq import heappush, heapreplace

from labs.pages.pace import Pace


def time_left(arms: Collection[Pace]) -> str:
    """The words for the arms that are not done; where one is late, in what and for how long."""
    if not arms:
        return "it ends in a moment"
    waiting = sum(arm.waits for arm in arms)
    left = f"about {max(math.ceil(until_verdict_s(arms)), 1)} s"
    if waiting == len(arms):
        return f"{_wait(waiting)} for a place on this machine; {left} from then on"
    why = f", because {_wait(waiting)} for a place on this machine" if waiting else ""
    late = max((arm for arm in arms if arm.late), key=lambda arm: arm.spent_s, default=None)
    if late is None:
        return f"{left} left{why}"
    # The end of an overdue phase is unknown; what comes after it, and the other arms, are known.
    after = f"; at least {left.removeprefix('about ')} left{why}" if until_verdict_s(arms) else ""
    usual_s = math.ceil(late.usual_s)
    return f"{late.words.lower()} for {late.spent_s:.0f} s, usually about {usual_s} s{after}"


def until_verdict_s(arms: Collection[Pace]) -> float:
    """Seconds to the last verdict, if each arm that waits gets the place of the next that ends."""
    ends = sorted(arm.left_s for arm in arms if not arm.waits)
    for arm in arms:
        if arm.waits and ends:
            heapreplace(ends, ends[0] + arm.left_s)
    if not ends:  # whose place they get is not known, nor whether one by one
        heappush(ends, max(arm.left_s for arm in arms))
    return max(ends)


def _wait(arms: int) -> str:
    return "an arm waits" if arms == 1 else f"{arms} arms wait"
