"""The data of a guided lab, and the judgement of predictions by a run. Without Django."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from labs.lessons.text import Text

NONE, SOME = "none", "some"
"""The answers to a prediction by choice: the symptom does not show, or it shows."""

T = TypeVar("T")

FACTOR = 2
"""A predicted number is right if it is at most this many times too large or too small."""

CONFIDENCES: Mapping[str, str] = {
    "sure": "I am sure",
    "think": "I think so",
    "guess": "I guess",
}
"""The confidence in a prediction: stored value → words on the page."""


@dataclass(frozen=True, slots=True)
class Arm:
    """One set of settings.

    `fields` are answers to the questionnaire as typed (`producer.acks` → `1`), parsed by the
    catalog. `why` explains their effect on the symptom; only choices of the visitor's turn have
    it.
    """

    name: str
    label: str
    meaning: str
    fields: Mapping[str, str]
    why: str = ""


@dataclass(frozen=True, slots=True)
class Symptom:
    """The problem in the story: a count of the judge in one arm.

    It shows if the count exceeds `over` (for times, in ms). `none` and `some` are the words of
    the two answers; `words` names the count in a table.
    """

    arm: str
    count: str
    words: str
    none: str
    some: str
    over: int = 0

    @property
    def anomaly(self) -> str:
        """The anomaly of the count: `blocked` for `blocked_ms`."""
        return self.count.removesuffix("_ms")

    def answers(self) -> Mapping[str, str]:
        """Returns the answers to a prediction by choice, with their words."""
        return {NONE: self.none, SOME: self.some}


@dataclass(frozen=True, slots=True)
class Prediction:
    """One prediction before the run, for an arm, by choice or as a number of messages."""

    name: str
    arm: str
    kind: str = "choice"
    question: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer to a question, with the explanation that is shown after the choice."""

    text: str
    why: str
    right: bool


@dataclass(frozen=True, slots=True)
class Question:
    """A question that asks why. Its wrong answers are misconceptions that people have."""

    name: str
    ask: str
    answers: tuple[Answer, ...]

    @property
    def shown(self) -> tuple[tuple[int, Answer], ...]:
        """The answers in the order of the pages, each with its index in `answers`, which is stored
        as the visitor's choice."""
        return mixed(self.name, self.answers)


@dataclass(frozen=True, slots=True)
class Turn:
    """The visitor's turn: one change to the settings of the arm `base`.

    `solution` and `tempting` name choices: settings without the symptom, and settings that only
    look like a cure.
    """

    base: str
    task: str
    choices: tuple[Arm, ...]
    solution: str
    tempting: str
    hints: tuple[str, ...]

    @property
    def shown(self) -> tuple[Arm, ...]:
        """The choices in the order of the pages."""
        return tuple(choice for _, choice in mixed(self.task, self.choices))


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one arm of a run. Without a conclusive verdict, `counts` is empty."""

    verdict: str
    counts: Mapping[str, int | None] = field(default_factory=dict)

    def answer(self, symptom: Symptom) -> str | None:
        """Returns the right prediction, or None if nothing can be concluded."""
        seen = self.counts.get(symptom.count)
        if self.verdict not in ("holds", "broken") or seen is None:
            return None
        return SOME if seen > symptom.over else NONE


@dataclass(frozen=True, slots=True)
class Lesson:
    """One guided lab: texts, settings, predictions, questions. `name` is its slug in addresses."""

    name: str
    order: int
    title: str
    goal: str
    minutes: int
    scenario: str
    want: str
    question: str
    notice: tuple[str, ...]
    sources: tuple[str, ...]
    symptom: Symptom
    arms: tuple[Arm, ...]
    predictions: tuple[Prediction, ...]
    turn: Turn
    questions: tuple[Question, ...]
    story: Text
    explain: Text
    take_home: Text

    def arm(self, name: str) -> Arm:
        """Returns an arm of the run, or a choice of the visitor's turn.

        Raises `KeyError` for settings that the lesson does not have.
        """
        for arm in (*self.arms, *self.turn.choices):
            if arm.name == name:
                return arm
        raise KeyError(name)

    @property
    def solution(self) -> Arm:
        """The settings without the symptom, to take home."""
        return self.arm(self.turn.solution)


def mixed(name: str, items: Sequence[T]) -> tuple[tuple[int, T], ...]:
    """Returns items with their indexes, in a pseudo-random order derived from the name.

    Authors tend to put the right one at the same place, which would reveal it.
    """

    def draw(item: tuple[int, T]) -> bytes:
        return hashlib.sha256(f"{name}/{item[0]}".encode()).digest()

    return tuple(sorted(enumerate(items), key=draw))


def right(lesson: Lesson, prediction: Prediction, answer: str, outcome: Outcome) -> bool | None:
    """Whether a prediction came true; None if the arm could not be judged."""
    seen = outcome.counts.get(lesson.symptom.count)
    actual = outcome.answer(lesson.symptom)
    if actual is None or seen is None:
        return None
    if prediction.kind == "choice":
        return answer == actual
    if not answer.isdecimal():
        return False  # answered when the lab asked for a choice
    guess = int(answer)
    return guess == seen if 0 in (guess, seen) else max(guess, seen) <= FACTOR * min(guess, seen)
