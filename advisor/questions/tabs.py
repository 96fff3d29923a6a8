"""Two pages of one questionnaire open at once: what one saved, the other does not overwrite unseen.

Each page carries the answers that it was made with (`shown`) and a name of its own (`page`). An
answer that is another one by now, and was not typed on this very page, clashes.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass

from advisor.catalog.texts import kept_of_field
from advisor.questions.drafts import Draft
from advisor.questions.question import Step

_PAGE_LETTERS = 8


@dataclass(frozen=True, slots=True)
class Clash:
    """One answer that two pages gave: as sent by this one and as saved by the other."""

    name: str
    here: str
    elsewhere: str
    changed_here: bool

    @property
    def proposed(self) -> str:
        """What the field holds when both are shown: what was typed here, else what is newer."""
        return self.here if self.changed_here else self.elsewhere


def new_page() -> str:
    """A name for a page that is about to be shown."""
    return secrets.token_hex(_PAGE_LETTERS // 2)


def page(given: Mapping[str, str]) -> str:
    """The name of the page that answers come from. It is kept: what is longer is none of ours."""
    return given.get("page", "")[:_PAGE_LETTERS]


def shown(step: Step, draft: Draft) -> str:
    """What a page of this step must carry to be compared when it comes back."""
    return json.dumps({question.name: draft.answer(question.name) for question in step.questions})


def read(text: str) -> dict[str, str]:
    """What a page carried; empty if that is not from us, and then nothing is compared."""
    try:
        data = json.loads(text)
    except ValueError:
        return {}
    if not isinstance(data, dict):
        return {}
    return {name: value for name, value in data.items() if isinstance(value, str)}


def changed(given: Mapping[str, str], was: Mapping[str, str]) -> dict[str, str]:
    """The answers that are others than those shown; all of them where nothing is known."""
    return {name: text for name, text in given.items() if name not in was or was[name] != text}


def clashes(
    step: Step, draft: Draft, given: Mapping[str, str], was: Mapping[str, str], typed: set[str]
) -> tuple[Clash, ...]:
    """The answers of a step that another page saved meanwhile; `typed` are this page's own."""
    results = []
    for name in (question.name for question in step.questions):
        if name not in given or name not in was or name in typed:
            continue
        here, saved = kept_of_field(name, given[name]), draft.answer(name)
        if saved not in (was[name], here):
            results.append(Clash(name, here, saved, here != was[name]))
    return tuple(results)
