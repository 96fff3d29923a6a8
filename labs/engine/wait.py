"""Waiting for a condition, always with a limit and a message."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")


class WaitTimeout(Exception):
    """The condition did not come true within the limit; says which and how long."""

    def __init__(self, message: str, limit_s: float) -> None:
        super().__init__(f"{message} (waited {limit_s:g} s)")
        self.limit_s = limit_s


class Disturbed(Exception):
    """Something ended that the run needs, and not by its schedule: waiting on makes no sense."""


_disturbance: ContextVar[Callable[[], str]] = ContextVar("disturbance", default=lambda: "")


@contextmanager
def undisturbed(disturbance: Callable[[], str]) -> Iterator[None]:
    """Within it every wait of this thread asks for a disturbance, and raises `Disturbed` of it.

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


def check() -> None:
    """Raises `Disturbed` if the run was."""
    if why := _disturbance.get()():
        raise Disturbed(why)


def rest(seconds: float) -> None:
    """Lets time pass, as long as nothing disturbs the run."""
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
) -> T:
    """The first truthy value of `condition`, asked every `every_s` seconds.

    The condition is asked at least once, and once more after the limit, so that a machine
    which was asleep in between does not turn a fact into a timeout.

    Raises `WaitTimeout` with `message`, and `Disturbed`; an exception of the condition passes
    through.
    """
    deadline = time.monotonic() + limit_s
    while True:
        check()
        last = time.monotonic() >= deadline
        value = condition()
        if value:
            return value
        if last:
            raise WaitTimeout(message, limit_s)
        time.sleep(min(every_s, max(0.0, deadline - time.monotonic())))
