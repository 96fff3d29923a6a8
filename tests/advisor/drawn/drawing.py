"""Hypothesis strategies for programs: their statements, and the order of these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hypothesis import strategies as st

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

_WITHOUT_FLAG = tuple(handler for handler in Handler if handler is not Handler.FLAG)
_RECORD_HANDLERS = st.sampled_from(_WITHOUT_FLAG)
_POLL_HANDLERS = st.sampled_from((Handler.LOG, Handler.RETHROW, Handler.LEAVE))
"""Handlers around the loop over the records: there is no loop that they could stop."""


@dataclass(frozen=True, slots=True)
class _Choices:
    """The choices for a loop.

    `commits` are those in the block of a record, None without any; `whole` are commits of the whole
    poll. `record_handlers` are in the block of a record, `poll_handlers` around all records.
    """

    commits: st.SearchStrategy[Commit] | None
    whole: st.SearchStrategy[Commit]
    record_handlers: st.SearchStrategy[Handler]
    poll_handlers: st.SearchStrategy[Handler]


_PLAIN = _Choices(
    st.sampled_from((Commit(all=True), Commit())),
    st.just(Commit(all=True)),
    _RECORD_HANDLERS,
    _POLL_HANDLERS,
)
_FLAGGING = _Choices(
    st.sampled_from((Commit(all=True, if_ok=True), Commit(), Commit(if_ok=True))),
    st.sampled_from((Commit(all=True, if_ok=True), Commit(all=True, if_ok=True), Commit(all=True))),
    st.sampled_from((*_WITHOUT_FLAG, *(Handler.FLAG,) * 5)),
    st.sampled_from((Handler.LOG, Handler.RETHROW, Handler.LEAVE, Handler.FLAG, Handler.FLAG)),
)
"""The choices for loops that may flag a poll as failed."""


@st.composite
def _try_around(
    draw: st.DrawFn, body: Block, choices: _Choices, commits: st.SearchStrategy[Commit]
) -> Statement:
    """A `try` around a block, with a commit at its end, in `finally`, or without a commit."""
    inside = draw(st.booleans())
    guarded = (*body, draw(commits)) if inside else body
    last = () if inside or draw(st.integers(0, 3)) else (draw(commits),)
    is_whole_poll = any(isinstance(part, Each | Submit) for part in body)
    return Try(
        guarded, draw(choices.poll_handlers if is_whole_poll else choices.record_handlers), last
    )


@st.composite
def _record_block(draw: st.DrawFn, choices: _Choices) -> Block:
    """The block of a record: it saves the record once, and may log and commit, in any order."""
    save: Statement = Save()
    commits = choices.commits
    match draw(st.sampled_from(("plain", "plain", "try", "retry"))):
        case "try":
            save = (
                draw(_try_around((save,), choices, commits))
                if commits is not None
                else Try((save,), draw(choices.record_handlers))
            )
        case "retry":
            save = Retry((save,), throws=draw(st.booleans()))
        case _:
            pass
    others: list[Statement] = [Log()] if draw(st.booleans()) else []
    if commits is not None and draw(st.booleans()):
        others.append(draw(commits))
    return tuple(draw(st.permutations([save, *others])))


def one_record(
    handlers: st.SearchStrategy[Handler], commits: st.SearchStrategy[Commit] | None
) -> st.SearchStrategy[Block]:
    """The block of a record with these handlers and commits."""
    return _record_block(_Choices(commits, st.just(Commit()), handlers, handlers))


@st.composite
def loops(draw: st.DrawFn, *, librdkafka: bool) -> Loop:
    """A loop with automatic or manual commits."""
    auto_commit = draw(st.integers(0, 4)) == 0
    closed = draw(st.booleans())
    single = librdkafka and draw(st.booleans())
    choices = draw(st.sampled_from((_PLAIN, _FLAGGING)))
    if auto_commit:
        choices = replace(_PLAIN, commits=None)
    work: Statement = Submit(draw(st.booleans()))
    if draw(st.integers(0, 4)):
        work = Each(
            draw(_record_block(choices)), gathered=not single and not draw(st.integers(0, 3))
        )
    body: Block = (work,)
    if not draw(st.integers(0, 2)):
        around = choices.poll_handlers
        body = (
            Try(body, draw(around))
            if auto_commit
            else draw(_try_around(body, choices, choices.whole)),
        )
    if not auto_commit and (draw(st.booleans()) or not _commits(body)):
        body = tuple(draw(st.permutations([*body, draw(choices.whole)])))
    return Loop(body, auto_commit, closed, single)


def _commits(body: Block) -> bool:
    return any(isinstance(part, Commit) for statement in body for part in parts(statement))


_JAVA_LIMITS = (Limit.NONE,)
_LIBRDKAFKA_LIMITS = tuple(Limit)
_CALLBACK_CHECKS = (
    ResultCheck.UNCHECKED,
    ResultCheck.LOGGED,
    ResultCheck.STORED,
    ResultCheck.STORED,
    ResultCheck.THROWN,
    ResultCheck.EXITED,
)
_FUTURE_CHECKS = (
    *_CALLBACK_CHECKS,
    ResultCheck.WAITED,
    ResultCheck.WAITED,
    ResultCheck.COLLECTED,
    ResultCheck.COLLECTED,
)
_ENDINGS = (Limit.NONE, Limit.NONE, Limit.SOME, None)
_JOB_HANDLERS = st.sampled_from((Handler.LOG, Handler.RETHROW))
"""Other handlers make the exit status of a job ambiguous."""


@st.composite
def sending(draw: st.DrawFn, *, librdkafka: bool) -> Loop | Job:
    """A program that sends: a loop that sends what it polls, or a job that sends its input."""
    result_check = draw(st.sampled_from(_CALLBACK_CHECKS if librdkafka else _FUTURE_CHECKS))
    limits = st.sampled_from(_LIBRDKAFKA_LIMITS if librdkafka else _JAVA_LIMITS)
    is_job = draw(st.booleans())
    record_block = draw(_send_block(result_check, limits, is_job=is_job))
    tail = draw(_tail(result_check, limits, is_job=is_job))
    body: Sequence[Statement] = (Each(record_block), *tail)
    if not draw(st.integers(0, 3)):
        body = draw(st.permutations(body))
    if not draw(st.integers(0, 4)):
        size = draw(st.integers(1, len(body)))
        handler = draw(_JOB_HANDLERS if is_job else _POLL_HANDLERS)
        body = (Try(tuple(body[:size]), handler), *body[size:])
    if is_job:
        return Job(tuple(body), draw(st.sampled_from(_ENDINGS)))
    return Loop(tuple(body), closed=draw(st.booleans()))


@st.composite
def _tail(
    draw: st.DrawFn, result_check: ResultCheck, limits: st.SearchStrategy[Limit], *, is_job: bool
) -> Block:
    """The statements after all sends."""
    statements = list[Statement]()
    if draw(st.booleans()):
        statements.append(Flush(draw(limits)))
    if result_check is ResultCheck.COLLECTED and draw(st.integers(0, 3)):
        statements.append(Wait())
    if result_check is ResultCheck.STORED and draw(st.integers(0, 3)):
        statements.append(Check(draw(_JOB_HANDLERS if is_job else _POLL_HANDLERS)))
    return (*statements,) if is_job else (*statements, Commit(all=True))


@st.composite
def _send_block(
    draw: st.DrawFn, result_check: ResultCheck, limits: st.SearchStrategy[Limit], *, is_job: bool
) -> Block:
    """The statements that send a record."""
    statements: Block = (Send(result_check),)
    if not draw(st.integers(0, 3)):
        statements = (*statements, Flush(draw(limits)))
    if result_check is ResultCheck.STORED and not draw(st.integers(0, 3)):
        statements = (*statements, Check(draw(_JOB_HANDLERS if is_job else _RECORD_HANDLERS)))
    match draw(st.sampled_from(("plain", "plain", "plain", "try", "retry"))):
        case "try":
            statements = (Try(statements, draw(_JOB_HANDLERS if is_job else _RECORD_HANDLERS)),)
        case "retry" if result_check is ResultCheck.WAITED:
            statements = (Retry(statements, throws=draw(st.booleans())),)
        case _:
            pass
    others = (Log(),) if draw(st.booleans()) else ()
    if not is_job and not draw(st.integers(0, 3)):
        return (*others, *statements, Commit())
    return (*others, *statements)
