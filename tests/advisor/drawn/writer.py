"""What the writers of all languages have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from textwrap import indent

from tests.advisor.drawn.loops import (
    Block,
    Commit,
    Each,
    Handler,
    Log,
    Loop,
    Retry,
    Save,
    Statement,
    Submit,
    Try,
    parts,
)

Choose = Callable[[Sequence[str]], str]
"""Picks one of the forms that a statement can have."""


class Writer(ABC):
    """Writes a loop as a program of one language, in forms that mean the same."""

    def __init__(self, choose: Choose) -> None:
        self.choose = choose
        self.methods: list[str] = []

    @abstractmethod
    def program(self, loop: Loop) -> str: ...

    def block(self, block: Block) -> str:
        return "\n".join(self.statement(statement) for statement in block)

    def inner(self, block: Block) -> str:
        return indent(self.block(block), "    ")

    def statement(self, statement: Statement) -> str:
        match statement:
            case Save():
                return self.save()
            case Log():
                return self.log()
            case Commit(all=whole):
                return self.commit(whole)
            case Each():
                return self.each(statement)
            case Submit(waited=waited):
                return self.submit(waited)
            case Try():
                return self.guarded(statement)
            case Retry():
                return self.retry(statement)

    @abstractmethod
    def save(self) -> str: ...
    @abstractmethod
    def log(self) -> str: ...
    @abstractmethod
    def commit(self, whole: bool) -> str: ...
    @abstractmethod
    def each(self, each: Each) -> str: ...
    @abstractmethod
    def submit(self, waited: bool) -> str: ...
    @abstractmethod
    def guarded(self, block: Try) -> str: ...
    @abstractmethod
    def retry(self, block: Retry) -> str: ...


class Braced(Writer):
    """A language whose blocks stand in braces: what differs is given as texts.

    `forms` are the loops over records by name, of which those that `jump` can be left by `break`
    and `return`; `{all}` and `{body}` stand in them. `after` is what a handler does behind its log,
    with `{error}` for what it caught, and `end` what ends a statement.
    """

    frame: str
    polls: str
    closed: str
    forms: Mapping[str, str]
    jump: Sequence[str]
    gathered: Sequence[str]
    commit_one: str
    caught: str
    after: Mapping[Handler, Sequence[str]]
    end: str

    def program(self, loop: Loop) -> str:
        polls = self.polls.format(body=self.inner(loop.body))
        if loop.closed:
            polls = self.closed.format(polls=indent(polls, "    "))
        return self.frame.format(
            auto_commit=str(loop.auto_commit).lower(),
            polls=indent(polls, " " * 8), methods="".join(self.methods),
        )  # fmt: skip

    def commit(self, whole: bool) -> str:
        return f"consumer.commitSync(){self.end}" if whole else self.commit_one

    def each(self, each: Each) -> str:
        body = self.block(each.body)
        forms = self.jump
        if not jumps(each):
            forms = tuple(self.forms)
            if self.choose(("in place", "method")) == "method":
                body = self.method("handle", body)
        before = self.choose(self.gathered) if each.gathered else ""
        loop = self.forms[self.choose(forms)]
        every = "batch" if each.gathered else "records"
        return before + loop.format(all=every, body=indent(body, "    "))

    def tried(self, block: Try) -> str:
        """A block with its `catch` and its `finally`."""
        text = f"try {{\n{self.inner(block.body)}\n}}"
        if block.handler is not Handler.RETHROW or not block.last:
            text += f" catch ({self.caught}) {{\n{self.handled(block.handler, 'e')}\n}}"
        if block.last:
            text += f" finally {{\n{self.inner(block.last)}\n}}"
        return text

    def handled(self, handler: Handler, error: str) -> str:
        """What a handler does with an error of this name, or without one."""
        given = f", {error}" if error else ""
        lines = (f'log.error("failed"{given}){self.end}', *self.after[handler])
        return indent("\n".join(line.format(error=error) for line in lines), "    ")

    @abstractmethod
    def method(self, name: str, body: str, returns: str = "") -> str:
        """A call of a method with this body, which is given a record."""


def jumps(statement: Statement) -> bool:
    """Whether a handler in it leaves the loop over the records, or the program."""
    return any(
        isinstance(part, Try) and part.handler in (Handler.STOP, Handler.LEAVE)
        for part in parts(statement)
    )
