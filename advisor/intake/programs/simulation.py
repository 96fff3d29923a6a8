"""Plays a program with each failure that can meet it, and says what it does to messages.

Kafka's part is small: a poll moves the position of the consumer behind what it returns, and a
commit without offsets commits that position, as does `close()` with automatic commits
(KafkaConsumer javadoc). What is sent arrives or fails later, at the latest where somebody waits for
it (KafkaProducer javadoc, flush). A message is passed over when something behind it was committed,
or a program that only sends goes on to its end, and it is not done with it what is done where
nothing fails.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
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

_POLLED = ((0, 1), (2, 3))
_WORK = (True, False, False)
_SENDS = ((False, False, True), (True, False, True), (True, True, True))
"""Whether what waits for some time sees all that was sent, whether a send throws itself, and
whether it is sends that fail."""
_MOST_STEPS, _MOST_CHOICES, _MOST_CRASHES = 200, 4, 40


_OfWay = Callable[[Block, Mapping[int, Any]], dict[str, int]]


class _Ended(BaseException):
    """The play is over: the process was killed, or there is nothing more to poll."""


class _Failed(Exception):
    """An error of a message, on its way to a handler."""


class _Left(BaseException):
    def __init__(self, jump: Jump) -> None:
        self.jump = jump


@dataclass
class _Play:
    """The program with one failure: it is killed at a step, or the work on a message fails so many
    times. `choices` says how each open decision goes, by its identity."""

    tree: Block
    choices: Mapping[int, Any]
    killed_at: int = -1
    failing: int = -1
    times: int = 0
    in_time: bool = False
    """Whether what waits for some time sees all that was sent."""
    at_once: bool = False
    """Whether a send that fails throws itself, as for what cannot be serialized."""
    of_sends: bool = False
    """Whether it is sends that fail, and no other work."""
    steps: int = 0
    polls: int = 0
    position: int = 0
    committed: int = 0
    work: Counter[int] = field(default_factory=Counter)
    behind: dict[int, int] = field(default_factory=dict)
    """Where the commit stands that was the first behind a message."""
    closed: int = -1
    """Where the consumer was closed, and by that committed more than was committed before."""
    handled_at: int = -1
    is_handling: bool = False
    settled: set[int] = field(default_factory=set)
    """Messages that failed and that a handler did something with."""
    was_early: bool = False
    """Whether the message that fails was behind a commit before its work was begun."""
    last_round: bool = False
    sent: list[tuple[int, Send, bool]] = field(default_factory=list)
    """What is on its way, and whether a handler sent it."""
    errors: set[str] = field(default_factory=set)
    kept: dict[str, list[int]] = field(default_factory=dict)
    """The messages whose futures a name has."""
    marks: dict[str, bool] = field(default_factory=dict)
    lost: set[int] = field(default_factory=set)
    """Messages whose futures have an error."""
    failed_at: int = -1
    """Where the send stands that failed and threw nothing."""
    is_done: bool = False
    """Whether the program came to its end."""

    def run(self, messages: Sequence[int] = ()) -> _Play:
        with suppress(_Ended, _Failed, _Left):
            self._do(self.tree, messages)
            self.is_done = True
        return self

    def settled_later(self) -> _Play:
        """What is on its way when the program is watched no more arrives or fails unheard."""
        for message, _, _ in self.sent:
            with suppress(_Failed):
                self._work(message, is_effect=True)
        return self

    def _do(self, block: Block, messages: Sequence[int]) -> Sequence[int]:
        """Does one statement after the other; gives what was polled last."""
        for statement in block:
            self._step()
            match statement:
                case Poll():
                    messages = self._poll()
                case Work(is_effect=is_effect):
                    for message in messages:
                        self._work(message, is_effect, fails=not self.of_sends)
                case Send():
                    for message in messages:
                        self._send(message, statement)
                case Wait(name=name):
                    self._wait(name, messages)
                case Flush(is_limited=is_limited):
                    self._flush(is_limited)
                case SetFlag(name=name, value=value):
                    self.marks[name] = value
                case Commit(at=at, whole=whole):
                    self._commit(at, self.position if whole else max(messages, default=-1) + 1)
                case Close(at=at):
                    self.closed = at if self.position > self.committed else self.closed
                    self.committed = self.position
                case Jump(word=word):
                    raise _Failed if word == "throw" else _Left(statement)
                case ForEach():
                    self._each(statement, messages)
                case Loop():
                    self._rounds(statement, messages)
                case Breakable():
                    self._breakable(statement, messages)
                case Call():
                    self._call(statement, messages)
                case Try():
                    messages = self._attempt(statement, messages)
                case If():
                    decided = self._decided(statement, messages)
                    self._do(statement.then if decided else statement.other, messages)
        return messages

    def _step(self) -> None:
        self.steps += 1
        if self.steps == self.killed_at or self.steps > _MOST_STEPS:
            raise _Ended

    def _poll(self) -> Sequence[int]:
        self._commit(-1, self.position)
        if self.polls == len(_POLLED):
            raise _Ended
        batch = _POLLED[self.polls]
        self.polls += 1
        self.position = batch[-1] + 1
        return batch

    def _commit(self, at: int, offset: int) -> None:
        for message in range(self.committed, offset):
            self.behind.setdefault(message, at)
        self.committed = max(self.committed, offset)

    def _work(self, message: int, is_effect: bool, *, fails: bool = True) -> None:
        if message == self.failing and self.times and fails:
            self.times -= 1
            self.was_early |= message < self.committed
            raise _Failed
        self.work[message] += is_effect
        if self.is_handling:
            self.settled.add(message)

    def _send(self, message: int, send: Send) -> None:
        if send.heard is SendErrors.WAITED or (self.at_once and message == self.failing):
            self._work(message, is_effect=True)
            return
        self.sent.append((message, send, self.is_handling))
        if send.heard is SendErrors.KEPT:
            for name in send.names:
                self.kept.setdefault(name, []).append(message)

    def _wait(self, name: str, messages: Sequence[int]) -> None:
        for entry in [entry for entry in self.sent if name in entry[1].names]:
            if entry[0] in messages:
                self.sent.remove(entry)
                self._work(entry[0], is_effect=True)
        if not self.lost.isdisjoint(messages):
            raise _Failed

    def _flush(self, is_limited: bool) -> None:
        while self.sent and (self.in_time or not is_limited):
            message, send, was_handling = self.sent.pop(0)
            before, self.is_handling = self.is_handling, was_handling
            try:
                self._work(message, is_effect=True)
            except _Failed:
                self.failed_at = send.at
                if send.heard is SendErrors.THROWN:
                    raise
                if send.heard is SendErrors.ENDED:
                    raise _Ended from None
                if send.heard is SendErrors.KEPT:
                    self.lost.add(message)
                else:
                    self.errors |= send.names
            finally:
                self.is_handling = before

    def _each(self, each: ForEach, messages: Sequence[int]) -> None:
        ends = {"continue", "return"} if each.by_function else {"continue"}
        for message in [*self.kept.get(each.of, ())] if each.of else messages:
            try:
                self._do(each.body, (message,))
            except _Left as left:
                if left.jump.label not in ("", each.label):
                    raise
                if left.jump.word in ends:
                    continue
                if left.jump.word == "break":
                    return
                raise
        self._do(each.behind, messages)

    def _rounds(self, loop: Loop, messages: Sequence[int]) -> None:
        number, before = 0, self.last_round
        while loop.rounds is None or number < loop.rounds:
            self._step()
            number += 1
            self.last_round = number == loop.rounds
            try:
                self._do(loop.body, messages)
            except _Left as left:
                if left.jump.label not in ("", loop.label):
                    raise
                if left.jump.word == "break":
                    break
                if left.jump.word != "continue":
                    raise
        else:
            self._do(loop.behind, messages)
        self.last_round = before

    def _breakable(self, block: Breakable, messages: Sequence[int]) -> None:
        try:
            self._do(block.body, messages)
        except _Left as left:
            if left.jump.word != "end":
                raise

    def _call(self, call: Call, messages: Sequence[int]) -> bool | None:
        try:
            self._do(call.body, messages)
        except _Left as left:
            if left.jump.word != "return":
                raise
            return left.jump.value
        return None

    def _attempt(self, attempt: Try, messages: Sequence[int]) -> Sequence[int]:
        try:
            messages = self._handled(attempt, messages)
        except _Ended:
            raise
        except BaseException:
            self._do(attempt.last, messages)
            raise
        self._do(attempt.last, messages)
        return messages

    def _handled(self, attempt: Try, messages: Sequence[int]) -> Sequence[int]:
        try:
            return self._do(attempt.body, messages)
        except _Failed:
            if not attempt.handlers:
                raise
            handler = attempt.handlers[self.choices.get(id(attempt), 0)]
            self.handled_at = handler.at
            before, self.is_handling = self.is_handling, True
            try:
                return self._do(handler.body, messages)
            finally:
                self.is_handling = before

    def _decided(self, decision: If, messages: Sequence[int]) -> bool:
        condition = decision.condition
        if condition.call:
            value = self._call(condition.call, messages)
            if value is not None:
                return value != condition.negated
        elif condition.mark:
            return self.marks.get(condition.mark, False) != condition.negated
        elif condition.error:
            return (condition.error in self.errors) != condition.negated
        elif condition.is_left:
            return bool(self.sent) != condition.negated
        elif condition.is_last:
            return condition.value == self.last_round
        elif condition.value is not None:
            return condition.value
        return bool(self.choices.get(id(decision), True))


def poll_loop_facts(tree: Block) -> dict[str, int]:
    """What a program with a poll loop does with messages, and where in its text."""
    return _in_all_ways(tree, _of_loop)


def ignored_send_errors(tree: Block, *, is_whole: bool) -> dict[str, int]:
    """Where a program that only sends goes on to its end without a message; `is_whole` says that
    then the process ends, too."""
    return _in_all_ways(tree, partial(_of_job, is_whole=is_whole))


def _in_all_ways(tree: Block, of_way: _OfWay) -> dict[str, int]:
    """What is found in a tree. Nothing is returned for one with more decisions than can all be
    tried.

    A decision about the message may go either way, and so may an error to each of its handlers: one
    way that passes a message over is enough. Any other decision is unknown: all its ways must.
    """
    free, unknown = dict[int, Sequence[Any]](), dict[int, Sequence[Any]]()
    for node in nodes(tree):
        if isinstance(node, Try) and len(node.handlers) > 1:
            free[id(node)] = range(len(node.handlers))
        if isinstance(node, If) and not _is_known(node.condition):
            (free if node.condition.of_record else unknown)[id(node)] = (True, False)
    if len(free) + len(unknown) > _MOST_CHOICES:
        return {}
    found = dict[str, int]()
    for chosen in _ways(free):
        each = [of_way(tree, {**chosen, **others}) for others in _ways(unknown)]
        for what in set.intersection(*map(set, each)):
            found.setdefault(what, each[0][what])
    return found


def _is_known(condition: Condition) -> bool:
    is_asked = bool(condition.error or condition.mark)
    return condition.value is not None or is_asked or condition.is_left


def _ways(choices: Mapping[int, Sequence[Any]]) -> Iterator[dict[int, Any]]:
    for values in product(*choices.values()):
        yield dict(zip(choices, values, strict=True))


def _of_loop(tree: Block, choices: Mapping[int, Any]) -> dict[str, int]:
    undisturbed = _Play(tree, choices, in_time=True).run().settled_later()
    if undisturbed.steps > _MOST_STEPS:
        return {}
    owed, found = undisturbed.work, dict[str, int]()
    sends = _SENDS if any(isinstance(node, Send) for node in nodes(tree)) else ()
    for step in range(1, min(undisturbed.steps, _MOST_CRASHES) + 1):
        killed = _Play(tree, choices, killed_at=step).run()
        for message in _passed_over(killed, owed):
            found.setdefault(BEFORE, killed.behind[message])
    for message, times, send in product((0, 1), (1, 99), (_WORK, *sends)):
        failed = _Play(tree, choices, -1, message, times, *send).run()
        failed.settled_later()
        if failed.work[message] >= owed[message] or message >= failed.committed:
            continue
        if failed.was_early or message in failed.settled:
            continue  # its error does not matter here, or it is not passed over
        if message not in failed.behind:
            found.setdefault(CLOSE, failed.closed)
            continue
        at = failed.handled_at if failed.handled_at >= 0 else failed.behind[message]
        if failed.failed_at >= 0 and failed.handled_at < 0:
            found.setdefault(IGNORED, failed.failed_at)
        elif at >= 0:
            found.setdefault(SKIP, at)
    return found


def _of_job(tree: Block, choices: Mapping[int, Any], *, is_whole: bool) -> dict[str, int]:
    undisturbed = _Play(tree, choices, in_time=True).run(_POLLED[0])
    owed = undisturbed.settled_later().work
    if not undisturbed.is_done or undisturbed.steps > _MOST_STEPS:
        return {}
    for message, times, send in product((0, 1), (1, 99), _SENDS):
        failed = _Play(tree, choices, -1, message, times, *send)
        failed.run(_POLLED[0])
        left = [send.at for own, send, _ in failed.sent if own == message]
        if not failed.is_done or failed.work[message] >= owed[message]:
            continue
        if message in failed.settled or (left and not is_whole):
            continue
        return {IGNORED: next(iter(left), max(failed.failed_at, failed.handled_at))}
    return {}


def _passed_over(play: _Play, owed: Mapping[int, int]) -> Iterator[int]:
    """Messages behind which a statement has committed before anything was done with them."""
    for message, at in play.behind.items():
        if at >= 0 and play.work[message] < owed[message]:
            yield message
