"""The waits of a visitor for a run: for its verdict, and for the next news."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

_LINE_EVENTS = ("phase", "fault", "arm", "error")
"""Events that the page shows as a line; of a sample, it shows the numbers if they changed."""


_LOAD_A_CORE = 4.0
"""The processes of an experiment account for half of this on two cores."""


def is_telling() -> bool:
    """Whether a wait measured now is representative: the machine has little other work."""
    return os.getloadavg()[0] <= _LOAD_A_CORE * (os.cpu_count() or 1)


@dataclass(frozen=True, slots=True)
class Wait:
    """The waits of an arm, in seconds: `verdict_s` from the boot of the brokers to the verdict, and
    `news_s`, the longest time in between without news on the page."""

    verdict_s: float = 0.0
    news_s: float = 0.0

    def longer(self, other: Wait) -> Wait:
        """Returns the longer of each of the two waits."""
        longest = max(self.verdict_s, other.verdict_s), max(self.news_s, other.news_s)
        return Wait(*longest)


def wait(events: Iterable[Mapping[str, Any]], arm: str) -> Wait:
    """Returns the wait for one arm, from the events of its experiment (`labs.engine.run.events`).

    A countdown (`wait`) is not news. The time before the arm had a place for its brokers is not
    counted, since another arm runs then.
    """
    began = last = None
    quiet, shown = 0.0, None
    for event in events:
        if event.get("arm") != arm:
            continue
        if began is None:
            if event.get("phase") == "booting":
                began = last = float(event["at_s"])
            continue
        if event["event"] == "sample":
            numbers = {key: value for key, value in event.items() if key != "at_s"}
            is_news, shown = numbers != shown, numbers
        else:
            is_news = event["event"] in _LINE_EVENTS
        if is_news and last is not None:
            at = max(float(event["at_s"]), last)
            quiet, last = max(quiet, at - last), at
    if began is None or last is None:
        return Wait()
    return Wait(round(last - began, 1), round(quiet, 1))
