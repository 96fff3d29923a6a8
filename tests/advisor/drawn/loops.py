"""Poll loops as data, and what becomes of their messages in every failure that can meet them.

A loop is drawn (`drawing`), played here, and written as a program of some language. What the
reader of programs says of the text is held against what was played: the two share no code.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum
from itertools import product
from typing import Any


class Handler(Enum):
    """What a `catch` does with the error of its block."""

    LOG = "logs it and goes on"
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
    """Commits the offset behind the record, or with `all` of everything that was polled."""

    all: bool = False


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


@dataclass(frozen=True, slots=True)
class Submit:
    """Saves each record of a poll in another thread; `waited` for all of them at the end."""

    waited: bool


Statement = Save | Log | Commit | Try | Retry | Each | Submit
Block = Sequence[Statement]


@dataclass(frozen=True, slots=True)
class Loop:
    """A consumer that polls for ever; `closed` however it ends.

    With `auto_commit` each poll and the close commit what was polled before.
    """

    body: Block
    auto_commit: bool = False
    closed: bool = False


TRIES = 3
_POLLS = ((0, 1), (2, 3), (4, 5))
"""The offsets that each poll returns."""


class _Crash(BaseException):
    """The process is killed."""


class _Refused(Exception):
    """The store refuses a record."""


class _Stopped(BaseException):
    """A loop over records, or with `leaves` the program, is left."""

    def __init__(self, *, leaves: bool) -> None:
        self.leaves = leaves


@dataclass
class _Play:
    """One run of a loop with one failure: at a step, or at each of so many saves of an offset."""

    loop: Loop
    in_background: bool = False
    crash_at: int = -1
    refused: int = -1
    times: int = 0
    steps: int = 0
    position: int = 0
    committed: int = 0
    saved: set[int] = field(default_factory=set)
    submitted: list[int] = field(default_factory=list)

    def loses(self) -> bool:
        """Whether a message was committed past and never saved."""
        try:
            self._run()
        except _Crash:
            self.submitted.clear()
        for offset in self.submitted:
            self.saved |= {offset} if self.refused != offset else set()
        return any(offset not in self.saved for offset in range(self.committed))

    def _run(self) -> None:
        try:
            for batch in _POLLS:
                self._step()
                if self.loop.auto_commit:
                    self.committed = self.position
                self.position = batch[-1] + 1
                self._do(self.loop.body, batch)
        except (_Refused, _Stopped):
            pass  # the program ends here, and is started again behind what it committed
        if self.loop.closed and self.loop.auto_commit:
            self.committed = self.position

    def _step(self) -> None:
        self.steps += 1
        if self.in_background and self.loop.auto_commit:
            self.committed = self.position
        if self.steps == self.crash_at:
            raise _Crash

    def _do(self, block: Block, records: Sequence[int]) -> None:
        for statement in block:
            self._step()
            match statement:
                case Log():
                    pass
                case Save():
                    for offset in records:
                        self._save(offset)
                case Commit(all=whole):
                    self.committed = self.position if whole else records[-1] + 1
                case Each(body=body):
                    self._each(body, records)
                case Submit(waited=waited):
                    self.submitted += records
                    if waited:
                        self._wait()
                case Try():
                    self._try(statement, records)
                case Retry():
                    self._retry(statement, records)

    def _save(self, offset: int) -> None:
        if offset == self.refused and self.times:
            self.times -= 1
            raise _Refused
        self.saved.add(offset)

    def _wait(self) -> None:
        waiting, self.submitted = self.submitted, []
        for offset in waiting:
            self._save(offset)

    def _each(self, body: Block, records: Sequence[int]) -> None:
        for offset in records:
            try:
                self._do(body, (offset,))
            except _Stopped as stopped:
                if stopped.leaves:
                    raise
                return

    def _try(self, block: Try, records: Sequence[int]) -> None:
        try:
            self._guarded(block, records)
        except _Crash:
            raise  # nothing is done any more
        except BaseException:
            self._do(block.last, records)
            raise
        self._do(block.last, records)

    def _guarded(self, block: Try, records: Sequence[int]) -> None:
        try:
            self._do(block.body, records)
        except _Refused:
            match block.handler:
                case Handler.RETHROW:
                    raise
                case Handler.LOG:
                    pass
                case Handler.STOP | Handler.LEAVE:
                    raise _Stopped(leaves=block.handler is Handler.LEAVE) from None

    def _retry(self, block: Retry, records: Sequence[int]) -> None:
        for attempt in range(TRIES):
            try:
                self._do(block.body, records)
                break
            except _Refused:
                if block.throws and attempt == TRIES - 1:
                    raise


def loses(loop: Loop, *, in_background: bool) -> bool:
    """Whether some failure makes this loop pass over a message for good.

    Failures are: none, the process killed before any of its steps, and a store that refuses one
    of the first records once, or always. Automatic commits happen at a poll, as Java's do, or
    `in_background` at any time, as librdkafka's do.
    """
    undisturbed = _Play(loop, in_background)
    if undisturbed.loses():
        return True
    steps = range(1, undisturbed.steps + 1)
    crashes = (_Play(loop, in_background, crash_at=step) for step in steps)
    refusals = (
        _Play(loop, in_background, refused=offset, times=times)
        for offset, times in product((0, 1, 2), (1, 99))
    )
    return any(play.loses() for play in (*crashes, *refusals))


def parts(node: Any) -> Iterator[Any]:
    """All statements of a loop or a statement, itself among them, outermost first."""
    yield node
    for name in (entry.name for entry in fields(node)) if is_dataclass(node) else ():
        value = getattr(node, name)
        if isinstance(value, tuple):
            for inner in value:
                yield from parts(inner)
