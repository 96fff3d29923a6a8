"""Two open pages of one questionnaire: one does not silently overwrite what the other saved.

Each page has the answers that it was rendered with (`shown_answers`) and a name (`page`). An answer
that has changed since, and was not typed on this page, clashes.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass

from advisor.catalog.texts import kept_field_text
from advisor.questions.drafts import Draft
from advisor.questions.question import Step

_PAGE_LETTERS = 8


@dataclass(frozen=True, slots=True)
class Clash:
    """One answer with two values: the one sent by this page and the one saved by the other."""

    name: str
    here: str
    elsewhere: str
    changed_here: bool

    @property
    def proposed(self) -> str:
        """The value of the field when both are shown: what was typed here, otherwise the newer
        one."""
        return self.here if self.changed_here else self.elsewhere


def new_page() -> str:
    """Returns a name for a new page."""
    return secrets.token_hex(_PAGE_LETTERS // 2)


def page(answers: Mapping[str, str]) -> str:
    """Returns the name of the page of these answers, cut to its length, since it is stored."""
    return answers.get("page", "")[:_PAGE_LETTERS]


def shown_answers(step: Step, draft: Draft) -> str:
    """Returns the answers that a page of this step is rendered with, as JSON."""
    return json.dumps({question.name: draft.answer(question.name) for question in step.questions})


def read(text: str) -> dict[str, str]:
    """Returns the answers of `shown_answers`; empty for any other text, so that none are
    compared."""
    try:
        data = json.loads(text)
    except ValueError:
        return {}
    if not isinstance(data, dict):
        return {}
    return {name: value for name, value in data.items() if isinstance(value, str)}


def changed(answers: Mapping[str, str], before: Mapping[str, str]) -> dict[str, str]:
    """Returns the answers that differ from those shown; all if those are unknown."""
    return {
        name: text for name, text in answers.items() if name not in before or before[name] != text
    }


def clashes(
    step: Step, draft: Draft, answers: Mapping[str, str], before: Mapping[str, str], typed: set[str]
) -> tuple[Clash, ...]:
    """Returns the answers of a step that another page changed meanwhile; `typed` are this
    page's."""
    conflicts = []
    for name in (question.name for question in step.questions):
        if name not in answers or name not in before or name in typed:
            continue
        here, saved = kept_field_text(name, answers[name]), draft.answer(name)
        if saved not in (before[name], here):
            conflicts.append(Clash(name, here, saved, here != before[name]))
    return tuple(conflicts)
