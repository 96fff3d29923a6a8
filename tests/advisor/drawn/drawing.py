"""Draws loops: which statements there are, and in which order."""

from __future__ import annotations

from hypothesis import strategies as st

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

_COMMITS = st.one_of(st.just(Commit(all=True)), st.just(Commit()))
_WHOLE = st.just(Commit(all=True))
_HANDLERS = st.sampled_from(Handler)
_OF_ALL = st.sampled_from((Handler.LOG, Handler.RETHROW, Handler.LEAVE))
"""Around the loop over the records there is none to stop."""


@st.composite
def _around(draw: st.DrawFn, body: Block, commits: st.SearchStrategy[Commit]) -> Statement:
    """A block in a `try`, with a commit behind it in the same block, or after all, or neither."""
    inside = draw(st.booleans())
    kept = (*body, draw(commits)) if inside else body
    last = () if inside or draw(st.integers(0, 3)) else (draw(commits),)
    every = any(isinstance(part, Each | Submit) for part in body)
    return Try(kept, draw(_OF_ALL if every else _HANDLERS), last)


@st.composite
def _of_one(draw: st.DrawFn, commits: st.SearchStrategy[Commit] | None) -> Block:
    """What is done with a record: it is saved once, and whatever else, in any order."""
    save: Statement = Save()
    match draw(st.sampled_from(("plain", "plain", "try", "retry"))):
        case "try":
            save = (
                draw(_around((save,), commits))
                if commits is not None
                else Try((save,), draw(_HANDLERS))
            )
        case "retry":
            save = Retry((save,), throws=draw(st.booleans()))
        case _:
            pass
    others: list[Statement] = [Log()] if draw(st.booleans()) else []
    if commits is not None and draw(st.booleans()):
        others.append(draw(commits))
    return tuple(draw(st.permutations([save, *others])))


@st.composite
def loops(draw: st.DrawFn) -> Loop:
    """A loop that commits somewhere, by itself or by its statements."""
    auto_commit = draw(st.integers(0, 4)) == 0
    closed = draw(st.booleans())
    commits = None if auto_commit else _COMMITS
    work: Statement = Submit(draw(st.booleans()))
    if draw(st.integers(0, 4)):
        work = Each(draw(_of_one(commits)), gathered=not draw(st.integers(0, 3)))
    body: Block = (work,)
    if not draw(st.integers(0, 2)):
        body = (draw(_around(body, _WHOLE)) if commits is not None else Try(body, draw(_OF_ALL)),)
    if commits is not None and (draw(st.booleans()) or not _commits(body)):
        body = tuple(draw(st.permutations([*body, draw(_WHOLE)])))
    return Loop(body, auto_commit, closed)


def _commits(body: Block) -> bool:
    return any(isinstance(part, Commit) for statement in body for part in parts(statement))
