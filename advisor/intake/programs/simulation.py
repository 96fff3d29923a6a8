"""Plays a poll loop with each failure that can meet it, and says what it does to messages.

A reader turns the code of a loop into a tree of the statements below; what the tree does not show
it must not guess. Kafka's part is small: a poll moves the position of the consumer behind what it
returns, and a commit without offsets commits that position, as does `close()` with automatic
commits (KafkaConsumer javadoc). A message is passed over when something behind it was committed
and the program does not do with it what it does where nothing fails.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from advisor.intake.programs.facts import BEFORE, CLOSE, SKIP


class Unclear(Exception):
    """Something that decides is not read: such a loop is not played."""


@dataclass(frozen=True, slots=True)
class Poll:
    """The consumer polls."""


@dataclass(frozen=True, slots=True)
class Work:
    """Something is done with a message that may fail; `is_effect` says whether it has an effect
    elsewhere, which what only takes a message apart has not."""

    is_effect: bool = True


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit of all that was polled, or of one message; `at` is its place in the text."""

    at: int
    whole: bool


@dataclass(frozen=True, slots=True)
class Close:
    """The consumer is closed."""

    at: int


@dataclass(frozen=True, slots=True)
class Jump:
    """Leaves a loop (`break`), a round (`continue`), a method (`return`), or throws."""

    word: str
    value: bool | None = None
    """What a method returns that says whether something succeeded."""


@dataclass(frozen=True, slots=True)
class Each:
    """A loop over what was polled. A function that is given each ends by `return`."""

    body: Block
    by_function: bool = False


@dataclass(frozen=True, slots=True)
class Rounds:
    """Another loop: so many rounds, or for ever."""

    body: Block
    rounds: int | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """A method of the same file."""

    body: Block


@dataclass(frozen=True, slots=True)
class Handler:
    """What is done with an error, and where that stands."""

    body: Block
    at: int


@dataclass(frozen=True, slots=True)
class Attempt:
    """A block whose errors go to one of its handlers; `last` is done after it in any case."""

    body: Block
    handlers: Sequence[Handler] = ()
    last: Block = ()


@dataclass(frozen=True, slots=True)
class Condition:
    """What a decision depends on: `is_last` on the round of the loop, `call` on what a method
    returns, `of_record` on the message alone, and otherwise on what the text does not say. `value`
    is what it is where that is known, or in the last round; `negated` is of the call."""

    value: bool | None = None
    is_last: bool = False
    call: Call | None = None
    negated: bool = False
    of_record: bool = False


@dataclass(frozen=True, slots=True)
class If:
    """A decision."""

    condition: Condition
    then: Block
    other: Block = ()


Statement = Poll | Work | Commit | Close | Jump | Each | Rounds | Call | Attempt | If
Block = Sequence[Statement]

_POLLED = ((0, 1), (2, 3))
_MOST_STEPS, _MOST_CHOICES, _MOST_CRASHES = 200, 4, 40


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

    def run(self) -> _Play:
        with suppress(_Ended, _Failed, _Left):
            self._do(self.tree, ())
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
                        self._work(message, is_effect)
                case Commit(at=at, whole=whole):
                    one = messages[-1] + 1 if messages else 0
                    self._commit(at, self.position if whole else one)
                case Close(at=at):
                    self.closed = at if self.position > self.committed else self.closed
                    self.committed = self.position
                case Jump(word=word):
                    raise _Failed if word == "throw" else _Left(statement)
                case Each():
                    self._each(statement, messages)
                case Rounds():
                    self._rounds(statement, messages)
                case Call():
                    self._call(statement, messages)
                case Attempt():
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

    def _work(self, message: int, is_effect: bool) -> None:
        if message == self.failing and self.times:
            self.times -= 1
            self.was_early |= message < self.committed
            raise _Failed
        self.work[message] += is_effect
        if self.is_handling:
            self.settled.add(message)

    def _each(self, each: Each, messages: Sequence[int]) -> None:
        ends = {"continue", "return"} if each.by_function else {"continue"}
        for message in messages:
            try:
                self._do(each.body, (message,))
            except _Left as left:
                if left.jump.word in ends:
                    continue
                if left.jump.word == "break":
                    return
                raise

    def _rounds(self, loop: Rounds, messages: Sequence[int]) -> None:
        number, before = 0, self.last_round
        while loop.rounds is None or number < loop.rounds:
            self._step()
            number += 1
            self.last_round = number == loop.rounds
            try:
                self._do(loop.body, messages)
            except _Left as left:
                if left.jump.word == "break":
                    break
                if left.jump.word != "continue":
                    raise
        self.last_round = before

    def _call(self, call: Call, messages: Sequence[int]) -> bool | None:
        try:
            self._do(call.body, messages)
        except _Left as left:
            if left.jump.word != "return":
                raise
            return left.jump.value
        return None

    def _attempt(self, attempt: Attempt, messages: Sequence[int]) -> Sequence[int]:
        try:
            messages = self._handled(attempt, messages)
        except _Ended:
            raise
        except BaseException:
            self._do(attempt.last, messages)
            raise
        self._do(attempt.last, messages)
        return messages

    def _handled(self, attempt: Attempt, messages: Sequence[int]) -> Sequence[int]:
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
        elif condition.is_last:
            return condition.value == self.last_round
        elif condition.value is not None:
            return condition.value
        return bool(self.choices.get(id(decision), True))


def facts(tree: Block) -> dict[str, int]:
    """What the program does with messages, and where in its text. Nothing is returned for a tree
    with more decisions than can all be tried.

    A decision about the message may go either way, and so may an error to each of its handlers: one
    way that passes a message over is enough. Any other decision is unknown: all its ways must.
    """
    free, unknown = dict[int, Sequence[Any]](), dict[int, Sequence[Any]]()
    for node in _nodes(tree):
        if isinstance(node, Attempt) and len(node.handlers) > 1:
            free[id(node)] = range(len(node.handlers))
        if isinstance(node, If) and node.condition.value is None:
            (free if node.condition.of_record else unknown)[id(node)] = (True, False)
    if len(free) + len(unknown) > _MOST_CHOICES:
        return {}
    found = dict[str, int]()
    for chosen in _ways(free):
        each = [_of_way(tree, {**chosen, **others}) for others in _ways(unknown)]
        for what in set.intersection(*map(set, each)):
            found.setdefault(what, each[0][what])
    return found


def _ways(choices: Mapping[int, Sequence[Any]]) -> Iterator[dict[int, Any]]:
    for values in product(*choices.values()):
        yield dict(zip(choices, values, strict=True))


def _of_way(tree: Block, choices: Mapping[int, Any]) -> dict[str, int]:
    undisturbed = _Play(tree, choices).run()
    if undisturbed.steps > _MOST_STEPS:
        return {}
    owed, found = undisturbed.work, dict[str, int]()
    for step in range(1, min(undisturbed.steps, _MOST_CRASHES) + 1):
        killed = _Play(tree, choices, killed_at=step).run()
        for message in _passed_over(killed, owed):
            found.setdefault(BEFORE, killed.behind[message])
    for message, times in product((0, 1), (1, 99)):
        failed = _Play(tree, choices, failing=message, times=times).run()
        if failed.work[message] >= owed[message] or message >= failed.committed:
            continue
        if failed.was_early or message in failed.settled:
            continue  # that is no matter of its error, or it is not passed over
        if message not in failed.behind:
            found.setdefault(CLOSE, failed.closed)
            continue
        at = failed.handled_at if failed.handled_at >= 0 else failed.behind[message]
        if at >= 0:
            found.setdefault(SKIP, at)
    return found


def _passed_over(play: _Play, owed: Mapping[int, int]) -> Iterator[int]:
    """Messages behind which a statement has committed before anything was done with them."""
    for message, at in play.behind.items():
        if at >= 0 and not play.work[message] and owed[message]:
            yield message


def _nodes(block: Block) -> Iterator[Statement]:
    for node in block:
        yield node
        match node:
            case Each(body=body) | Rounds(body=body) | Call(body=body):
                yield from _nodes(body)
            case Attempt(body=body, handlers=handlers, last=last):
                yield from _nodes([*body, *(it for own in handlers for it in own.body), *last])
            case If(condition=condition, then=then, other=other):
                called = condition.call.body if condition.call else ()
                yield from _nodes([*called, *then, *other])
            case _:
                pass
