"""The calibration of a visitor's confidence: the share of predictions that came true."""

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
        """The rounded percentage of the judged predictions that came true."""
        return round(100 * self.right / self.judged)


@dataclass(frozen=True, slots=True)
class Judged:
    """A prediction that was judged by a run of the visitor; `outcome` is that of its arm."""

    prediction: Prediction
    answer: str
    confidence: str
    came_true: bool
    outcome: Outcome
    at: datetime | None
    is_turn: bool = False


def table(progress: Sequence[Progress]) -> list[Fit]:
    """Returns a row for each confidence with judged predictions, the surest first."""
    judgements = [judgement for item in progress for judgement in _progress_judgements(item)]
    rows = []
    for confidence, words in CONFIDENCES.items():
        came_true = [
            judgement.came_true for judgement in judgements if judgement.confidence == confidence
        ]
        if came_true:
            rows.append(Fit(words, sum(came_true), len(came_true)))
    return rows


def _progress_judgements(progress: Progress) -> Iterator[Judged]:
    try:
        yield from judged(find(progress.lesson), progress)
    except LookupError:
        return  # a lab that is no longer in the course


def judged(lesson: Lesson, progress: Progress) -> Iterator[Judged]:
    """Yields each prediction that a run judged, including that of the last turn."""
    ran = progress.experiment
    if ran is not None and ran.state == State.DONE:
        outcomes, predictions = presentation.outcomes(ran), read(progress.prediction)
        for prediction in lesson.predictions:
            stated, outcome = predictions.get(prediction.name), outcomes.get(prediction.arm)
            if stated is not None and outcome is not None:
                yield from _judged(lesson, prediction, stated, outcome, ran)
    turn, choice = progress.turn_experiment, progress.turn.get("choice", "")
    if turn is not None and lesson_pages.turned(lesson, progress) is not None:
        outcome = presentation.outcomes(turn)[choice]
        yield from _judged(lesson, Prediction(choice, choice), progress.turn, outcome, turn, True)


def _judged(
    lesson: Lesson, prediction: Prediction, stated: dict[str, str], outcome: Outcome,
    ran: Experiment, is_turn: bool = False,
) -> Iterator[Judged]:  # fmt: skip
    answer = stated.get("answer", "")
    came_true = right(lesson, prediction, answer, outcome) if answer else None
    if came_true is not None:
        confidence = stated.get("confidence", "")
        yield Judged(prediction, answer, confidence, came_true, outcome, ran.ended_at, is_turn)
