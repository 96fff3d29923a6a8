"""The questionnaire's answers while a person is still giving them, kept in the session.

Every answer is kept as it was typed, right or wrong, so that reload, back and an error message
lose nothing; of a free text only what the model looks at (`advisor.catalog.texts`). An answer
becomes a setting only in `services.from_fields`, through the catalog.

What is typed is kept even before its form is sent. Such a request may be overtaken by the form
itself; so each page carries a stamp, which is new whenever answers were sent, put aside or
brought back, and what comes with an old stamp is too late to be kept.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from django.contrib.sessions.backends.base import SessionBase
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.db import transaction

from advisor.catalog import (
    Component,
    Family,
    SettingError,
    kafka_versions,
    lookup,
    parse,
    versions,
)
from advisor.catalog.texts import kept_of_field
from advisor.questions.durations import is_duration, milliseconds
from advisor.questions.question import Step
from advisor.questions.questionnaire import DEFAULTS, step_of

MAX_LENGTH = 400
"""Longer answers are cut; the catalog refuses anything near this length with a message."""

MOST_LETTERS = 10_000
"""Of all answers together; a file that states every setting has half of that."""

_KEY, _UNDO_KEY, _STAMP_KEY = "draft", "draft_before", "draft_stamp"
_NAME_KEY, _UNDO_NAME_KEY = "draft_name", "draft_before_name"
"""Each page carries the name of its draft, so that one page of another draft does not fill it."""
_TYPED_KEY = "draft_typed"
"""Which page an answer was typed on that was kept without its form being sent."""


@dataclass(frozen=True, slots=True)
class Draft:
    """Answers by field name, and the steps already done."""

    fields: Mapping[str, str] = field(default_factory=dict)
    done: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Drops the part of each free text that is not used: it may be a secret.

        Of what is too much together only the first answers stay: the draft is a row of a session.
        """
        left, fields = MOST_LETTERS, dict[str, str]()
        for name, text in self.fields.items():
            fields[name] = kept_of_field(name, text)[:left]
            left -= len(fields[name])
        object.__setattr__(self, "fields", fields)

    def answer(self, name: str) -> str:
        """The answer as typed, or the value of a fresh questionnaire."""
        return self.fields.get(name, DEFAULTS.get(name, ""))

    @property
    def family(self) -> Family:
        """The client family; Java until a known one is chosen."""
        answer = self.answer("family")
        return Family(answer) if answer in set(Family) else Family.JAVA

    @property
    def version(self) -> str:
        """The chosen client version; by default the brokers' own line, else the family's newest."""
        return self.answer(f"version.{self.family}") or versions(self.family)[0]

    @property
    def kafka(self) -> str:
        """The brokers' version, by default the newest."""
        return self.answer("kafka") or kafka_versions()[0]

    def flat(self) -> dict[str, str]:
        """The fields as `services.from_fields` takes them, without those that are `left_out`."""
        fields = {**DEFAULTS, **self.fields, "version": self.version, "kafka": self.kafka}
        out = dict(self.left_out())
        return {
            name: self._raw(name, text)
            for name, text in fields.items()
            if name not in out and not name.startswith("version.")
        }

    @staticmethod
    def _raw(name: str, text: str) -> str:
        """An answer as the product writes it; durations in words become milliseconds."""
        return (milliseconds(text) or text) if is_duration(name) else text

    def left_out(self) -> Iterator[tuple[str, str]]:
        """Answers about settings that the chosen client does not have, or decides itself.

        They stay in the draft, so that changing the client back loses nothing. A wrong answer from
        a saved pipeline is among them if no step asks for it, because it could not be corrected.
        """
        for name, text in self.fields.items():
            if text and not self._counts(name, text):
                yield name, text

    def _counts(self, name: str, text: str) -> bool:
        part, _, key = name.partition(".")
        if part not in set(Component):
            return step_of(name, self.family) is not None
        try:
            setting = lookup(self.family, self.version, self.kafka, Component(part), key)
            if step_of(name, self.family) is None:
                parse(setting, self._raw(name, text))
        except SettingError as error:
            # An unknown version is a problem of its own field, not of this one.
            return error.problem.setting in ("version", "kafka")
        return True

    def answered(self, step: Step, given: Mapping[str, str]) -> Draft:
        """This draft with a step's answers; fields that the step does not ask for are ignored."""
        names = [question.name for question in step.questions if question.name in given]
        fields = {**self.fields, **{name: given[name][:MAX_LENGTH] for name in names}}
        return replace(self, fields=fields)

    def finished(self, step: Step) -> Draft:
        """This draft with a step marked as done."""
        return replace(self, done=tuple(dict.fromkeys((*self.done, step.slug))))


def of_answers(fields: Mapping[str, str]) -> Draft:
    """A draft that holds what was saved, right or wrong by now, to be edited."""
    others = {name: text for name, text in fields.items() if name != "version"}
    return Draft({**others, f"version.{fields['family']}": fields["version"]})


def load(session: SessionBase) -> Draft:
    """The session's draft; a fresh one if there is none."""
    return _draft(session.get(_KEY))


def save(session: SessionBase, draft: Draft) -> None:
    """Keeps a draft in the session."""
    session[_KEY] = asdict(draft)
    session[_STAMP_KEY] = secrets.token_hex(4)
    session[_TYPED_KEY] = {}


def name(session: SessionBase) -> str:
    """Which draft it is; empty for the first one of a session."""
    text: str = session.get(_NAME_KEY, "")
    return text


def has_two(session: SessionBase) -> bool:
    """Whether another draft was put aside, so that a page has to say whose it is."""
    return _UNDO_NAME_KEY in session


def turn_to(session: SessionBase, named: str | None) -> None:
    """Takes the draft of that name back if it is the one put aside; the present one is put aside.

    So two tabs with a description each take turns, and neither answers into the other's. A page
    that names none, or one that is gone, is about the present draft.
    """
    if named not in (None, name(session)) and named == session.get(_UNDO_NAME_KEY):
        take_back(session)


def of(session: SessionBase, named: str | None) -> Draft:
    """The draft of that name, whichever of the two it is; else the present one."""
    other = named not in (None, name(session)) and named == session.get(_UNDO_NAME_KEY)
    return _draft(session.get(_UNDO_KEY)) if other else load(session)


def stamp(session: SessionBase) -> str:
    """What a page must carry for `keep`; empty where nothing was answered yet."""
    text: str = session.get(_STAMP_KEY, "")
    return text


def typed_on(session: SessionBase, page: str) -> set[str]:
    """The fields whose latest answer was typed on this page and not sent yet."""
    typed: dict[str, str] = session.get(_TYPED_KEY) or {}
    return {name for name, where in typed.items() if where == page}


def keep(
    session: SessionBase, step: Step, given: Mapping[str, str], stamped: str, page: str = ""
) -> None:
    """Keeps what is typed in a step, unless it comes too late, and on which page that was.

    The session is read again and saved at once, with its row locked (by PostgreSQL; in SQLite
    only one transaction writes at a time): a form that is sent meanwhile is not overwritten.
    """
    typed = {question.name: page for question in step.questions if question.name in given}
    if session.session_key is None:
        if not stamped:  # the first answer of a new visitor: a session begins
            session[_KEY] = asdict(Draft().answered(step, given))
            session[_TYPED_KEY] = typed
        return
    with transaction.atomic():
        if not Session.objects.select_for_update().filter(pk=session.session_key):
            return
        now = SessionStore(session.session_key)
        if now.get(_STAMP_KEY, "") == stamped:
            now[_KEY] = asdict(load(now).answered(step, given))
            now[_TYPED_KEY] = {**(now.get(_TYPED_KEY) or {}), **typed}
            now.save()


def put_aside(session: SessionBase, draft: Draft, *, another: bool = True) -> None:
    """Keeps a new draft and puts the one before aside, so that `take_back` can bring it back.

    Unless it is `another` one, pages of the one before go on with it.
    """
    session[_UNDO_KEY], session[_UNDO_NAME_KEY] = session.get(_KEY), name(session)
    if another:
        session[_NAME_KEY] = secrets.token_hex(4)
    save(session, draft)


def take_back(session: SessionBase) -> None:
    """Exchanges the draft with the one put aside, if there is one."""
    if _UNDO_KEY in session:
        before, named = session.get(_KEY), name(session)
        session[_NAME_KEY] = session.get(_UNDO_NAME_KEY, "")
        save(session, _draft(session[_UNDO_KEY]))
        session[_UNDO_KEY], session[_UNDO_NAME_KEY] = before, named


def can_take_back(session: SessionBase) -> bool:
    """Whether a draft with answers was put aside."""
    return bool((session.get(_UNDO_KEY) or {}).get("fields"))


def _draft(data: Any) -> Draft:
    return Draft(data["fields"], tuple(data["done"])) if data else Draft()
