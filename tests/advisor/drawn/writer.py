"""Base classes of the writers of all languages."""

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
    Job,
    Limit,
    Log,
    Loop,
    ResultCheck,
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
"""Picks one of the forms of a statement."""


class Writer(ABC):
    """Writes a program in one language, in random equivalent forms."""

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
                return self.unless_failed(text) if if_ok else text
            case Each():
                return self.each(statement)
            case Submit(waited=waited):
                return self.submit(waited)
            case Try():
                return self.guarded(statement)
            case Retry():
                return self.retry(statement)
            case Send(result_check=result_check):
                return self.send(result_check)
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
    def unless_failed(self, text: str) -> str: ...
    @abstractmethod
    def each(self, each: Each) -> str: ...
    @abstractmethod
    def submit(self, waited: bool) -> str: ...
    @abstractmethod
    def guarded(self, block: Try) -> str: ...
    @abstractmethod
    def retry(self, block: Retry) -> str: ...
    @abstractmethod
    def send(self, result_check: ResultCheck) -> str: ...
    @abstractmethod
    def flush(self, limit: Limit) -> str: ...
    @abstractmethod
    def wait(self) -> str: ...
    @abstractmethod
    def check(self, handler: Handler) -> str: ...


_POLLS = """\
while (true) {{
    val records = consumer.poll(Duration.ofMillis(500))
{body}
}}"""
_CLOSED = """\
try {{
{polls}
}} finally {{
    consumer.close()%s
}}"""
_ENDING = {
    Limit.NONE: "\n    producer.close()%s",
    Limit.SOME: "\n    producer.close(Duration.ofSeconds(1))%s",
    None: "",
}


class Braced(Writer):
    """A language with braces. Its subclasses define the code templates.

    `frame` is the template of a loop program and `job` that of a job. `record_loops` are the loops
    over records by name, with `{all}` and `{body}`; those in `loops_with_jump` can be left by
    `break` and `return`. `after_log` are the statements of a handler after its log, with `{error}`
    for the caught error, and `end` is the end of a statement. `flags` are forms of a flag of a
    failed poll, and `error_fields` forms of a field with an error: each has a declaration, the
    statement that sets it, and the condition. `fields` and `producer` belong to programs that
    send, `futures` declares the list of futures, and `callbacks` are the bodies of callbacks.
    """

    frame: str
    job: str
    fields: str
    producer: str
    polls: str = _POLLS
    flags: Sequence[tuple[str, str, str]]
    futures: str
    add_future: str
    wait_for_futures: Sequence[str]
    wait_immediately: Sequence[str]
    callbacks: Mapping[ResultCheck, Sequence[str]]
    error_fields: Sequence[tuple[str, str, str]]
    send_call: str
    record: str
    record_loops: Mapping[str, str]
    loops_with_jump: Sequence[str]
    copies_to_list: Sequence[str]
    commit_one: str
    caught: str
    after_log: Mapping[Handler, Sequence[str]]
    end: str

    def program(self, program: Loop | Job) -> str:
        sends = [part for part in parts(program) if isinstance(part, Send)]
        self.error_field = (
            self.error_fields[int(self.choose("012")) % len(self.error_fields)]
            if sends
            else ("",) * 3
        )
        self.flag = self.flags[int(self.choose("012"))]
        body = self.inner(program.body)
        if marks(program):
            body = f"{indent(self.flag[0], '    ')}\n{body}"
        if any(part.result_check is ResultCheck.COLLECTED for part in sends):
            body = f"{indent(self.futures, '    ')}\n{body}"
        if isinstance(program, Job):
            polls = body + _ENDING[program.ending].replace("%s", self.end)
        else:
            polls = self.polls.format(body=body)
        if isinstance(program, Loop) and program.closed:
            polls = (_CLOSED % self.end).format(polls=indent(polls, "    "))
        is_loop = isinstance(program, Loop)
        commits = isinstance(program, Loop) and program.auto_commit
        error_field_code = (
            f"    {self.error_field[0]}\n"
            if any(it.result_check is ResultCheck.STORED for it in sends)
            else ""
        )
        text = (self.frame if is_loop else self.job).format(
            auto_commit=str(commits).lower(),
            polls=indent(polls, " " * (8 if is_loop else 4)), methods="".join(self.methods),
            fields=self.fields + error_field_code if sends else "",
            producer=indent(self.producer, " " * 8) if sends else "",
        )  # fmt: skip
        return text if is_loop else text.replace(self.record, "Order").replace("offset", "key")

    def send(self, result_check: ResultCheck) -> str:
        plain_send = self.send_call.format(callback="")
        match result_check:
            case ResultCheck.WAITED:
                text = self.choose(self.wait_immediately).format(sent=plain_send)
            case ResultCheck.COLLECTED:
                return self.add_future.format(sent=plain_send)
            case ResultCheck.UNCHECKED:
                text = plain_send + self.end
            case _:
                text = self.send_with_callback(self.choose(self.callbacks[result_check]))
        return self.method("send", text) if self.choose(("here", "there")) == "there" else text

    def flush(self, limit: Limit) -> str:
        return f"producer.flush(){self.end}"

    def wait(self) -> str:
        return self.choose(self.wait_for_futures)

    def check(self, handler: Handler) -> str:
        return f"if ({self.error_field[2]}) {{\n{self.handler_body(handler, '')}\n}}"

    @abstractmethod
    def send_with_callback(self, statements: str) -> str:
        """A send with a callback that runs the statements if there is an error `e`."""

    def commit(self, whole: bool) -> str:
        return f"consumer.commitSync(){self.end}" if whole else self.commit_one

    def unless_failed(self, text: str) -> str:
        return f"if ({self.flag[2]}) {{\n{indent(text, '    ')}\n}}"

    def each(self, each: Each) -> str:
        body = self.block(each.body)
        forms = self.loops_with_jump
        if not jumps(each):
            forms = tuple(self.record_loops)
            if not keeps_futures(each) and self.choose(("in place", "method")) == "method":
                body = self.method("handle", body)
        before = self.choose(self.copies_to_list) if each.gathered else ""
        loop = self.record_loops[self.choose(forms)]
        every = "batch" if each.gathered else "records"
        return before + loop.format(all=every, body=indent(body, "    "))

    def try_catch(self, block: Try) -> str:
        """A block with its `catch` and `finally`."""
        text = f"try {{\n{self.inner(block.body)}\n}}"
        if block.handler is not Handler.RETHROW or not block.last:
            text += f" catch ({self.caught}) {{\n{self.handler_body(block.handler, 'e')}\n}}"
        if block.last:
            text += f" finally {{\n{self.inner(block.last)}\n}}"
        return text

    def handler_body(self, handler: Handler, error: str) -> str:
        """The body of a handler, with the name of its error or ''."""
        argument = f", {error}" if error else ""
        after = (self.flag[1],) if handler is Handler.FLAG else self.after_log[handler]
        lines = (f'log.error("failed"{argument}){self.end}', *after)
        return indent("\n".join(line.format(error=error) for line in lines), "    ")

    @abstractmethod
    def method(self, name: str, body: str, returns: str = "") -> str:
        """Adds a method with this body and a record as its parameter. Returns its call."""


_STAYING = (Handler.LOG, Handler.RETHROW)


def jumps(statement: Statement) -> bool:
    """Whether the statement must be in the method that polls: a handler in it leaves a loop, or it
    uses the flag of the poll."""
    return marks(statement) or any(
        isinstance(part, Try | Check) and part.handler not in _STAYING for part in parts(statement)
    )


def marks(program: Loop | Job | Statement) -> bool:
    """Whether the statement flags a poll as failed, or checks that flag."""
    return any(
        (isinstance(part, Try | Check) and part.handler is Handler.FLAG)
        or (isinstance(part, Commit) and part.if_ok)
        for part in parts(program)
    )


def keeps_futures(statement: Statement) -> bool:
    """Whether the statement uses the list of futures, which is local to the method that polls."""
    return any(
        isinstance(part, Wait)
        or (isinstance(part, Send) and part.result_check is ResultCheck.COLLECTED)
        for part in parts(statement)
    )
