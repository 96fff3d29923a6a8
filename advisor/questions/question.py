"""The data of a question and of a step of the questionnaire."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.catalog import Component, Family


@dataclass(frozen=True, slots=True)
class Question:
    """One field of the questionnaire.

    `name` is `component.key` for a setting, otherwise the name of the field. `ask` is the question
    in words, where the key alone is not clear; `words` has the choices in words. `follows` names
    the question on which this one depends: it is shown if that is answered by "my code".
    """

    name: str
    ask: str = ""
    hint: str = ""
    words: tuple[tuple[str, str], ...] = ()
    follows: str = ""
    """A question that is shown only where this one is answered by "my code"."""

    @property
    def component(self) -> Component | None:
        """The component of the setting, or None if the question is about something else."""
        first = self.name.partition(".")[0]
        return Component(first) if first in set(Component) else None

    @property
    def key(self) -> str:
        """The setting's dotted key, as the product writes it."""
        return self.name.partition(".")[2] if self.component else self.name


@dataclass(frozen=True, slots=True)
class Step:
    """A page of the questionnaire, for clients of these `families`."""

    slug: str
    title: str
    lede: str
    questions: tuple[Question, ...]
    families: frozenset[Family] = frozenset(Family)
