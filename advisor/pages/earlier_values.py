"""Values that a file replaces: they are shown next to the new ones, and may be chosen instead.

A form sends what was read and not confirmed yet under a prefix, and the catalog judges it again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice

from django.http import HttpRequest

from advisor.catalog import Component, Family, has, kafka_versions, versions
from advisor.intake import is_secret
from advisor.intake.inputs import Inputs
from advisor.intake.origins import Origin
from advisor.questions.drafts import MAX_LENGTH, Draft
from advisor.questions.questionnaire import FAMILIES

BEFORE, EARLIER, CHOSEN = "before.", "earlier.", "chosen."
"""Prefixes of fields: the value that was read, one that it replaced, and the user's choice."""
MAX_ANSWERS = 500
HEADS: Mapping[str, str] = {
    "family": "Client", "kafka": "Version of the brokers", "brokers": "Number of brokers"
}  # fmt: skip
_EARLIER_TEXT = Origin("an earlier text")


@dataclass(frozen=True, slots=True)
class Earlier:
    """A value that is replaced, and what it came from. `may_stay` says that it can be chosen."""

    text: str
    words: str
    came_from: str
    may_stay: bool
    is_answer: bool


def sent(request: HttpRequest, prefix: str = "") -> dict[str, str]:
    """Returns the fields that were sent under a prefix and that a file may state."""
    entries = (
        (name.removeprefix(prefix), text) for name, text in request.POST.items()
        if name.startswith(prefix) and isinstance(text, str)
    )  # fmt: skip
    fields = ((name, text[:MAX_LENGTH]) for name, text in entries if _is_importable(name))
    return dict(islice(fields, MAX_ANSWERS))


def read_before(request: HttpRequest) -> dict[str, str]:
    """Returns what earlier texts had, and the user has not confirmed yet."""
    return {**sent(request, BEFORE), **sent(request, CHOSEN)}


def add_read_before(request: HttpRequest, inputs: Inputs) -> None:
    """Adds the values of earlier texts; those of the next text replace them."""
    for name, text in read_before(request).items():
        if name not in inputs.fields:
            inputs.set_field(name, text, _EARLIER_TEXT)


def find_replaced(request: HttpRequest, inputs: Inputs, draft: Draft) -> dict[str, Earlier]:
    """Returns, for each field that was read, the last earlier value that differs from it."""
    flat = draft.flat()
    answers = {name: flat[name] for name, text in draft.fields.items() if text and name in flat}
    texts = [read_before(request), sent(request, BEFORE), sent(request, EARLIER)]
    replaced = dict[str, Earlier]()
    for name, value in inputs.fields.items():
        for values in (*texts, answers):
            old = values.get(name, "")
            if old and inputs.differ(name, old, value):
                replaced[name] = _earlier(name, old, is_answer=values is answers)
                break
    return replaced


def _earlier(name: str, text: str, *, is_answer: bool) -> Earlier:
    is_family = name == "family"
    words = FAMILIES[Family(text)][0] if is_family and text in set(Family) else text
    source = "your earlier answer" if is_answer else _EARLIER_TEXT.source
    # The file was read for its client: with another one, its other values may mean something else.
    return Earlier(text, words, source, may_stay=not is_family, is_answer=is_answer)


def _is_importable(name: str) -> bool:
    """Whether a client of any release has a setting of this name that is not a secret."""
    if name in HEADS:
        return True
    part, _, key = name.partition(".")
    if part not in set(Component) or is_secret(name):
        return False
    return any(
        has(family, version, kafka_versions()[0], Component(part), key)
        for family in Family
        for version in versions(family)
    )
