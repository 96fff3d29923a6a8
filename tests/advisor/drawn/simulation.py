"""Simulates a program with every possible failure, and tells whether it loses messages."""

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
    Job,
    Limit,
    Log,
    Loop,
    ResultCheck,
    Retry,
    Save,
    Send,
    Submit,
    Try,
    Wait,
)

_POLLS = ((0, 1), (2, 3), (4, 5))
"""The offsets that each poll returns. The first poll is also the input of a job."""
_SINGLE = tuple((offset,) for batch in _POLLS for offset in batch)


class _Crash(BaseException):
    """The process is killed."""


class _Refused(Exception):
    """The store or the brokers refuse a record."""


class _Skipped(BaseException):
    """The rest of the block of a record is skipped."""


class _Stopped(BaseException):
    """Leaves the loop over records, or with `leaves` the program."""

    def __init__(self, *, leaves: bool) -> None:
        self.leaves = leaves


@dataclass(frozen=True, slots=True)
class _Failure:
    """A failure: the process is killed before step `crash_at`, or the record `refused` is refused
    `times` times; with `at_once` the send itself throws. With `in_time` a limited wait is long
    enough for all sends."""

    crash_at: int = -1
    refused: int = -1
    times: int = 0
    at_once: bool = False
    in_time: bool = False


@dataclass
class _Run:
    """One run of a program with one failure. Sends complete as late as possible."""

    program: Loop | Job
    librdkafka: bool
    failure: _Failure
    refused: int = 0
    steps: int = 0
    position: int = 0
    committed: int = 0
    saved: set[int] = field(default_factory=set)
    submitted: list[int] = field(default_factory=list)
    sent: list[tuple[int, ResultCheck]] = field(default_factory=list)
    failed_futures: list[int] = field(default_factory=list)
    """The offsets of failed futures in the list."""
    has_error: bool = False
    is_flagged: bool = False

    def loses(self) -> bool:
        """Whether a message was skipped by a commit, or by a job that ended successfully."""
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
                self.is_flagged = False
                self._forget_futures()
                if loop.auto_commit:
                    self.committed = self.position
                self.position = batch[-1] + 1
                self._execute(loop.body, batch)
        except (_Refused, _Stopped):
            self.sent.clear()  # the program ends, and would restart after its committed offset
        if loop.closed and loop.auto_commit:
            self.committed = self.position

    def _forget_futures(self) -> None:
        """Each poll has its own list of futures."""
        self.failed_futures.clear()
        self.sent = [
            (offset, ResultCheck.UNCHECKED if check is ResultCheck.COLLECTED else check)
            for offset, check in self.sent
        ]

    def _run_job(self, job: Job) -> None:
        try:
            self._execute(job.body, _POLLS[0])
            if job.ending:
                self._flush(job.ending)
            self.position = _POLLS[0][-1] + 1
        except (_Refused, _Stopped):
            pass  # the exit status shows the failure

    def _step(self) -> None:
        self.steps += 1
        if self.librdkafka and isinstance(self.program, Loop) and self.program.auto_commit:
            self.committed = self.position
        if self.steps == self.failure.crash_at:
            raise _Crash

    def _execute(self, block: Block, records: Sequence[int]) -> None:
        for statement in block:
            self._step()
            match statement:
                case Log():
                    pass
                case Save():
                    for offset in records:
                        self._save(offset)
                case Commit(all=whole_poll, if_ok=if_ok):
                    if not (if_ok and self.is_flagged):
                        self.committed = self.position if whole_poll else records[-1] + 1
                case Each(body=body):
                    self._each(body, records)
                case Submit(waited=waited):
                    self.submitted += records
                    if waited:
                        self._wait_for_threads()
                case Send(result_check=result_check):
                    for offset in records:
                        self._send(offset, result_check)
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

    def _wait_for_threads(self) -> None:
        waiting, self.submitted = self.submitted, []
        for offset in waiting:
            self._save(offset)

    def _send(self, offset: int, result_check: ResultCheck) -> None:
        if result_check is ResultCheck.WAITED or self.failure.at_once:
            self._save(offset)
        else:
            self.sent.append((offset, result_check))

    def _flush(self, limit: Limit) -> None:
        if limit is Limit.NONE or self.failure.in_time:
            self._settle(calls_back=True)
        elif limit is Limit.CHECKED and self.sent:
            raise _Refused

    def _settle(self, *, calls_back: bool) -> None:
        """Completes all sends: each arrives, or fails and runs its callback."""
        while self.sent:
            offset, result_check = self.sent.pop(0)
            try:
                self._save(offset)
            except _Refused:
                self._fail(offset, result_check, calls_back)

    def _fail(self, offset: int, result_check: ResultCheck, calls_back: bool) -> None:
        match result_check:
            case ResultCheck.COLLECTED:
                self.failed_futures.append(offset)
            case ResultCheck.STORED:
                self.has_error = True
            case ResultCheck.EXITED:
                raise _Crash
            case ResultCheck.THROWN if self.librdkafka and calls_back:
                raise _Refused
            case _:
                pass

    def _wait_for_sends(self) -> None:
        for entry in [entry for entry in self.sent if entry[1] is ResultCheck.COLLECTED]:
            self.sent.remove(entry)
            self.failed_futures += [] if self._arrives(entry[0]) else [entry[0]]
        if self.failed_futures:
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
                self._execute(body, (offset,))
            except _Skipped:
                pass
            except _Stopped as stopped:
                if stopped.leaves:
                    raise
                return

    def _try(self, block: Try, records: Sequence[int]) -> None:
        try:
            self._run_guarded(block, records)
        except _Crash:
            raise  # a crash runs no `finally` block
        except BaseException:
            self._execute(block.last, records)
            raise
        self._execute(block.last, records)

    def _run_guarded(self, block: Try, records: Sequence[int]) -> None:
        try:
            self._execute(block.body, records)
        except _Refused:
            self._handle(block.handler)

    def _handle(self, handler: Handler) -> None:
        match handler:
            case Handler.RETHROW:
                raise _Refused
            case Handler.LOG:
                pass
            case Handler.FLAG:
                self.is_flagged = True
            case Handler.SKIP:
                raise _Skipped from None
            case Handler.STOP | Handler.LEAVE:
                raise _Stopped(leaves=handler is Handler.LEAVE) from None

    def _retry(self, block: Retry, records: Sequence[int]) -> None:
        for attempt in range(TRIES):
            try:
                self._execute(block.body, records)
                break
            except _Refused:
                if block.throws and attempt == TRIES - 1:
                    raise


def loses(program: Loop | Job, *, librdkafka: bool) -> bool:
    """Whether some failure makes this program skip a message finally.

    The failures are: none, the process is killed before any of its steps, and one of the first
    records is refused once or always. With `librdkafka`, as for Python, automatic commits happen at
    any time, and an exception of a callback propagates from `flush()`. The Java client commits in
    poll(), and only logs such an exception.
    """
    without_failure = _Run(program, librdkafka, _Failure(in_time=True))
    if without_failure.loses():
        return True
    failures = _failures(without_failure.steps if isinstance(program, Loop) else 0)
    return any(_Run(program, librdkafka, failure).loses() for failure in failures)


def _failures(steps: int) -> Iterator[_Failure]:
    yield from (_Failure(crash_at=step) for step in range(1, steps + 1))
    yield _Failure()
    both = (False, True)
    for offset, times, at_once, in_time in product((0, 1, 2), (1, 99), both, both):
        yield _Failure(-1, offset, times, at_once, in_time)
