"""Random Spring listeners: one that loses messages in a simulated failure never reads as safe."""

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
from tests.advisor.drawn.simulation import loses

pytestmark = pytest.mark.wide

_LANGUAGES = [JavaListener, KotlinListener]
_Language = type[JavaListener | KotlinListener]
_COMMON_FACTS = ("framework", "dead.letter")
"""Facts of every listener, and of every listener that skips a record after an error."""
_EACH_LANGUAGE = pytest.mark.parametrize("language", _LANGUAGES, ids=lambda it: it.__name__)


def _facts_or_error(text: str) -> set[str]:
    """The facts that break a guarantee, or the error if the listener cannot be read."""
    try:
        items = read(text).items
    except IntakeError as error:
        return {str(error)}
    facts = {item.name: item.text for item in items if item.component is Component.APPLICATION}
    return {f"{name}={text}" for name, text in facts.items() if name not in _COMMON_FACTS}


def _assert_loss_is_shown(drawn: Listener, writer: JavaListener | KotlinListener) -> None:
    if loses(drawn.loop, librdkafka=False):
        text = writer.listener(drawn)
        assert _facts_or_error(text), text


@_EACH_LANGUAGE
@given(data=st.data())
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_listener_that_loses_messages_shows_it(data: st.DataObject, language: _Language) -> None:
    writer = language(lambda forms: data.draw(st.sampled_from(forms)))
    _assert_loss_is_shown(data.draw(listeners()), writer)


@_EACH_LANGUAGE
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
def test_a_listener_shows_these_facts(
    body: Sequence[Log | Save | Commit | Try | Retry], acknowledged: bool, facts: set[str],
    language: _Language,
) -> None:  # fmt: skip
    drawn = Listener(tuple(body), acknowledged)
    assert loses(drawn.loop, librdkafka=False) is bool(facts)
    for number in range(3):
        writer = language(partial(_form, number))
        assert _facts_or_error(writer.listener(drawn)) == facts


def _form(number: int, forms: Sequence[str]) -> str:
    return forms[number % len(forms)]
