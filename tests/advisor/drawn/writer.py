"""What the writers of all languages have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
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


def jumps(statement: Statement) -> bool:
    """Whether a handler in it leaves the loop over the records, or the program."""
    return any(
        isinstance(part, Try) and part.handler in (Handler.STOP, Handler.LEAVE)
        for part in parts(statement)
    )
