"""Random programs: one that loses messages in a simulated failure never gets YES.

The opposite is allowed: a safe program may be refused or get NO if the reader cannot follow it.
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
    Job,
    Limit,
    Log,
    Loop,
    ResultCheck,
    Retry,
    Save,
    Send,
    Try,
    Wait,
)
from tests.advisor.drawn.python import Python
from tests.advisor.drawn.scala import Scala
from tests.advisor.drawn.simulation import loses
from tests.advisor.drawn.writer import Writer

pytestmark = pytest.mark.wide

LANGUAGES = [("A.java", Java), ("A.kt", Kotlin), ("A.scala", Scala), ("a.py", Python)]
_SAVED_FIRST = Each((Save(), Commit()))
_STOPPING_SAVES = Each((Try((Save(),), Handler.STOP),))
_RETRIED_SAVES = Each((Retry((Save(),), throws=True),))
_STORED_SENDS = Each((Send(ResultCheck.STORED),))
_KEPT_SENDS = Each((Send(ResultCheck.COLLECTED),))
_ENDED_SENDS = Each((Send(ResultCheck.EXITED),))
_WAITED_SEND = Each((Log(), Send(ResultCheck.WAITED)))
_COMMIT_ALL = Commit(all=True)
_SAVES = Each((Save(),))
_FLAGGED_SAVES = Each((Try((Save(),), Handler.FLAG),))
_COMMIT_IF_OK = Commit(all=True, if_ok=True)


@pytest.mark.parametrize(
    ("loop", "lost"),
    [
        (Loop((_SAVED_FIRST,)), False),
        (Loop((Each((Log(), Commit(), Save())),)), True),
        (Loop((Each((Save(), Commit(all=True))),)), True),
        (Loop((Each((Save(),)), Commit(all=True))), False),
        (Loop((Commit(all=True), Each((Save(),)))), True),
        (Loop((_STOPPING_SAVES, Commit(all=True))), True),
        (Loop((Each((Try((Save(),), Handler.LEAVE),)), Commit(all=True))), False),
        (Loop((_RETRIED_SAVES,), auto_commit=True), False),
        (Loop((_RETRIED_SAVES,), auto_commit=True, closed=True), True),
        (Loop((Each((Retry((Save(),), throws=False),)), Commit(all=True))), True),
        (Loop((_FLAGGED_SAVES,), auto_commit=True), True),
        (Loop((_FLAGGED_SAVES, _COMMIT_IF_OK)), True),
        (Loop((Each((Try((Save(),), Handler.SKIP), Commit())),)), True),
        (Loop((Try((_SAVES,), Handler.LEAVE), _COMMIT_IF_OK)), False),
    ],
    ids=str,
)
def test_the_simulation_shows_whether_a_loop_loses_messages(loop: Loop, lost: bool) -> None:
    assert loses(loop, librdkafka=False) is lost


@pytest.mark.parametrize(
    ("program", "lost"),
    [
        (Loop((_STORED_SENDS, Flush(), Check(), _COMMIT_ALL)), False),
        (Loop((_STORED_SENDS, Check(), Flush(), _COMMIT_ALL)), True),
        (Loop((_STORED_SENDS, Flush(), Check(Handler.LOG), _COMMIT_ALL)), True),
        (Loop((_KEPT_SENDS, Wait(), _COMMIT_ALL)), False),
        (Loop((_KEPT_SENDS, _COMMIT_ALL, Wait())), True),
        (Loop((_ENDED_SENDS, _COMMIT_ALL)), True),
        (Loop((_ENDED_SENDS, Flush(), _COMMIT_ALL)), False),
        (Job((_STORED_SENDS, Flush(), Check()), None), False),
        (Job((_STORED_SENDS, Check())), True),
        (Job((_ENDED_SENDS,)), False),
        (Job((_ENDED_SENDS,), Limit.SOME), True),
        (Job((Try((_WAITED_SEND,), Handler.LOG),)), True),
        (Job((Each((Send(ResultCheck.THROWN),)),)), True),
    ],
    ids=str,
)
def test_the_simulation_shows_whether_a_send_is_lost(program: Loop | Job, lost: bool) -> None:
    assert loses(program, librdkafka=False) is lost


def test_librdkafka_rethrows_an_exception_of_a_callback_from_flush() -> None:
    assert not loses(Job((Each((Send(ResultCheck.THROWN),)),)), librdkafka=True)


def test_librdkafka_commits_in_the_background_before_the_work() -> None:
    assert loses(Loop((Each((Save(),)),), auto_commit=True), librdkafka=True)


def _assert_no_yes_if_lossy(program: Loop | Job, writer: Writer, path: Path) -> None:
    if loses(program, librdkafka=isinstance(writer, Python)):
        path.write_text(writer.program(program))
        stated = f"{asking.TOPIC} application.restart=resumes"
        code, text = asking.given(
            str(path), stated if isinstance(program, Loop) else f"{stated} {asking.COPIES}"
        )
        assert code, f"{path.read_text()}\n{text}"


def _hypothesis_settings(examples: int) -> settings:
    return settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))


_EACH_STRATEGY = pytest.mark.parametrize("strategy", [loops, sending], ids=["loops", "sending"])
_EACH_LANGUAGE = pytest.mark.parametrize(("name", "language"), LANGUAGES, ids=lambda it: str(it))
_Strategy = Callable[..., st.SearchStrategy[Loop | Job]]


def _assert_drawn_program_gets_no_yes(
    data: st.DataObject, strategy: _Strategy, language: type[Writer], path: Path
) -> None:
    program = data.draw(strategy(librdkafka=language is Python))
    writer = language(lambda forms: data.draw(st.sampled_from(forms)))
    _assert_no_yes_if_lossy(program, writer, path)


@_EACH_STRATEGY
@_EACH_LANGUAGE
@given(data=st.data())
@_hypothesis_settings(30)
def test_a_program_that_loses_messages_gets_no_yes(
    data: st.DataObject, strategy: _Strategy, name: str, language: type[Writer], tmp_path: Path
) -> None:
    _assert_drawn_program_gets_no_yes(data, strategy, language, tmp_path / name)


@pytest.mark.thorough
@pytest.mark.timeout(1_800)
@_EACH_STRATEGY
@_EACH_LANGUAGE
@given(data=st.data())
@_hypothesis_settings(3_000)
def test_many_programs_that_lose_messages_get_no_yes(
    data: st.DataObject, strategy: _Strategy, name: str, language: type[Writer], tmp_path: Path
) -> None:
    _assert_drawn_program_gets_no_yes(data, strategy, language, tmp_path / name)


@_EACH_LANGUAGE
@pytest.mark.parametrize(
    "loop",
    [
        Loop((Each((Log(), Commit(), Save())),)),
        Loop((_STOPPING_SAVES,), auto_commit=True),
        Loop((Each((Log(), Try((Save(),), Handler.LEAVE))),), auto_commit=True, closed=True),
        Loop((_RETRIED_SAVES,), auto_commit=True, closed=True),
        Loop((Each((Try((Save(), Commit(all=True))),), gathered=True),)),
        Loop((Each((Log(), Try((Save(), Commit()), Handler.FLAG))),)),
        Loop((_FLAGGED_SAVES, _COMMIT_IF_OK)),
        Loop((Try((_RETRIED_SAVES,), Handler.FLAG), Commit(all=True))),
        Loop((_FLAGGED_SAVES, _COMMIT_IF_OK), single=True),
    ],
    ids=str,
)
def test_loops_that_once_got_yes_get_no(
    loop: Loop, name: str, language: type[Writer], tmp_path: Path
) -> None:
    for number in range(3):
        choose = partial(_form, number)
        _assert_no_yes_if_lossy(loop, language(choose), tmp_path / name)


@_EACH_LANGUAGE
@pytest.mark.parametrize(
    "program",
    [
        Loop((_STORED_SENDS, Flush(), _COMMIT_ALL)),
        Loop((_STORED_SENDS, Check(Handler.LEAVE), _COMMIT_ALL)),
        Loop((Each((Send(ResultCheck.STORED), Check())), Flush(), _COMMIT_ALL)),
        Loop((_STORED_SENDS, Flush(), Check(Handler.LOG), _COMMIT_ALL), closed=True),
        Job((_STORED_SENDS,)),
        Job((_STORED_SENDS, Flush()), None),
        Job((_STORED_SENDS, Check())),
        Job((_STORED_SENDS, Flush(), Check(Handler.LOG))),
        Job((Try((_ENDED_SENDS,), Handler.LOG),), None),
    ],
    ids=str,
)
def test_programs_that_once_got_yes_and_lost_sends_get_no(
    program: Loop | Job, name: str, language: type[Writer], tmp_path: Path
) -> None:
    for number in range(3):
        choose = partial(_form, number)
        _assert_no_yes_if_lossy(program, language(choose), tmp_path / name)


def _form(number: int, forms: Sequence[str]) -> str:
    return forms[number % len(forms)]
