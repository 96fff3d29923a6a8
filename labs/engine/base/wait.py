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
    """The condition did not hold within the limit; the message says which one and the limit."""

    def __init__(self, message: str, limit_s: float) -> None:
        super().__init__(f"{message} (waited {limit_s:g} s)")
        self.limit_s = limit_s


class Disturbed(Exception):
    """A process that the run needs ended outside the schedule, so more waiting is pointless."""


class OutOfTime(Exception):
    """The work did not finish within its limit; the message says what it was waiting for."""


WaitReport = Callable[[str, float], None]
"""Receives the reason of a wait (`for broker 2 to come back`) and the seconds until its limit. The
reason is empty once the wait is over."""

REPORT_AFTER_S = 1.0
"""A shorter wait is not reported; a longer one is reported again at this interval."""


@dataclass(frozen=True, slots=True)
class _Limit:
    deadline: float
    seconds: float


_disturbance: ContextVar[Callable[[], str]] = ContextVar("disturbance", default=lambda: "")
_limit: ContextVar[_Limit | None] = ContextVar("limit", default=None)
_report: ContextVar[WaitReport] = ContextVar("report", default=lambda awaits, left_s: None)


@contextmanager
def undisturbed(disturbance: Callable[[], str]) -> Iterator[None]:
    """Within it, every wait of this thread checks for a disturbance and raises `Disturbed`.

    `disturbance` returns what happened, in words, or '' if nothing did.
    """
    token = _disturbance.set(disturbance)
    try:
        yield
        check()
    except Exception as problem:  # the disturbance is the cause
        if (why := disturbance()) and not isinstance(problem, Disturbed):
            raise Disturbed(why) from problem
        raise
    finally:
        _disturbance.reset(token)


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Within it, a wait of this thread raises `OutOfTime` after this time from now."""
    token = _limit.set(_Limit(time.monotonic() + seconds, seconds))
    try:
        yield
    finally:
        _limit.reset(token)


@contextmanager
def reporting_waits(report: WaitReport) -> Iterator[None]:
    """Within it, long waits of this thread that have a reason are reported to `report`."""
    token = _report.set(report)
    try:
        yield
    finally:
        _report.reset(token)


def check(message: str = "its schedule was running") -> None:
    """Raises `Disturbed` if the run was disturbed, and `OutOfTime` after the run's limit."""
    if why := _disturbance.get()():
        raise Disturbed(why)
    limit = _limit.get()
    if limit and time.monotonic() > limit.deadline:
        raise OutOfTime(f"it did not end within {limit.seconds:.0f} s: {message}")


def rest(seconds: float) -> None:
    """Waits for `seconds`, unless the run is disturbed."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
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
    """Waits for a truthy value of `condition` and returns it.

    `condition` is called every `every_s` seconds, at least once, and once more after the limit, so
    that a machine that slept meanwhile causes no false timeout. `awaits` is the reason of the wait
    for people (`reporting_waits`), as in `for broker 2 to come back`.

    Raises `WaitTimeout` with `message`, `Disturbed`, `OutOfTime`, and exceptions of the condition.
    """
    deadline = time.monotonic() + limit_s
    with _reported_wait(awaits, deadline) as report:
        while True:
            check(message)
            last = time.monotonic() >= deadline
            value = condition()
            if value:
                return value
            if last:
                raise WaitTimeout(message, limit_s)
            report()
            time.sleep(min(every_s, max(0.0, deadline - time.monotonic())))


@contextmanager
def _reported_wait(awaits: str, deadline: float) -> Iterator[Callable[[], None]]:
    """Reports a wait every `REPORT_AFTER_S` seconds, and its end."""
    report, due, limit = _report.get(), time.monotonic() + REPORT_AFTER_S, _limit.get()
    end = min(deadline, limit.deadline) if limit else deadline
    is_reported = False

    def report_if_due() -> None:
        nonlocal due, is_reported
        now = time.monotonic()
        if awaits and now >= due:
            report(awaits, max(0.0, end - now))
            due, is_reported = now + REPORT_AFTER_S, True

    try:
        yield report_if_due
    finally:
        if is_reported:
            report("", 0.0)
