"""A listener of Spring that is drawn, and loses messages in some failure when its container's loop
is played, is never read as one that shows nothing."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from advisor.catalog import Component
from advisor.intake.frameworks.spring.code import read
from advisor.intake.text import IntakeError
from tests.advisor.drawn.listeners import JavaListener, KotlinListener, Listener, listeners
from tests.advisor.drawn.loops import Commit, Handler, Log, Retry, Save, Try
from tests.advisor.drawn.playing import loses

pytestmark = pytest.mark.wide

_LANGUAGES = [JavaListener, KotlinListener]
_Language = type[JavaListener | KotlinListener]
_BESIDE = ("framework", "dead.letter")
"""What is said of each listener, and of each that passes an error over."""
_WRITTEN = pytest.mark.parametrize("language", _LANGUAGES, ids=lambda it: it.__name__)


def _shown(text: str) -> set[str]:
    """The facts that break a guarantee, or why the listener is not read."""
    try:
        items = read(text).items
    except IntakeError as error:
        return {str(error)}
    facts = {item.name: item.text for item in items if item.component is Component.APPLICATION}
    return {f"{name}={text}" for name, text in facts.items() if name not in _BESIDE}


def _is_shown(drawn: Listener, writer: JavaListener | KotlinListener) -> None:
    if loses(drawn.loop, of_c=False):
        text = writer.listener(drawn)
        assert _shown(text), text


@_WRITTEN
@given(data=st.data())
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_listener_that_loses_messages_shows_it(data: st.DataObject, language: _Language) -> None:
    writer = language(lambda forms: data.draw(st.sampled_from(forms)))
    _is_shown(data.draw(listeners()), writer)


@_WRITTEN
@pytest.mark.parametrize(
    ("body", "acknowledged", "facts"),
    [
        ((Log(), Save()), False, set()),
        ((Save(), Commit()), True, set()),
        ((Commit(), Save()), True, {"commit=before-processing"}),
        ((Try((Save(),), Handler.RETHROW),), False, set()),
        ((Try((Save(),), Handler.LOG),), False, {"processing.errors=skip"}),
        ((Try((Save(),), Handler.SKIP), Log()), False, {"processing.errors=skip"}),
        ((Retry((Save(),), throws=True),), False, set()),
        ((Retry((Save(),), throws=False),), False, {"processing.errors=skip"}),
    ],
    ids=str,
)
def test_what_a_listener_shows(
    body: Sequence[Log | Save | Commit | Try | Retry], acknowledged: bool, facts: set[str],
    language: _Language,
) -> None:  # fmt: skip
    drawn = Listener(tuple(body), acknowledged)
    assert loses(drawn.loop, of_c=False) is bool(facts)
    for number in range(3):
        writer = language(partial(_form, number))
        assert _shown(writer.listener(drawn)) == facts


def _form(number: int, forms: Sequence[str]) -> str:
    return forms[number % len(forms)]
