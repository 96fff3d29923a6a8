"""Waiting for a condition, always with a limit and a message."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


class WaitTimeout(Exception):
    """The condition did not come true within the limit; says which and how long."""

    def __init__(self, message: str, limit_s: float) -> None:
        super().__init__(f"{message} (waited {limit_s:g} s)")
        self.limit_s = limit_s


class Disturbed(Exception):
    """A process that the run needs ended outside the schedule, so waiting longer is pointless."""


class OutOfTime(Exception):
    """The work was not finished within its limit; the message says what was being waited for."""


WaitReport = Callable[[str, float], None]
"""Receives what is waited for (`for broker 2 to come back`) and the seconds until the limit; the
text is empty once the wait is over."""

REPORT_AFTER_S = 1.0
"""A shorter wait is not reported; a longer one is reported again at this interval."""


@dataclass(frozen=True, slots=True)
class _Limit:
    at: float
    seconds: float


_disturbance: ContextVar[Callable[[], str]] = ContextVar("disturbance", default=lambda: "")
_limit: ContextVar[_Limit | None] = ContextVar("limit", default=None)
_tell: ContextVar[WaitReport] = ContextVar("tell", default=lambda awaits, left_s: None)


@contextmanager
def undisturbed(disturbance: Callable[[], str]) -> Iterator[None]:
    """Within it, every wait of this thread checks for a disturbance and raises `Disturbed`.

    `disturbance` says in words what happened, or '' as long as nothing did.
    """
    token = _disturbance.set(disturbance)
    try:
        yield
        check()
    except Exception as problem:  # what came of it says less
        if (why := disturbance()) and not isinstance(problem, Disturbed):
            raise Disturbed(why) from problem
        raise
    finally:
        _disturbance.reset(token)


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Within it no wait of this thread goes beyond this time from now: it raises `OutOfTime`."""
    token = _limit.set(_Limit(time.monotonic() + seconds, seconds))
    try:
        yield
    finally:
        _limit.reset(token)


@contextmanager
def reporting_waits(tell: WaitReport) -> Iterator[None]:
    """Within it, each long wait of this thread that has a description is reported to `tell`."""
    token = _tell.set(tell)
    try:
        yield
    finally:
        _tell.reset(token)


def check(message: str = "its schedule went on") -> None:
    """Raises `Disturbed` if the run was, and `OutOfTime` with `message` if its limit is over."""
    if why := _disturbance.get()():
        raise Disturbed(why)
    limit = _limit.get()
    if limit and time.monotonic() > limit.at:
        raise OutOfTime(f"it did not come to its end within {limit.seconds:.0f} s: {message}")


def rest(seconds: float) -> None:
    """Waits for `seconds`, unless the run is disturbed."""
    over = time.monotonic() + seconds
    while (left := over - time.monotonic()) > 0:
        check()
        time.sleep(min(0.05, left))
    check()


def until(
    condition: Callable[[], T | None],
    limit_s: float,
    message: str,
    every_s: float = 0.05,
    awaits: str = "",
) -> T:
    """The first truthy value of `condition`, which is called every `every_s` seconds.

    It is called at least once, and once more after the limit, so that a machine that slept in
    between does not turn a fact into a timeout. `awaits` names for people what is waited for
    (`reporting_waits`), as in `for broker 2 to come back`.

    Raises `WaitTimeout` with `message`, `Disturbed` and `OutOfTime`; an exception of the condition
    passes through.
    """
    deadline = time.monotonic() + limit_s
    with _reported(awaits, deadline) as tell:
        while True:
            check(message)
            last = time.monotonic() >= deadline
            value = condition()
            if value:
                return value
            if last:
                raise WaitTimeout(message, limit_s)
            tell()
            time.sleep(min(every_s, max(0.0, deadline - time.monotonic())))


@contextmanager
def _reported(awaits: str, deadline: float) -> Iterator[Callable[[], None]]:
    """Reports a wait every `REPORT_AFTER_S` seconds, and its end."""
    tell, due, limit = _tell.get(), time.monotonic() + REPORT_AFTER_S, _limit.get()
    over = min(deadline, limit.at) if limit else deadline
    is_reported = False

    def again() -> None:
        nonlocal due, is_reported
        now = time.monotonic()
        if awaits and now >= due:
            tell(awaits, max(0.0, over - now))
            due, is_reported = now + REPORT_AFTER_S, True

    try:
        yield again
    finally:
        if is_reported:
            tell("", 0.0)
