"""What a run of a Python program with example messages shows (`example_run`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from advisor.intake.programs.python.processing.example_program import Program, Stopped
from advisor.intake.programs.python.processing.example_values import (
    Failure,
    Message,
    PythonError,
    parts,
)


@dataclass(frozen=True, slots=True)
class Failing:
    """The messages that cannot be processed in a run. If the failure `is_lasting`, each attempt
    fails, and otherwise the first one. `skipped_calls` is the number of calls with the message that
    succeed before one fails. If `is_returned`, calls in conditions return whether they succeed, and
    no call raises an error. If `is_sent`, the sends of the messages fail, and no other call; the
    program learns of it at the next `poll`, or if it `is_late`, when it flushes the producer, and
    not at the first `flush` with a timeout."""

    offsets: frozenset[int]
    is_lasting: bool
    skipped_calls: int = 0
    is_returned: bool = False
    is_sent: bool = False
    is_late: bool = False


@dataclass
class Record:
    """What a run shows.

    `polls` are the numbers of messages that the polls return. `choices` are the results of
    decisions, by their text, and `free` those that depend on a message, on the time or on chance.
    """

    program: Program
    polls: Sequence[int]
    choices: dict[str, bool]
    failing: Failing | None = None
    free: set[str] = field(default_factory=set)
    used: set[int] = field(default_factory=set)
    submitted: set[int] = field(default_factory=set)
    """The messages that were handed over to a pool."""
    committed: dict[int, int] = field(default_factory=dict)
    """The line of the first commit that covers each message that was not used before."""
    polled: list[tuple[range, int]] = field(default_factory=list)
    """The offsets of each poll, and its line."""
    held: frozenset[int] = frozenset()
    """The messages that names still hold at the end."""
    failed: dict[int, tuple[str, int]] = field(default_factory=dict)
    """The call that could not process a message, and its line."""
    handled: set[int] = field(default_factory=set)
    """The messages with which the program does something after they failed."""
    covered: set[int] = field(default_factory=set)
    """The messages that a commit covers after they failed, and before they are handled."""
    unreported: set[int] = field(default_factory=set)
    """The messages whose sends failed, and whose callbacks have not been called."""
    closed: int = 0
    """The line where the consumer is closed after a message failed."""
    calls: set[str] = field(default_factory=set)
    """The calls that may do something, each with its plain arguments."""
    calls_after_failure: set[str] = field(default_factory=set)
    objects: set[str] = field(default_factory=set)
    """The receivers of calls that are objects of the program's classes."""
    other_objects: set[str] = field(default_factory=set)
    is_done: bool = False
    """Whether the statements ran to their end."""
    is_stopped: bool = False
    """Whether the program polled until the end of the run."""
    _waits: Counter[str] = field(default_factory=Counter)
    """How often each condition on the time was asked."""
    _callees: set[str] = field(default_factory=set)
    """The functions that take a message and may fail."""
    _succeeded: dict[int, list[str]] = field(default_factory=dict)
    """The calls with a message that succeeded before it failed."""

    def use(self, value: Any) -> frozenset[int]:
        """Notes that the messages in a value are used; returns their offsets."""
        offsets = self.decide(value)
        self.handled |= offsets & self.failed.keys()
        return offsets

    def decide(self, value: Any) -> frozenset[int]:
        """Notes that the messages in a value are used for a decision; returns their offsets."""
        offsets = self._offsets(value)
        self.used |= offsets
        return offsets

    def _offsets(self, value: Any) -> frozenset[int]:
        """The offsets of the messages in a value; each part of it is a step."""
        offsets = set[int]()
        for part in parts(value):
            self.program.step()
            if isinstance(part, Message):
                offsets |= part.offsets
        return frozenset(offsets)

    def choose(self, text: str, *, is_free: bool, is_timed: bool) -> bool:
        """The result of a decision in this run. A condition on the time is true at some of the
        polls."""
        choice = self.choices.setdefault(text, True)
        if is_free or is_timed:
            self.free.add(text)
        if not choice and is_timed:
            self._waits[text] += 1
            choice = self._waits[text] % len(self.polls) == len(self.polls) - 2
        return choice

    def attempt(self, text: str, value: Any, line: int) -> None:
        """Raises `PythonError` if a call fails because of the messages in a value."""
        failing = self.failing
        is_other = failing is None or failing.is_returned or failing.is_sent
        if not is_other and not self.succeeds(text, value, line):
            raise PythonError(self.failure())

    def succeeds(self, text: str, value: Any, line: int) -> bool:
        """Whether a call can process the messages in a value."""
        failing, offsets = self.failing, self._offsets(value)
        if not (failing and offsets):
            return True
        self._callees.add(text)
        messages = offsets & failing.offsets
        for offset in messages:
            callee = self.failed.get(offset, ("", 0))[0]
            if callee and (failing.is_lasting and callee == text):
                return False
            if callee:
                continue
            succeeded = self._succeeded.setdefault(offset, [])
            if text not in succeeded and len(succeeded) == failing.skipped_calls:
                self.failed.update(dict.fromkeys(messages - self.failed.keys(), (text, line)))
                return False
            if text not in succeeded:
                succeeded.append(text)
        return True

    def failure(self) -> Failure:
        """The error of the messages that failed."""
        return Failure(frozenset(self.failed))

    def call(self, callee: str, arguments: Sequence[Any]) -> None:
        """Notes a call that may do something. After a failure, it counts if it takes no message."""
        if not (self.failed and self._offsets(arguments)):
            plain = [value for value in arguments if isinstance(value, bool | int | str | None)]
            calls = self.calls_after_failure if self.failed else self.calls
            calls.add(f"{callee}{plain}")

    def commit(self, end: int, line: int) -> None:
        """Notes a commit of all messages before an offset."""
        for offset in range(end):
            if offset not in self.used:
                self.committed.setdefault(offset, line)
        self.covered.update(offset for offset in self.failed.keys() - self.handled if offset < end)

    def poll(self, line: int, most: int | None = None) -> list[Message]:
        """Returns the messages of the next poll. Raises `Stopped` after the last one."""
        if len(self.polled) == len(self.polls):
            self.is_stopped = True
            raise Stopped
        begin = self.end
        count = self.polls[len(self.polled)]
        offsets = range(begin, begin + (count if most is None else min(count, most)))
        self.polled.append((offsets, line))
        return [Message(frozenset((offset,)), is_polled=True) for offset in offsets]

    @property
    def calls_with_message(self) -> int:
        """How many functions take a message and may fail."""
        return len(self._callees)

    @property
    def end(self) -> int:
        """The offset after the last message that was polled."""
        return self.polled[-1][0].stop if self.polled else 0
