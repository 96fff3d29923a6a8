"""The answers to the questionnaire while a user fills it in, stored in the session.

Every answer is stored as it was typed, valid or not, so that reload, back and an error message lose
nothing; of a free text only the part that the model uses (`advisor.catalog.texts`). An answer
becomes a setting only in `services.from_fields`, through the catalog.

Text is stored even before its form is sent. The form may overtake such a request; so each page has
a stamp, which changes whenever answers are sent, put aside or restored, and a request with an old
stamp is ignored.
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
from advisor.catalog.texts import kept_field_text
from advisor.questions.durations import is_duration, milliseconds
from advisor.questions.question import Step
from advisor.questions.questionnaire import DEFAULTS, step_of

MAX_LENGTH = 400
"""Longer answers are cut; the catalog refuses anything near this length with a message."""

MAX_TOTAL_LENGTH = 10_000
"""The limit for all answers together; a file with every setting has half of that."""

_KEY, _UNDO_KEY, _STAMP_KEY = "draft", "draft_before", "draft_stamp"
_NAME_KEY, _UNDO_NAME_KEY = "draft_name", "draft_before_name"
"""Each page has the name of its draft, so that a page of another draft does not change it."""
_TYPED_KEY = "draft_typed"
"""The page on which an answer was typed, if it was stored before its form was sent."""


@dataclass(frozen=True, slots=True)
class Draft:
    """Answers by field name, and the completed steps."""

    fields: Mapping[str, str] = field(default_factory=dict)
    done: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Drops the part of each free text that is not used: it may be a secret.

        If all answers together are too long, only the first ones stay: the draft is stored in a
        session.
        """
        remaining, fields = MAX_TOTAL_LENGTH, dict[str, str]()
        for name, text in self.fields.items():
            fields[name] = kept_field_text(name, text)[:remaining]
            remaining -= len(fields[name])
        object.__setattr__(self, "fields", fields)

    def answer(self, name: str) -> str:
        """Returns the answer as typed, or the value of an empty questionnaire."""
        return self.fields.get(name, DEFAULTS.get(name, ""))

    @property
    def family(self) -> Family:
        """The client family; Java until a known one is chosen."""
        answer = self.answer("family")
        return Family(answer) if answer in set(Family) else Family.JAVA

    @property
    def version(self) -> str:
        """The chosen client version; by default the family's newest."""
        return self.answer(f"version.{self.family}") or versions(self.family)[0]

    @property
    def kafka(self) -> str:
        """The brokers' version, by default the newest."""
        return self.answer("kafka") or kafka_versions()[0]

    def flat(self) -> dict[str, str]:
        """Returns the fields for `services.from_fields`, without the `unused_answers`."""
        fields = {**DEFAULTS, **self.fields, "version": self.version, "kafka": self.kafka}
        unused = dict(self.unused_answers())
        return {
            name: self._raw(name, text)
            for name, text in fields.items()
            if name not in unused and not name.startswith("version.")
        }

    @staticmethod
    def _raw(name: str, text: str) -> str:
        """Returns an answer as the product writes it; durations in words become milliseconds."""
        return (milliseconds(text) or text) if is_duration(name) else text

    def unused_answers(self) -> Iterator[tuple[str, str]]:
        """Yields answers for settings that the chosen client does not have, or decides itself.

        They stay in the draft, so that changing the client back loses nothing. An invalid answer
        from a saved pipeline is one of them if no step has its question, since it could not be
        corrected.
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
            # An unknown version is a problem of the version's field, not of this one.
            return error.problem.setting in ("version", "kafka")
        return True

    def answered(self, step: Step, answers: Mapping[str, str]) -> Draft:
        """Returns this draft with a step's answers; other fields are ignored."""
        names = [question.name for question in step.questions if question.name in answers]
        fields = {**self.fields, **{name: answers[name][:MAX_LENGTH] for name in names}}
        return replace(self, fields=fields)

    def finished(self, step: Step) -> Draft:
        """Returns this draft with a step marked as completed."""
        return replace(self, done=tuple(dict.fromkeys((*self.done, step.slug))))


def from_answers(fields: Mapping[str, str]) -> Draft:
    """Returns a draft with saved answers, which may be invalid by now, to be edited."""
    rest = {name: text for name, text in fields.items() if name != "version"}
    return Draft({**rest, f"version.{fields['family']}": fields["version"]})


def load(session: SessionBase) -> Draft:
    """Returns the session's draft; an empty one if there is none."""
    return _draft(session.get(_KEY))


def save(session: SessionBase, draft: Draft) -> None:
    """Stores a draft in the session."""
    session[_KEY] = asdict(draft)
    session[_STAMP_KEY] = secrets.token_hex(4)
    session[_TYPED_KEY] = {}


def name(session: SessionBase) -> str:
    """Returns the name of the draft; empty for the first one of a session."""
    text: str = session.get(_NAME_KEY, "")
    return text


def has_two(session: SessionBase) -> bool:
    """Whether another draft was put aside, so that a page must name its draft."""
    return _UNDO_NAME_KEY in session


def turn_to(session: SessionBase, draft_name: str | None) -> None:
    """Exchanges the drafts if the one with that name was put aside.

    Two tabs with different descriptions do not change each other's draft. A page without a name, or
    with that of a draft that is gone, belongs to the current draft.
    """
    if draft_name not in (None, name(session)) and draft_name == session.get(_UNDO_NAME_KEY):
        take_back(session)


def find(session: SessionBase, draft_name: str | None) -> Draft:
    """Returns the draft with that name, of the two; otherwise the current one."""
    is_aside = draft_name not in (None, name(session)) and draft_name == session.get(_UNDO_NAME_KEY)
    return _draft(session.get(_UNDO_KEY)) if is_aside else load(session)


def stamp(session: SessionBase) -> str:
    """Returns the stamp that a page needs for `keep`; empty before the first answer."""
    text: str = session.get(_STAMP_KEY, "")
    return text


def typed_on(session: SessionBase, page: str) -> set[str]:
    """Returns the fields whose latest answer was typed on this page and not sent yet."""
    typed: dict[str, str] = session.get(_TYPED_KEY) or {}
    return {name for name, where in typed.items() if where == page}


def keep(
    session: SessionBase, step: Step, answers: Mapping[str, str], page_stamp: str, page: str = ""
) -> None:
    """Stores the typed answers of a step, and their page, unless the stamp is old.

    The session is read again and saved immediately, with its row locked (by PostgreSQL; in SQLite
    only one transaction writes at a time): a form that is sent meanwhile is not overwritten.
    """
    typed = {question.name: page for question in step.questions if question.name in answers}
    if session.session_key is None:
        if not page_stamp:  # the first answer of a new visitor: a session begins
            session[_KEY] = asdict(Draft().answered(step, answers))
            session[_TYPED_KEY] = typed
        return
    with transaction.atomic():
        if not Session.objects.select_for_update().filter(pk=session.session_key):
            return
        stored = SessionStore(session.session_key)
        if stored.get(_STAMP_KEY, "") == page_stamp:
            stored[_KEY] = asdict(load(stored).answered(step, answers))
            stored[_TYPED_KEY] = {**(stored.get(_TYPED_KEY) or {}), **typed}
            stored.save()


def put_aside(session: SessionBase, draft: Draft, *, another: bool = True) -> None:
    """Stores a new draft and puts the previous one aside, so that `take_back` can restore it.

    Unless it is `another` draft, pages of the previous one continue with it.
    """
    session[_UNDO_KEY], session[_UNDO_NAME_KEY] = session.get(_KEY), name(session)
    if another:
        session[_NAME_KEY] = secrets.token_hex(4)
    save(session, draft)


def take_back(session: SessionBase) -> None:
    """Exchanges the draft with the one put aside, if there is one."""
    if _UNDO_KEY in session:
        current, current_name = session.get(_KEY), name(session)
        session[_NAME_KEY] = session.get(_UNDO_NAME_KEY, "")
        save(session, _draft(session[_UNDO_KEY]))
        session[_UNDO_KEY], session[_UNDO_NAME_KEY] = current, current_name


def can_take_back(session: SessionBase) -> bool:
    """Whether a draft with answers was put aside."""
    return bool((session.get(_UNDO_KEY) or {}).get("fields"))


def _draft(data: Any) -> Draft:
    return Draft(data["fields"], tuple(data["done"])) if data else Draft()
