"""The calibration of a visitor's confidence: the share of confident predictions that came true."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from labs.lessons import CONFIDENCES, Lesson, Outcome, Prediction, find, right
from labs.models import Experiment, Progress, State
from labs.pages.experiments import presentation
from labs.pages.lessons import pages as lesson_pages
from labs.pages.lessons.forms import read


@dataclass(frozen=True, slots=True)
class Fit:
    """The judged predictions of one confidence, and how many of them came true."""

    words: str
    right: int
    judged: int

    @property
    def percent(self) -> int:
        """Of the judged ones, rounded."""
        return round(100 * self.right / self.judged)


@dataclass(frozen=True, slots=True)
class Judged:
    """A prediction that one of the visitor's runs judged; `outcome` is that of its arm."""

    prediction: Prediction
    answer: str
    confidence: str
    came_true: bool
    outcome: Outcome
    at: datetime | None
    is_turn: bool = False


def table(progress: Sequence[Progress]) -> list[Fit]:
    """A row for each confidence with judged predictions, the surest first."""
    judgements = [judgement for one in progress for judgement in _of(one)]
    rows = []
    for confidence, words in CONFIDENCES.items():
        came_true = [
            judgement.came_true for judgement in judgements if judgement.confidence == confidence
        ]
        if came_true:
            rows.append(Fit(words, sum(came_true), len(came_true)))
    return rows


def _of(mine: Progress) -> Iterator[Judged]:
    try:
        yield from judged(find(mine.lesson), mine)
    except LookupError:
        return  # a lab that is no longer in the course


def judged(lesson: Lesson, mine: Progress) -> Iterator[Judged]:
    """Each prediction that a run of theirs judged, that of the last turn among them."""
    ran = mine.experiment
    if ran is not None and ran.state == State.DONE:
        outcomes, kept = presentation.outcomes(ran), read(mine.prediction)
        for prediction in lesson.predictions:
            stated, outcome = kept.get(prediction.name), outcomes.get(prediction.arm)
            if stated is not None and outcome is not None:
                yield from _judged(lesson, prediction, stated, outcome, ran)
    turn, choice = mine.turn_experiment, mine.turn.get("choice", "")
    if turn is not None and lesson_pages.turned(lesson, mine) is not None:
        outcome = presentation.outcomes(turn)[choice]
        yield from _judged(lesson, Prediction(choice, choice), mine.turn, outcome, turn, True)


def _judged(
    lesson: Lesson, prediction: Prediction, stated: dict[str, str], outcome: Outcome,
    ran: Experiment, is_turn: bool = False,
) -> Iterator[Judged]:  # fmt: skip
    answer = stated.get("answer", "")
    came_true = right(lesson, prediction, answer, outcome) if answer else None
    if came_true is not None:
        confidence = stated.get("confidence", "")
        yield Judged(prediction, answer, confidence, came_true, outcome, ran.ended_at, is_turn)
