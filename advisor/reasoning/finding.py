"""The definition of a rule, one bad pattern in the settings of a pipeline, and of its findings."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from advisor.catalog import Component
from advisor.reasoning.pipeline import Pipeline


class Severity(StrEnum):
    """The possible harm: lost messages, repeats or a standstill, or only a surprise."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"

    @property
    def rank(self) -> int:
        """The position in an order with the most severe first, from 0."""
        return list(Severity).index(self)


class Confidence(StrEnum):
    """How certain a finding is from the settings alone: always true, or under a stated
    condition."""

    HIGH = "high"
    MEDIUM = "medium"


Example = Mapping[str, str]
"""A pipeline as fields of the questionnaire: `{"family": "java", "producer.acks": "1"}`."""


@dataclass(frozen=True, slots=True)
class Alike:
    """A failure whose experiment shows the same effect elsewhere; `how` says where."""

    event: str
    how: str


@dataclass(frozen=True, slots=True)
class Rule:
    """One bad pattern.

    `check` returns one sentence about the consequence that names the settings and their values, or
    None. `name` can follow "allow": it is the pattern, not the remedy. `valid` and `invalid` are
    examples, which a test checks. The rule's page is its module's docstring. `shown_by` is for
    rules without a staged failure of their own.
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
    """Returns a rule's title and the parts of its page as (heading, text), from its module's
    docstring."""
    text = sys.modules[rule.check.__module__].__doc__ or ""
    title, *blocks = text.strip().split("\n\n")
    parts = (block.partition("\n") for block in blocks)
    return title.rstrip("."), tuple(
        (head.strip(), " ".join(body.split())) for head, _, body in parts
    )


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule that applies to a pipeline, with the message for it."""

    rule: Rule
    message: str
