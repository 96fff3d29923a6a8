"""Draws programs: which statements there are, and in which order."""

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

_OF_ONE = tuple(handler for handler in Handler if handler is not Handler.FLAG)
_HANDLERS = st.sampled_from(_OF_ONE)
_OF_ALL = st.sampled_from((Handler.LOG, Handler.RETHROW, Handler.LEAVE))
"""Around the loop over the records there is none to stop."""


@dataclass(frozen=True, slots=True)
class _Choices:
    """What a loop may have: `commits` of one record or all, or None, and `whole` ones of all;
    handlers of what is done with one record, and around all of them."""

    commits: st.SearchStrategy[Commit] | None
    whole: st.SearchStrategy[Commit]
    of_one: st.SearchStrategy[Handler]
    of_all: st.SearchStrategy[Handler]


_PLAIN = _Choices(
    st.sampled_from((Commit(all=True), Commit())), st.just(Commit(all=True)), _HANDLERS, _OF_ALL
)
_MARKING = _Choices(
    st.sampled_from((Commit(all=True, if_ok=True), Commit(), Commit(if_ok=True))),
    st.sampled_from((Commit(all=True, if_ok=True), Commit(all=True, if_ok=True), Commit(all=True))),
    st.sampled_from((*_OF_ONE, *(Handler.FLAG,) * 5)),
    st.sampled_from((Handler.LOG, Handler.RETHROW, Handler.LEAVE, Handler.FLAG, Handler.FLAG)),
)
"""A poll in which something failed may be marked."""


@st.composite
def _around(
    draw: st.DrawFn, body: Block, choices: _Choices, commits: st.SearchStrategy[Commit]
) -> Statement:
    """A block in a `try`, with a commit behind it in the same block, or after all, or neither."""
    inside = draw(st.booleans())
    kept = (*body, draw(commits)) if inside else body
    last = () if inside or draw(st.integers(0, 3)) else (draw(commits),)
    every = any(isinstance(part, Each | Submit) for part in body)
    return Try(kept, draw(choices.of_all if every else choices.of_one), last)


@st.composite
def _of_one(draw: st.DrawFn, choices: _Choices) -> Block:
    """What is done with a record: it is saved once, and whatever else, in any order."""
    save: Statement = Save()
    commits = choices.commits
    match draw(st.sampled_from(("plain", "plain", "try", "retry"))):
        case "try":
            save = (
                draw(_around((save,), choices, commits))
                if commits is not None
                else Try((save,), draw(choices.of_one))
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
    """What is done with a record, with these handlers and commits."""
    return _of_one(_Choices(commits, st.just(Commit()), handlers, handlers))


@st.composite
def loops(draw: st.DrawFn, *, of_c: bool) -> Loop:
    """A loop that commits somewhere, by itself or by its statements."""
    auto_commit = draw(st.integers(0, 4)) == 0
    closed = draw(st.booleans())
    single = of_c and draw(st.booleans())
    choices = draw(st.sampled_from((_PLAIN, _MARKING)))
    if auto_commit:
        choices = replace(_PLAIN, commits=None)
    work: Statement = Submit(draw(st.booleans()))
    if draw(st.integers(0, 4)):
        work = Each(draw(_of_one(choices)), gathered=not single and not draw(st.integers(0, 3)))
    body: Block = (work,)
    if not draw(st.integers(0, 2)):
        around = choices.of_all
        body = (
            Try(body, draw(around)) if auto_commit else draw(_around(body, choices, choices.whole)),
        )
    if not auto_commit and (draw(st.booleans()) or not _commits(body)):
        body = tuple(draw(st.permutations([*body, draw(choices.whole)])))
    return Loop(body, auto_commit, closed, single)


def _commits(body: Block) -> bool:
    return any(isinstance(part, Commit) for statement in body for part in parts(statement))


_OF_JAVA = (Limit.NONE,)
_OF_C = tuple(Limit)
_OF_CALLBACKS = (Heard.NOBODY, Heard.LOGGED, Heard.STORED, Heard.STORED, Heard.THROWN, Heard.ENDED)
_OF_FUTURES = (*_OF_CALLBACKS, Heard.WAITED, Heard.WAITED, Heard.KEPT, Heard.KEPT)
_ENDINGS = (Limit.NONE, Limit.NONE, Limit.SOME, None)
_OF_JOB = st.sampled_from((Handler.LOG, Handler.RETHROW))
"""What else a handler does leaves open what the end of a job says."""


@st.composite
def sending(draw: st.DrawFn, *, of_c: bool) -> Loop | Job:
    """A program that sends: what it polls, or what it was given."""
    heard = draw(st.sampled_from(_OF_CALLBACKS if of_c else _OF_FUTURES))
    limits = st.sampled_from(_OF_C if of_c else _OF_JAVA)
    is_job = draw(st.booleans())
    of_one = draw(_sent(heard, limits, is_job=is_job))
    tail = draw(_tail(heard, limits, is_job=is_job))
    body: Sequence[Statement] = (Each(of_one), *tail)
    if not draw(st.integers(0, 3)):
        body = draw(st.permutations(body))
    if not draw(st.integers(0, 4)):
        some = draw(st.integers(1, len(body)))
        handler = draw(_OF_JOB if is_job else _OF_ALL)
        body = (Try(tuple(body[:some]), handler), *body[some:])
    if is_job:
        return Job(tuple(body), draw(st.sampled_from(_ENDINGS)))
    return Loop(tuple(body), closed=draw(st.booleans()))


@st.composite
def _tail(
    draw: st.DrawFn, heard: Heard, limits: st.SearchStrategy[Limit], *, is_job: bool
) -> Block:
    """What is done behind all that was sent."""
    found = list[Statement]()
    if draw(st.booleans()):
        found.append(Flush(draw(limits)))
    if heard is Heard.KEPT and draw(st.integers(0, 3)):
        found.append(Wait())
    if heard is Heard.STORED and draw(st.integers(0, 3)):
        found.append(Check(draw(_OF_JOB if is_job else _OF_ALL)))
    return (*found,) if is_job else (*found, Commit(all=True))


@st.composite
def _sent(
    draw: st.DrawFn, heard: Heard, limits: st.SearchStrategy[Limit], *, is_job: bool
) -> Block:
    """What is done to send a record."""
    sent: Block = (Send(heard),)
    if not draw(st.integers(0, 3)):
        sent = (*sent, Flush(draw(limits)))
    if heard is Heard.STORED and not draw(st.integers(0, 3)):
        sent = (*sent, Check(draw(_OF_JOB if is_job else _HANDLERS)))
    match draw(st.sampled_from(("plain", "plain", "plain", "try", "retry"))):
        case "try":
            sent = (Try(sent, draw(_OF_JOB if is_job else _HANDLERS)),)
        case "retry" if heard is Heard.WAITED:
            sent = (Retry(sent, throws=draw(st.booleans())),)
        case _:
            pass
    others = (Log(),) if draw(st.booleans()) else ()
    if not is_job and not draw(st.integers(0, 3)):
        return (*others, *sent, Commit())
    return (*others, *sent)
