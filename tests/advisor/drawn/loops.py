"""Programs as data: poll loops, and jobs that only send.

One is drawn (`drawing`), played with every failure that can meet it (`playing`), and written in
some language. What the reader of programs says of the text is held against what was played: the
two share no code.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from typing import Any


class Handler(Enum):
    """What a `catch` does with the error of its block."""

    LOG = "logs it and goes on"
    SKIP = "logs it and goes on with the next record"
    FLAG = "logs it and marks the poll as failed"
    RETHROW = "logs it and throws it again"
    STOP = "logs it and leaves the loop over the records"
    LEAVE = "logs it and leaves the program"


@dataclass(frozen=True, slots=True)
class Save:
    """Hands the record to a store, which may refuse it."""


@dataclass(frozen=True, slots=True)
class Log:
    """Writes a line about the record."""


@dataclass(frozen=True, slots=True)
class Commit:
    """Commits the offset behind the record, or with `all` of everything that was polled.

    With `if_ok` only where the poll is not marked as failed.
    """

    all: bool = False
    if_ok: bool = False


@dataclass(frozen=True, slots=True)
class Try:
    """A block whose errors are handled; `last` is done after it whatever happens."""

    body: Block
    handler: Handler = Handler.RETHROW
    last: Block = ()


@dataclass(frozen=True, slots=True)
class Retry:
    """Tries a block up to three times, and then goes on without it or throws the last error."""

    body: Block
    throws: bool


@dataclass(frozen=True, slots=True)
class Each:
    """Does something with each record of a poll; `gathered` puts them into a list first."""

    body: Block
    gathered: bool = False


class Heard(Enum):
    """Who hears of a send that fails."""

    NOBODY = "nobody"
    WAITED = "who waits for its future at once"
    KEPT = "who waits for its future, which is put into a list"
    LOGGED = "a callback that logs it"
    STORED = "a callback that keeps it for a check"
    THROWN = "a callback that throws it"
    ENDED = "a callback that ends the process"


class Limit(Enum):
    """For how long something waits."""

    NONE = "until all is sent"
    SOME = "for some time, and goes on"
    CHECKED = "for some time, and throws if something is left"


@dataclass(frozen=True, slots=True)
class Send:
    """Sends the record to another topic."""

    heard: Heard


@dataclass(frozen=True, slots=True)
class Flush:
    """Waits for what was sent, and calls back."""

    limit: Limit = Limit.NONE


@dataclass(frozen=True, slots=True)
class Wait:
    """Waits for the futures of the list."""


@dataclass(frozen=True, slots=True)
class Check:
    """Asks whether a callback has kept an error, and handles that."""

    handler: Handler = Handler.RETHROW


@dataclass(frozen=True, slots=True)
class Submit:
    """Saves each record of a poll in another thread; `waited` for all of them at the end."""

    waited: bool


Statement = Save | Log | Commit | Try | Retry | Each | Submit | Send | Flush | Wait | Check
Block = Sequence[Statement]


@dataclass(frozen=True, slots=True)
class Loop:
    """A consumer that polls for ever; `closed` however it ends.

    With `auto_commit` each poll and the close commit what was polled before. A `single` one gets
    one record of a poll, and `Each` is of that.
    """

    body: Block
    auto_commit: bool = False
    closed: bool = False
    single: bool = False


@dataclass(frozen=True, slots=True)
class Job:
    """A program that sends records that it was given, and ends; `ending` says for how long it then
    waits for what is not sent yet, or None that it does not."""

    body: Block
    ending: Limit | None = Limit.NONE


TRIES = 3


def parts(node: Any) -> Iterator[Any]:
    """All statements of a loop or a statement, itself among them, outermost first."""
    yield node
    for name in (entry.name for entry in fields(node)) if is_dataclass(node) else ():
        value = getattr(node, name)
        if isinstance(value, tuple):
            for inner in value:
                yield from parts(inner)
