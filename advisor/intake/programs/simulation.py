"""Simulates a program with every failure that can occur, and returns what happens to messages.

The model of Kafka is small. A poll moves the position of the consumer after the messages that it
returns. A commit without offsets commits that position, and so does `close()` with automatic
commits (KafkaConsumer javadoc). A send succeeds or fails later, at the latest when the program
waits for it (KafkaProducer javadoc, flush). A message is skipped if less work is done on it than in
a run without failures, although a later offset is committed or a program that only sends ends.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from typing import Any

from advisor.intake.programs.facts import BEFORE, CLOSE, IGNORED, SKIP
from advisor.intake.programs.trees import (
    Block,
    Breakable,
    Call,
    Close,
    Commit,
    Condition,
    Flush,
    ForEach,
    If,
    Jump,
    Loop,
    Poll,
    Send,
    SendErrors,
    SetFlag,
    Try,
    Wait,
    Work,
    nodes,
)

_BATCHES = ((0, 1), (2, 3))
_WORK = (True, False, False)
_SENDS = ((False, False, True), (True, False, True), (True, True, True))
"""Values of `flush_completes`, `send_throws` and `sends_fail`: failures of work, and of sends."""
_MOST_STEPS, _MOST_CHOICES, _MOST_CRASHES, _MOST_SUCCESSES = 200, 4, 40, 3


_Simulate = Callable[[Block, Mapping[int, Any]], dict[str, int]]


class _Ended(BaseException):
    """The simulation ends: the process is killed, or there is nothing more to poll."""


class _MessageError(Exception):
    """An error of a message, which propagates to a handler."""


class _Jumped(BaseException):
    def __init__(self, jump: Jump) -> None:
        self.jump = jump


@dataclass
class _Simulation:
    """A run of the program with one failure: it is killed at the step `killed_at`, or the work on
    the message `failing` fails so many `times` after it has succeeded `successes` times. `choices`
    are the results of open decisions, by the identity of their nodes."""

    tree: Block
    choices: Mapping[int, Any]
    killed_at: int = -1
    failing: int = -1
    times: int = 0
    successes: int = 0
    flush_completes: bool = False
    """Whether a flush with a time limit completes all sends."""
    send_throws: bool = False
    """Whether the call of a send throws its error, as for a message that cannot be serialized."""
    sends_fail: bool = False
    """Whether only sends fail, and no other work."""
    steps: int = 0
    polls: int = 0
    position: int = 0
    committed: int = 0
    work: Counter[int] = field(default_factory=Counter)
    attempts: Counter[int] = field(default_factory=Counter)
    """How often there was work on each message, with an effect or without one."""
    committed_at: dict[int, int] = field(default_factory=dict)
    """The place of the first commit that covers each message; -1 for one by a poll."""
    closed: int = -1
    """The place where closing the consumer committed more than was committed before."""
    handled_at: int = -1
    is_handling: bool = False
    recovered: set[int] = field(default_factory=set)
    """Messages that failed, and on which a handler did some work."""
    was_early: bool = False
    """Whether the failing message was committed before the work on it."""
    last_round: bool = False
    in_flight: list[tuple[int, Send, bool]] = field(default_factory=list)
    """Messages that are sent but not acknowledged, and whether a handler sent them."""
    errors: set[str] = field(default_factory=set)
    futures: dict[str, list[int]] = field(default_factory=dict)
    """The messages whose futures are stored under a name."""
    flags: dict[str, bool] = field(default_factory=dict)
    failed_futures: set[int] = field(default_factory=set)
    """Messages whose futures have an error."""
    failed_at: int = -1
    """The place of the send that failed and threw nothing."""
    is_done: bool = False
    """Whether the program ran to its end."""

    def run(self, messages: Sequence[int] = ()) -> _Simulation:
        with suppress(_Ended, _MessageError, _Jumped):
            self._execute(self.tree, messages)
            self.is_done = True
        return self

    def complete_sends(self) -> _Simulation:
        """Completes the sends in flight at the end of the run: nothing checks their results."""
        for message, _, _ in self.in_flight:
            with suppress(_MessageError):
                self._work(message, is_effect=True)
        return self

    def _execute(self, block: Block, messages: Sequence[int]) -> Sequence[int]:
        """Executes the statements in order; returns the messages of the last poll."""
        for statement in block:
            self._step()
            match statement:
                case Poll():
                    messages = self._poll()
                case Work(is_effect=is_effect):
                    for message in messages:
                        self._work(message, is_effect, fails=not self.sends_fail)
                case Send():
                    for message in messages:
                        self._send(message, statement)
                case Wait(name=name):
                    self._wait(name, messages)
                case Flush(is_limited=is_limited):
                    self._flush(is_limited)
                case SetFlag(name=name, value=value):
                    self.flags[name] = value
                case Commit(at=at, whole=whole):
                    self._commit(at, self.position if whole else max(messages, default=-1) + 1)
                case Close(at=at):
                    self.closed = at if self.position > self.committed else self.closed
                    self.committed = self.position
                case Jump(word=word):
                    raise _MessageError if word == "throw" else _Jumped(statement)
                case ForEach():
                    self._for_each(statement, messages)
                case Loop():
                    self._loop(statement, messages)
                case Breakable():
                    self._breakable(statement, messages)
                case Call():
                    self._call(statement, messages)
                case Try():
                    messages = self._try(statement, messages)
                case If():
                    is_true = self._decision(statement, messages)
                    self._execute(statement.then if is_true else statement.other, messages)
        return messages

    def _step(self) -> None:
        self.steps += 1
        if self.steps == self.killed_at or self.steps > _MOST_STEPS:
            raise _Ended

    def _poll(self) -> Sequence[int]:
        self._commit(-1, self.position)
        if self.polls == len(_BATCHES):
            raise _Ended
        batch = _BATCHES[self.polls]
        self.polls += 1
        self.position = batch[-1] + 1
        return batch

    def _commit(self, at: int, offset: int) -> None:
        for message in range(self.committed, offset):
            self.committed_at.setdefault(message, at)
        self.committed = max(self.committed, offset)

    def _work(self, message: int, is_effect: bool, *, fails: bool = True) -> None:
        self.attempts[message] += 1
        may_fail = message == self.failing and self.attempts[message] > self.successes
        if may_fail and self.times and fails:
            self.times -= 1
            self.was_early |= message < self.committed
            raise _MessageError
        self.work[message] += is_effect
        if self.is_handling:
            self.recovered.add(message)

    def _send(self, message: int, send: Send) -> None:
        if send.errors is SendErrors.WAITED or (self.send_throws and message == self.failing):
            self._work(message, is_effect=True)
            return
        self.in_flight.append((message, send, self.is_handling))
        if send.errors is SendErrors.FUTURE:
            for name in send.names:
                self.futures.setdefault(name, []).append(message)

    def _wait(self, name: str, messages: Sequence[int]) -> None:
        for entry in [entry for entry in self.in_flight if name in entry[1].names]:
            if entry[0] in messages:
                self.in_flight.remove(entry)
                self._work(entry[0], is_effect=True)
        if not self.failed_futures.isdisjoint(messages):
            raise _MessageError

    def _flush(self, is_limited: bool) -> None:
        while self.in_flight and (self.flush_completes or not is_limited):
            message, send, was_handling = self.in_flight.pop(0)
            before, self.is_handling = self.is_handling, was_handling
            try:
                self._work(message, is_effect=True)
            except _MessageError:
                self.failed_at = send.at
                if send.errors is SendErrors.THROWN:
                    raise
                if send.errors is SendErrors.ENDED:
                    raise _Ended from None
                if send.errors is SendErrors.FUTURE:
                    self.failed_futures.add(message)
                else:
                    self.errors |= send.names
            finally:
                self.is_handling = before

    def _for_each(self, loop: ForEach, messages: Sequence[int]) -> None:
        continues = {"continue", "return"} if loop.by_function else {"continue"}
        for message in [*self.futures.get(loop.futures, ())] if loop.futures else messages:
            try:
                self._execute(loop.body, (message,))
            except _Jumped as jumped:
                if jumped.jump.label not in ("", loop.label):
                    raise
                if jumped.jump.word in continues:
                    continue
                if jumped.jump.word == "break":
                    return
                raise
        self._execute(loop.orelse, messages)

    def _loop(self, loop: Loop, messages: Sequence[int]) -> None:
        rounds, before = 0, self.last_round
        while loop.rounds is None or rounds < loop.rounds:
            self._step()
            rounds += 1
            self.last_round = rounds == loop.rounds
            try:
                self._execute(loop.body, messages)
            except _Jumped as jumped:
                if jumped.jump.label not in ("", loop.label):
                    raise
                if jumped.jump.word == "break":
                    break
                if jumped.jump.word != "continue":
                    raise
        else:
            self._execute(loop.orelse, messages)
        self.last_round = before

    def _breakable(self, block: Breakable, messages: Sequence[int]) -> None:
        try:
            self._execute(block.body, messages)
        except _Jumped as jumped:
            if jumped.jump.word != "end":
                raise

    def _call(self, call: Call, messages: Sequence[int]) -> bool | None:
        try:
            self._execute(call.body, messages)
        except _Jumped as jumped:
            if jumped.jump.word != "return":
                raise
            return jumped.jump.value
        return None

    def _try(self, attempt: Try, messages: Sequence[int]) -> Sequence[int]:
        try:
            messages = self._body_or_handler(attempt, messages)
        except _Ended:
            raise
        except BaseException:
            self._execute(attempt.last, messages)
            raise
        self._execute(attempt.last, messages)
        return messages

    def _body_or_handler(self, attempt: Try, messages: Sequence[int]) -> Sequence[int]:
        try:
            return self._execute(attempt.body, messages)
        except _MessageError:
            if not attempt.handlers:
                raise
            handler = attempt.handlers[self.choices.get(id(attempt), 0)]
            self.handled_at = handler.at
            before, self.is_handling = self.is_handling, True
            try:
                return self._execute(handler.body, messages)
            finally:
                self.is_handling = before

    def _decision(self, decision: If, messages: Sequence[int]) -> bool:
        condition = decision.condition
        if condition.call:
            value = self._call(condition.call, messages)
            if value is not None:
                return value != condition.negated
        elif condition.flag:
            return self.flags.get(condition.flag, False) != condition.negated
        elif condition.error:
            return (condition.error in self.errors) != condition.negated
        elif condition.is_unsent:
            return bool(self.in_flight) != condition.negated
        elif condition.is_last:
            return condition.value == self.last_round
        elif condition.value is not None:
            return condition.value
        return bool(self.choices.get(id(decision), True))


def poll_loop_facts(tree: Block) -> dict[str, int]:
    """Returns what a program with a poll loop does with messages: settings' values, and the place
    of each."""
    return _facts_of_all_choices(tree, _simulate_poll_loop)


def ignored_send_errors(tree: Block, *, is_whole: bool) -> dict[str, int]:
    """Returns the place where a program that only sends ignores a failed send, by `IGNORED`.

    `is_whole` says that the process ends with the tree.
    """
    return _facts_of_all_choices(tree, partial(_simulate_job, is_whole=is_whole))


def _facts_of_all_choices(tree: Block, simulate: _Simulate) -> dict[str, int]:
    """Returns the facts of a tree; none if it has too many decisions to try them all.

    A decision that depends on the message may be true or false, and any of its handlers may take an
    error: one choice that skips a message is enough. Any other decision is unknown: a message must
    be skipped whichever branch is taken.
    """
    free, unknown = dict[int, Sequence[Any]](), dict[int, Sequence[Any]]()
    for node in nodes(tree):
        if isinstance(node, Try) and len(node.handlers) > 1:
            free[id(node)] = range(len(node.handlers))
        if isinstance(node, If) and not _is_decided(node.condition):
            (free if node.condition.of_record else unknown)[id(node)] = (True, False)
    if len(free) + len(unknown) > _MOST_CHOICES:
        return {}
    facts = dict[str, int]()
    for choice in _combinations(free):
        runs = [simulate(tree, {**choice, **assumed}) for assumed in _combinations(unknown)]
        for fact in set.intersection(*map(set, runs)):
            facts.setdefault(fact, runs[0][fact])
    return facts


def _is_decided(condition: Condition) -> bool:
    checks_variable = bool(condition.error or condition.flag)
    return condition.value is not None or checks_variable or condition.is_unsent


def _combinations(choices: Mapping[int, Sequence[Any]]) -> Iterator[dict[int, Any]]:
    for values in product(*choices.values()):
        yield dict(zip(choices, values, strict=True))


def _simulate_poll_loop(tree: Block, choices: Mapping[int, Any]) -> dict[str, int]:
    normal = _Simulation(tree, choices, flush_completes=True).run().complete_sends()
    if normal.steps > _MOST_STEPS:
        return {}
    expected, facts = normal.work, dict[str, int]()
    sends = _SENDS if any(isinstance(node, Send) for node in nodes(tree)) else ()
    for step in range(1, min(normal.steps, _MOST_CRASHES) + 1):
        killed = _Simulation(tree, choices, killed_at=step).run()
        for message in _skipped(killed, expected):
            facts.setdefault(BEFORE, killed.committed_at[message])
    for message, successes, times, send in _failures(normal, (_WORK, *sends)):
        failed = _Simulation(tree, choices, -1, message, times, successes, *send).run()
        failed.complete_sends()
        if failed.work[message] >= expected[message] or message >= failed.committed:
            continue
        if failed.was_early or message in failed.recovered:
            continue  # the commit came first in any case, or a handler recovered the message
        if message not in failed.committed_at:
            facts.setdefault(CLOSE, failed.closed)
            continue
        at = failed.handled_at if failed.handled_at >= 0 else failed.committed_at[message]
        if failed.failed_at >= 0 and failed.handled_at < 0:
            facts.setdefault(IGNORED, failed.failed_at)
        elif at >= 0:
            facts.setdefault(SKIP, at)
    return facts


def _simulate_job(tree: Block, choices: Mapping[int, Any], *, is_whole: bool) -> dict[str, int]:
    normal = _Simulation(tree, choices, flush_completes=True).run(_BATCHES[0])
    expected = normal.complete_sends().work
    if not normal.is_done or normal.steps > _MOST_STEPS:
        return {}
    for message, successes, times, send in _failures(normal, _SENDS):
        failed = _Simulation(tree, choices, -1, message, times, successes, *send)
        failed.run(_BATCHES[0])
        unacknowledged = [send.at for other, send, _ in failed.in_flight if other == message]
        if not failed.is_done or failed.work[message] >= expected[message]:
            continue
        if message in failed.recovered or (unacknowledged and not is_whole):
            continue
        return {IGNORED: next(iter(unacknowledged), max(failed.failed_at, failed.handled_at))}
    return {}


def _failures(
    normal: _Simulation, kinds: Iterable[tuple[bool, bool, bool]]
) -> Iterator[tuple[int, int, int, tuple[bool, bool, bool]]]:
    """Yields each failure to simulate: a message, how much work on it succeeds before, how often
    the work fails, and of which kind the failure is."""
    for message in _BATCHES[0]:
        places = min(max(normal.attempts[message], 1), _MOST_SUCCESSES + 1)
        for successes, times, kind in product(range(places), (1, 99), kinds):
            yield message, successes, times, kind


def _skipped(simulation: _Simulation, expected: Mapping[int, int]) -> Iterator[int]:
    """Yields the messages that a statement commits before the work on them is done."""
    for message, at in simulation.committed_at.items():
        if at >= 0 and simulation.work[message] < expected[message]:
            yield message
