"""How long a visitor waits for a run: for its verdict, and for the next thing that it shows."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

_LINE_EVENTS = ("phase", "fault", "arm", "error")
"""What the page shows as a line of its own; of a sample it shows the numbers, if they changed."""


_LOAD_A_CORE = 4.0
"""An experiment's own processes are half of this on two cores."""


def is_telling() -> bool:
    """Whether a wait that was measured now is a visitor's: the machine has little else to do."""
    return os.getloadavg()[0] <= _LOAD_A_CORE * (os.cpu_count() or 1)


@dataclass(frozen=True, slots=True)
class Wait:
    """The waits of an arm, in seconds: from the brokers' boot to the verdict (`verdict_s`), and the
    longest time in between in which the page had nothing new (`news_s`)."""

    verdict_s: float = 0.0
    news_s: float = 0.0

    def longer(self, other: Wait) -> Wait:
        """The longer of each of the two waits."""
        longest = max(self.verdict_s, other.verdict_s), max(self.news_s, other.news_s)
        return Wait(*longest)


def wait(events: Iterable[Mapping[str, Any]], arm: str) -> Wait:
    """The wait for one arm, by the events of its experiment (`labs.engine.run.events`).

    A countdown (`wait`) is nothing new. Time before the arm had a place for its brokers is not
    counted: another arm runs then.
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
