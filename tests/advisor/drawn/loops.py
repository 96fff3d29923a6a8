"""Programs as data: poll loops, and jobs that only send.

A program is drawn (`drawing`), simulated with every possible failure (`simulation`), and written in
a programming language. Tests compare the answer to its source with the simulation. Both share no
code.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from typing import Any


class Handler(Enum):
    """What an error handler does after an error in its block."""

    LOG = "logs it and continues"
    SKIP = "logs it and continues with the next record"
    FLAG = "logs it and flags the poll as failed"
    RETHROW = "logs it and rethrows it"
    STOP = "logs it and leaves the loop over the records"
    LEAVE = "logs it and leaves the program"


@dataclass(frozen=True, slots=True)
class Save:
    """Saves the record in a store, which may refuse it."""


@dataclass(frozen=True, slots=True)
class Log:
    """Logs the record."""


@dataclass(frozen=True, slots=True)
class Commit:
    """Commits the offset after the record, or with `all` everything that was polled.

    With `if_ok` only if the poll is not flagged as failed.
    """

    all: bool = False
    if_ok: bool = False


@dataclass(frozen=True, slots=True)
class Try:
    """A block with an error handler; `last` is its `finally` block."""

    body: Block
    handler: Handler = Handler.RETHROW
    last: Block = ()


@dataclass(frozen=True, slots=True)
class Retry:
    """Tries a block up to three times, then continues or, with `throws`, throws the last error."""

    body: Block
    throws: bool


@dataclass(frozen=True, slots=True)
class Each:
    """A loop over the records of a poll; with `gathered` over a list copied from them."""

    body: Block
    gathered: bool = False


class ResultCheck(Enum):
    """How the result of a send is checked."""

    UNCHECKED = "not checked"
    WAITED = "the code waits for its future immediately"
    COLLECTED = "its future is added to a list to wait for"
    LOGGED = "a callback logs the error"
    STORED = "a callback stores the error for a check"
    THROWN = "a callback throws the error"
    EXITED = "a callback exits the process"


class Limit(Enum):
    """The time limit of a wait."""

    NONE = "until all is sent"
    SOME = "for some time, then it continues"
    CHECKED = "for some time, then it throws if sends are left"


@dataclass(frozen=True, slots=True)
class Send:
    """Sends the record to another topic."""

    result_check: ResultCheck


@dataclass(frozen=True, slots=True)
class Flush:
    """Waits for the sends, and runs their callbacks."""

    limit: Limit = Limit.NONE


@dataclass(frozen=True, slots=True)
class Wait:
    """Waits for the futures in the list."""


@dataclass(frozen=True, slots=True)
class Check:
    """Checks whether a callback has stored an error, and handles it."""

    handler: Handler = Handler.RETHROW


@dataclass(frozen=True, slots=True)
class Submit:
    """Saves each record of a poll in another thread; with `waited` it waits for all of them."""

    waited: bool


Statement = Save | Log | Commit | Try | Retry | Each | Submit | Send | Flush | Wait | Check
Block = Sequence[Statement]


@dataclass(frozen=True, slots=True)
class Loop:
    """A consumer that polls forever; with `closed` it is closed in a `finally` block.

    With `auto_commit` each poll and the close commit what was polled before. With `single` a poll
    returns one record, and `Each` is a block for it.
    """

    body: Block
    auto_commit: bool = False
    closed: bool = False
    single: bool = False


@dataclass(frozen=True, slots=True)
class Job:
    """A program that sends its input and ends. `ending` is the limit of its final wait for unsent
    records, None without a wait."""

    body: Block
    ending: Limit | None = Limit.NONE


TRIES = 3


def parts(node: Any) -> Iterator[Any]:
    """All statements in a program or statement, including itself, outermost first."""
    yield node
    for name in (entry.name for entry in fields(node)) if is_dataclass(node) else ():
        value = getattr(node, name)
        if isinstance(value, tuple):
            for inner in value:
                yield from parts(inner)
