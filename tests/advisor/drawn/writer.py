"""What the writers of all languages have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from textwrap import indent

from tests.advisor.drawn.loops import (
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
    Statement,
    Submit,
    Try,
    Wait,
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
    def program(self, program: Loop | Job) -> str: ...

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
            case Commit(all=whole, if_ok=if_ok):
                text = self.commit(whole)
                return self.where_ok(text) if if_ok else text
            case Each():
                return self.each(statement)
            case Submit(waited=waited):
                return self.submit(waited)
            case Try():
                return self.guarded(statement)
            case Retry():
                return self.retry(statement)
            case Send(heard=heard):
                return self.send(heard)
            case Flush(limit=limit):
                return self.flush(limit)
            case Wait():
                return self.wait()
            case Check(handler=handler):
                return self.check(handler)

    @abstractmethod
    def save(self) -> str: ...
    @abstractmethod
    def log(self) -> str: ...
    @abstractmethod
    def commit(self, whole: bool) -> str: ...
    @abstractmethod
    def where_ok(self, text: str) -> str: ...
    @abstractmethod
    def each(self, each: Each) -> str: ...
    @abstractmethod
    def submit(self, waited: bool) -> str: ...
    @abstractmethod
    def guarded(self, block: Try) -> str: ...
    @abstractmethod
    def retry(self, block: Retry) -> str: ...
    @abstractmethod
    def send(self, heard: Heard) -> str: ...
    @abstractmethod
    def flush(self, limit: Limit) -> str: ...
    @abstractmethod
    def wait(self) -> str: ...
    @abstractmethod
    def check(self, handler: Handler) -> str: ...


class Braced(Writer):
    """A language whose blocks stand in braces: what differs is given as texts.

    `forms` are the loops over records by name, of which those that `jump` can be left by `break`
    and `return`; `{all}` and `{body}` stand in them. `after` is what a handler does behind its log,
    with `{error}` for what it caught, and `end` what ends a statement. `job` is the frame of one,
    `marked` begins a poll that may be marked, `fields` and `producer` are what a program that sends
    has, `futures` the list of these, and
    `heard` are the callbacks of a send, and `stored` the forms of what is kept of an error: where
    it is kept, how, and the question for it.
    """

    frame: str
    job: str
    fields: str
    producer: str
    polls: str
    closed: str
    ending: Mapping[Limit | None, str]
    marked: Sequence[tuple[str, str, str]]
    futures: str
    added: str
    waited: Sequence[str]
    at_once: Sequence[str]
    heard: Mapping[Heard, Sequence[str]]
    stored: Sequence[tuple[str, str, str]]
    sent: str
    record: str
    forms: Mapping[str, str]
    jump: Sequence[str]
    gathered: Sequence[str]
    commit_one: str
    caught: str
    after: Mapping[Handler, Sequence[str]]
    end: str

    def program(self, program: Loop | Job) -> str:
        sends = [part for part in parts(program) if isinstance(part, Send)]
        self.error = self.stored[int(self.choose("012")) % len(self.stored)] if sends else ("",) * 3
        self.mark = self.marked[int(self.choose("012"))]
        body = self.inner(program.body)
        if marks(program):
            body = f"{indent(self.mark[0], '    ')}\n{body}"
        if any(part.heard is Heard.KEPT for part in sends):
            body = f"{indent(self.futures, '    ')}\n{body}"
        if isinstance(program, Job):
            polls = body + self.ending[program.ending]
        else:
            polls = self.polls.format(body=body)
        if isinstance(program, Loop) and program.closed:
            polls = self.closed.format(polls=indent(polls, "    "))
        is_loop = isinstance(program, Loop)
        commits = isinstance(program, Loop) and program.auto_commit
        kept = f"    {self.error[0]}\n" if any(it.heard is Heard.STORED for it in sends) else ""
        text = (self.frame if is_loop else self.job).format(
            auto_commit=str(commits).lower(),
            polls=indent(polls, " " * (8 if is_loop else 4)), methods="".join(self.methods),
            fields=self.fields + kept if sends else "",
            producer=indent(self.producer, " " * 8) if sends else "",
        )  # fmt: skip
        return text if is_loop else text.replace(self.record, "Order").replace("offset", "key")

    def send(self, heard: Heard) -> str:
        alone = self.sent.format(heard="")
        match heard:
            case Heard.WAITED:
                text = self.choose(self.at_once).format(sent=alone)
            case Heard.KEPT:
                return self.added.format(sent=alone)
            case Heard.NOBODY:
                text = alone + self.end
            case _:
                text = self.called_back(self.choose(self.heard[heard]))
        return self.method("send", text) if self.choose(("here", "there")) == "there" else text

    def flush(self, limit: Limit) -> str:
        return f"producer.flush(){self.end}"

    def wait(self) -> str:
        return self.choose(self.waited)

    def check(self, handler: Handler) -> str:
        return f"if ({self.error[2]}) {{\n{self.handled(handler, '')}\n}}"

    @abstractmethod
    def called_back(self, does: str) -> str:
        """A send that calls back with an error `e`, with which the callback does something."""

    def commit(self, whole: bool) -> str:
        return f"consumer.commitSync(){self.end}" if whole else self.commit_one

    def where_ok(self, text: str) -> str:
        return f"if ({self.mark[2]}) {{\n{indent(text, '    ')}\n}}"

    def each(self, each: Each) -> str:
        body = self.block(each.body)
        forms = self.jump
        if not jumps(each):
            forms = tuple(self.forms)
            if not keeps_futures(each) and self.choose(("in place", "method")) == "method":
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
        after = (self.mark[1],) if handler is Handler.FLAG else self.after[handler]
        lines = (f'log.error("failed"{given}){self.end}', *after)
        return indent("\n".join(line.format(error=error) for line in lines), "    ")

    @abstractmethod
    def method(self, name: str, body: str, returns: str = "") -> str:
        """A call of a method with this body, which is given a record."""


_STAYING = (Handler.LOG, Handler.RETHROW)


def jumps(statement: Statement) -> bool:
    """Whether it has to stand in the method that polls: a handler in it leaves a loop, or it has
    to do with the mark of a poll."""
    return marks(statement) or any(
        isinstance(part, Try | Check) and part.handler not in _STAYING for part in parts(statement)
    )


def marks(program: Loop | Job | Statement) -> bool:
    """Whether a poll is marked as failed in it, or asked for that."""
    return any(
        (isinstance(part, Try | Check) and part.handler is Handler.FLAG)
        or (isinstance(part, Commit) and part.if_ok)
        for part in parts(program)
    )


def keeps_futures(statement: Statement) -> bool:
    """Whether it uses the list of futures, which only the method has that polls."""
    return any(
        isinstance(part, Wait) or (isinstance(part, Send) and part.heard is Heard.KEPT)
        for part in parts(statement)
    )
