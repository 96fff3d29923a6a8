"""Waiting for a condition, always with a limit and a message."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class WaitTimeout(Exception):
    """The condition did not come true within the limit; says which and how long."""

    def __init__(self, message: str, limit_s: float) -> None:
        super().__init__(f"{message} (waited {limit_s:g} s)")
        self.limit_s = limit_s


def until(
    condition: Callable[[], T | None],
    limit_s: float,
    message: str,
    every_s: float = 0.05,
) -> T:
    """The first truthy value of `condition`, asked every `every_s` seconds.

    The condition is asked at least once, and once more after the limit, so that a machine
    which was asleep in between does not turn a fact into a timeout.

    Raises `WaitTimeout` with `message`; an exception of the condition passes through.
    """
    deadline = time.monotonic() + limit_s
    while True:
        last = time.monotonic() >= deadline
        value = condition()
        if value:
            return value
        if last:
            raise WaitTimeout(message, limit_s)
        time.sleep(min(every_s, max(0.0, deadline - time.monotonic())))
