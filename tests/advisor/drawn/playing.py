"""What becomes of the messages of a program in every failure that can meet it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product

from tests.advisor.drawn.loops import (
    TRIES,
    Block,
    Check,
    Commit,
    Each,
    Flush,
    Handler,
    Heard,
    Job,
    Limit,
    Log,
    Loop,
    Retry,
    Save,
    Send,
    Submit,
    Try,
    Wait,
)

_POLLS = ((0, 1), (2, 3), (4, 5))
"""The offsets that each poll returns, and with none of them the records of a job."""
_SINGLE = tuple((offset,) for batch in _POLLS for offset in batch)


class _Crash(BaseException):
    """The process is killed."""


class _Refused(Exception):
    """A record is not saved or sent."""


class _Skipped(BaseException):
    """Nothing more is done with a record."""


class _Stopped(BaseException):
    """A loop over records, or with `leaves` the program, is left."""

    def __init__(self, *, leaves: bool) -> None:
        self.leaves = leaves


@dataclass(frozen=True, slots=True)
class _Failure:
    """What goes wrong: the process is killed before a step, or a record is so many times not
    saved or sent, where `at_once` is of a send that throws itself. `in_time` says that what waits
    for some time sees all sent."""

    crash_at: int = -1
    refused: int = -1
    times: int = 0
    at_once: bool = False
    in_time: bool = False


@dataclass
class _Play:
    """One run of a program with one failure. What is sent is done as late as can be."""

    program: Loop | Job
    of_c: bool
    failure: _Failure
    refused: int = 0
    steps: int = 0
    position: int = 0
    committed: int = 0
    saved: set[int] = field(default_factory=set)
    submitted: list[int] = field(default_factory=list)
    sent: list[tuple[int, Heard]] = field(default_factory=list)
    kept: list[int] = field(default_factory=list)
    """The futures of the list."""
    has_error: bool = False
    is_marked: bool = False

    def loses(self) -> bool:
        """Whether a message was committed past, or a job ended well, without it."""
        try:
            if isinstance(self.program, Job):
                self._run_job(self.program)
                self.sent.clear()
                self.committed = self.position
            else:
                self._run_loop(self.program)
            self._settle(calls_back=False)
            for offset in self.submitted:
                self.saved |= {offset} if self.failure.refused != offset else set()
        except _Crash:
            pass
        return any(offset not in self.saved for offset in range(self.committed))

    def _run_loop(self, loop: Loop) -> None:
        try:
            for batch in _SINGLE if loop.single else _POLLS:
                self._step()
                self.is_marked = False
                self._forget_futures()
                if loop.auto_commit:
                    self.committed = self.position
                self.position = batch[-1] + 1
                self._do(loop.body, batch)
        except (_Refused, _Stopped):
            self.sent.clear()  # the program ends here, and starts again behind what it committed
        if loop.closed and loop.auto_commit:
            self.committed = self.position

    def _forget_futures(self) -> None:
        """Each poll has a list of its own."""
        self.kept.clear()
        self.sent = [(offset, Heard.NOBODY if heard is Heard.KEPT else heard)
                     for offset, heard in self.sent]  # fmt: skip

    def _run_job(self, job: Job) -> None:
        try:
            self._do(job.body, _POLLS[0])
            if job.ending:
                self._flush(job.ending)
            self.position = _POLLS[0][-1] + 1
        except (_Refused, _Stopped):
            pass  # whoever started it hears of it

    def _step(self) -> None:
        self.steps += 1
        if self.of_c and isinstance(self.program, Loop) and self.program.auto_commit:
            self.committed = self.position
        if self.steps == self.failure.crash_at:
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
                case Commit(all=whole, if_ok=if_ok):
                    if not (if_ok and self.is_marked):
                        self.committed = self.position if whole else records[-1] + 1
                case Each(body=body):
                    self._each(body, records)
                case Submit(waited=waited):
                    self.submitted += records
                    if waited:
                        self._wait()
                case Send(heard=heard):
                    for offset in records:
                        self._send(offset, heard)
                case Flush(limit=limit):
                    self._flush(limit)
                case Wait():
                    self._wait_for_sends()
                case Check(handler=handler):
                    if self.has_error:
                        self._handle(handler)
                case Try():
                    self._try(statement, records)
                case Retry():
                    self._retry(statement, records)

    def _save(self, offset: int) -> None:
        if offset == self.failure.refused and self.refused < self.failure.times:
            self.refused += 1
            raise _Refused
        self.saved.add(offset)

    def _wait(self) -> None:
        waiting, self.submitted = self.submitted, []
        for offset in waiting:
            self._save(offset)

    def _send(self, offset: int, heard: Heard) -> None:
        if heard is Heard.WAITED or self.failure.at_once:
            self._save(offset)
        else:
            self.sent.append((offset, heard))

    def _flush(self, limit: Limit) -> None:
        if limit is Limit.NONE or self.failure.in_time:
            self._settle(calls_back=True)
        elif limit is Limit.CHECKED and self.sent:
            raise _Refused

    def _settle(self, *, calls_back: bool) -> None:
        """What was sent arrives or fails, and who is called back does what it does."""
        while self.sent:
            offset, heard = self.sent.pop(0)
            try:
                self._save(offset)
            except _Refused:
                self._fail(offset, heard, calls_back)

    def _fail(self, offset: int, heard: Heard, calls_back: bool) -> None:
        match heard:
            case Heard.KEPT:
                self.kept.append(offset)
            case Heard.STORED:
                self.has_error = True
            case Heard.ENDED:
                raise _Crash
            case Heard.THROWN if self.of_c and calls_back:
                raise _Refused
            case _:
                pass

    def _wait_for_sends(self) -> None:
        for entry in [entry for entry in self.sent if entry[1] is Heard.KEPT]:
            self.sent.remove(entry)
            self.kept += [] if self._arrives(entry[0]) else [entry[0]]
        if self.kept:
            raise _Refused

    def _arrives(self, offset: int) -> bool:
        try:
            self._save(offset)
        except _Refused:
            return False
        return True

    def _each(self, body: Block, records: Sequence[int]) -> None:
        for offset in records:
            try:
                self._do(body, (offset,))
            except _Skipped:
                pass
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
            self._handle(block.handler)

    def _handle(self, handler: Handler) -> None:
        match handler:
            case Handler.RETHROW:
                raise _Refused
            case Handler.LOG:
                pass
            case Handler.FLAG:
                self.is_marked = True
            case Handler.SKIP:
                raise _Skipped from None
            case Handler.STOP | Handler.LEAVE:
                raise _Stopped(leaves=handler is Handler.LEAVE) from None

    def _retry(self, block: Retry, records: Sequence[int]) -> None:
        for attempt in range(TRIES):
            try:
                self._do(block.body, records)
                break
            except _Refused:
                if block.throws and attempt == TRIES - 1:
                    raise


def loses(program: Loop | Job, *, of_c: bool) -> bool:
    """Whether some failure makes this program pass over a message for good.

    Failures are: none, the process killed before any of its steps, and one of the first records
    that is once, or never, taken by the store or the brokers. A client `of_c`, as Python's, commits
    automatically at any time, and what a callback throws leaves its `flush()`; Java's commits at a
    poll, and only logs that.
    """
    undisturbed = _Play(program, of_c, _Failure(in_time=True))
    if undisturbed.loses():
        return True
    failures = _failures(undisturbed.steps if isinstance(program, Loop) else 0)
    return any(_Play(program, of_c, failure).loses() for failure in failures)


def _failures(steps: int) -> Iterator[_Failure]:
    yield from (_Failure(crash_at=step) for step in range(1, steps + 1))
    yield _Failure()
    either = (False, True)
    for offset, times, at_once, in_time in product((0, 1, 2), (1, 99), either, either):
        yield _Failure(-1, offset, times, at_once, in_time)
