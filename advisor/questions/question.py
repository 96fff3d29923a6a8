"""What a question and a step of the questionnaire are."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.catalog import Component, Family


@dataclass(frozen=True, slots=True)
class Question:
    """One field of the questionnaire.

    `name` is `component.key` for a setting, else the field's own name. `ask` is the question in
    words, where the key alone would not be understood; `words` says the choices in words.
    `follows` names the question whose answer by one's own code this one is about.
    """

    name: str
    ask: str = ""
    hint: str = ""
    words: tuple[tuple[str, str], ...] = ()
    follows: str = ""
    """A question that is shown only where this one is answered by "my code"."""

    @property
    def component(self) -> Component | None:
        """The component whose setting this is, or None for a question about something else."""
        first = self.name.partition(".")[0]
        return Component(first) if first in set(Component) else None

    @property
    def key(self) -> str:
        """The setting's dotted key, as the product writes it."""
        return self.name.partition(".")[2] if self.component else self.name


@dataclass(frozen=True, slots=True)
class Step:
    """A page of the questionnaire; `families` are those that it is asked of."""

    slug: str
    title: str
    lede: str
    questions: tuple[Question, ...]
    families: frozenset[Family] = frozenset(Family)
