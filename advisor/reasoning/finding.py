"""The shape of a rule and of what it finds: one bad pattern in the settings of a pipeline."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from advisor.catalog import Component
from advisor.reasoning.pipeline import Pipeline


class Severity(StrEnum):
    """What the pattern can cost: messages, repeats or a standstill, or only a surprise."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"

    @property
    def rank(self) -> int:
        """The place in an order of the most severe first, from 0."""
        return list(Severity).index(self)


class Confidence(StrEnum):
    """How sure it is from the settings alone: certain, or only under what the message says."""

    HIGH = "high"
    MEDIUM = "medium"


Example = Mapping[str, str]
"""A pipeline as the questionnaire's fields: `{"family": "java", "producer.acks": "1"}`."""


@dataclass(frozen=True, slots=True)
class Alike:
    """A failure whose experiment shows the same of something else; `how` says of what."""

    event: str
    how: str


@dataclass(frozen=True, slots=True)
class Rule:
    """One bad pattern.

    `check` returns one sentence of consequence that names the settings and their values, or
    None. `name` reads after "allow": it is the pattern, not the remedy. `valid` and `invalid`
    are examples as data; a test walks them. The rule's page is its module's docstring.
    `shown_by` is for rules that no failure of theirs is staged for.
    """

    code: str
    name: str
    severity: Severity
    component: Component
    setting: str
    check: Callable[[Pipeline], str | None]
    sources: tuple[str, ...]
    valid: tuple[Example, ...]
    invalid: tuple[Example, ...]
    confidence: Confidence = Confidence.HIGH
    shown_by: tuple[Alike, ...] = ()


def explained(rule: Rule) -> tuple[str, tuple[tuple[str, str], ...]]:
    """A rule's title and the parts of its page: its module's docstring."""
    text = sys.modules[rule.check.__module__].__doc__ or ""
    title, *blocks = text.strip().split("\n\n")
    parts = (block.partition("\n") for block in blocks)
    return title.rstrip("."), tuple(
        (head.strip(), " ".join(body.split())) for head, _, body in parts
    )


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule that applies to a pipeline, with the message for this one."""

    rule: Rule
    message: str
