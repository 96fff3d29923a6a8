"""A program that is drawn, and loses messages in some failure when it is played, is never a yes.

The other way round a refusal or a needless no is allowed: what a reader cannot follow it need not
call safe.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.advisor.configurations import asking
from tests.advisor.drawn.drawing import loops, sending
from tests.advisor.drawn.java import Java
from tests.advisor.drawn.kotlin import Kotlin
from tests.advisor.drawn.loops import (
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
    Try,
    Wait,
)
from tests.advisor.drawn.playing import loses
from tests.advisor.drawn.python import Python
from tests.advisor.drawn.scala import Scala
from tests.advisor.drawn.writer import Writer

pytestmark = pytest.mark.wide

LANGUAGES = [("A.java", Java), ("A.kt", Kotlin), ("A.scala", Scala), ("a.py", Python)]
_SAVED_FIRST = Each((Save(), Commit()))
_STOPPED = Each((Try((Save(),), Handler.STOP),))
_RETRIED = Each((Retry((Save(),), throws=True),))
_STORED = Each((Send(Heard.STORED),))
_KEPT = Each((Send(Heard.KEPT),))
_ENDED = Each((Send(Heard.ENDED),))
_WAITED = Each((Log(), Send(Heard.WAITED)))
_ALL = Commit(all=True)
_SAVED = Each((Save(),))
_MARKED = Each((Try((Save(),), Handler.FLAG),))
_WHERE_OK = Commit(all=True, if_ok=True)


@pytest.mark.parametrize(
    ("loop", "lost"),
    [
        (Loop((_SAVED_FIRST,)), False),
        (Loop((Each((Log(), Commit(), Save())),)), True),
        (Loop((Each((Save(), Commit(all=True))),)), True),
        (Loop((Each((Save(),)), Commit(all=True))), False),
        (Loop((Commit(all=True), Each((Save(),)))), True),
        (Loop((_STOPPED, Commit(all=True))), True),
        (Loop((Each((Try((Save(),), Handler.LEAVE),)), Commit(all=True))), False),
        (Loop((_RETRIED,), auto_commit=True), False),
        (Loop((_RETRIED,), auto_commit=True, closed=True), True),
        (Loop((Each((Retry((Save(),), throws=False),)), Commit(all=True))), True),
        (Loop((_MARKED,), auto_commit=True), True),
        (Loop((_MARKED, _WHERE_OK)), True),
        (Loop((Each((Try((Save(),), Handler.SKIP), Commit())),)), True),
        (Loop((Try((_SAVED,), Handler.LEAVE), _WHERE_OK)), False),
    ],
    ids=str,
)
def test_what_a_loop_loses(loop: Loop, lost: bool) -> None:
    assert loses(loop, of_c=False) is lost


@pytest.mark.parametrize(
    ("program", "lost"),
    [
        (Loop((_STORED, Flush(), Check(), _ALL)), False),
        (Loop((_STORED, Check(), Flush(), _ALL)), True),
        (Loop((_STORED, Flush(), Check(Handler.LOG), _ALL)), True),
        (Loop((_KEPT, Wait(), _ALL)), False),
        (Loop((_KEPT, _ALL, Wait())), True),
        (Loop((_ENDED, _ALL)), True),
        (Loop((_ENDED, Flush(), _ALL)), False),
        (Job((_STORED, Flush(), Check()), None), False),
        (Job((_STORED, Check())), True),
        (Job((_ENDED,)), False),
        (Job((_ENDED,), Limit.SOME), True),
        (Job((Try((_WAITED,), Handler.LOG),)), True),
        (Job((Each((Send(Heard.THROWN),)),)), True),
    ],
    ids=str,
)
def test_what_becomes_of_what_a_program_sends(program: Loop | Job, lost: bool) -> None:
    assert loses(program, of_c=False) is lost


def test_what_a_callback_throws_leaves_a_flush_of_c() -> None:
    assert not loses(Job((Each((Send(Heard.THROWN),)),)), of_c=True)


def test_automatic_commits_in_the_background_come_before_the_work() -> None:
    assert loses(Loop((Each((Save(),)),), auto_commit=True), of_c=True)


def _never_a_yes(program: Loop | Job, writer: Writer, path: Path) -> None:
    if loses(program, of_c=isinstance(writer, Python)):
        path.write_text(writer.program(program))
        stated = f"{asking.TOPIC} application.restart=resumes"
        code, text = asking.given(
            str(path), stated if isinstance(program, Loop) else f"{stated} {asking.COPIES}"
        )
        assert code, f"{path.read_text()}\n{text}"


def _drawn(examples: int) -> settings:
    return settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))


_DRAWN = pytest.mark.parametrize("drawn", [loops, sending], ids=["loops", "sending"])
_WRITTEN = pytest.mark.parametrize(("name", "language"), LANGUAGES, ids=lambda it: str(it))
_Drawn = Callable[..., st.SearchStrategy[Loop | Job]]


def _none_is_a_yes(data: st.DataObject, drawn: _Drawn, language: type[Writer], path: Path) -> None:
    program = data.draw(drawn(of_c=language is Python))
    writer = language(lambda forms: data.draw(st.sampled_from(forms)))
    _never_a_yes(program, writer, path)


@_DRAWN
@_WRITTEN
@given(data=st.data())
@_drawn(30)
def test_a_program_that_loses_messages_is_no_yes(
    data: st.DataObject, drawn: _Drawn, name: str, language: type[Writer], tmp_path: Path
) -> None:
    _none_is_a_yes(data, drawn, language, tmp_path / name)


@pytest.mark.thorough
@pytest.mark.timeout(1_800)
@_DRAWN
@_WRITTEN
@given(data=st.data())
@_drawn(3_000)
def test_many_programs_that_lose_messages_are_no_yes(
    data: st.DataObject, drawn: _Drawn, name: str, language: type[Writer], tmp_path: Path
) -> None:
    _none_is_a_yes(data, drawn, language, tmp_path / name)


@_WRITTEN
@pytest.mark.parametrize(
    "loop",
    [
        Loop((Each((Log(), Commit(), Save())),)),
        Loop((_STOPPED,), auto_commit=True),
        Loop((Each((Log(), Try((Save(),), Handler.LEAVE))),), auto_commit=True, closed=True),
        Loop((_RETRIED,), auto_commit=True, closed=True),
        Loop((Each((Try((Save(), Commit(all=True))),), gathered=True),)),
        Loop((Each((Log(), Try((Save(), Commit()), Handler.FLAG))),)),
        Loop((_MARKED, _WHERE_OK)),
        Loop((Try((_RETRIED,), Handler.FLAG), Commit(all=True))),
        Loop((_MARKED, _WHERE_OK), single=True),
    ],
    ids=str,
)
def test_these_were_a_yes(loop: Loop, name: str, language: type[Writer], tmp_path: Path) -> None:
    for number in range(3):
        chosen = partial(_form, number)
        _never_a_yes(loop, language(chosen), tmp_path / name)


@_WRITTEN
@pytest.mark.parametrize(
    "program",
    [
        Loop((_STORED, Flush(), _ALL)),
        Loop((_STORED, Check(Handler.LEAVE), _ALL)),
        Loop((_STORED, Flush(), Check(Handler.LOG), _ALL), closed=True),
        Job((_STORED,)),
        Job((_STORED, Flush()), None),
        Job((_STORED, Check())),
        Job((_STORED, Flush(), Check(Handler.LOG))),
        Job((Try((_ENDED,), Handler.LOG),), None),
    ],
    ids=str,
)
def test_these_were_a_yes_and_lost_what_they_sent(
    program: Loop | Job, name: str, language: type[Writer], tmp_path: Path
) -> None:
    for number in range(3):
        chosen = partial(_form, number)
        _never_a_yes(program, language(chosen), tmp_path / name)


def _form(number: int, forms: Sequence[str]) -> str:
    return forms[number % len(forms)]
