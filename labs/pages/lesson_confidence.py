"""How well a visitor's confidence fits: of what they were sure of, how much came true."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from labs.lessons import CONFIDENCES, find, right
from labs.models import Progress, State
from labs.pages import lesson_pages, presentation
from labs.pages.lesson_forms import read


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


def table(progress: Sequence[Progress]) -> list[Fit]:
    """A row for each confidence with judged predictions, the surest first."""
    judged = [each for one in progress for each in _judged(one)]
    rows = []
    for confidence, words in CONFIDENCES.items():
        came_true = [true for said, true in judged if said == confidence]
        if came_true:
            rows.append(Fit(words, sum(came_true), len(came_true)))
    return rows


def _judged(mine: Progress) -> Iterator[tuple[str, bool]]:
    """(confidence, whether it came true) of each prediction that a run of theirs judged."""
    try:
        lesson = find(mine.lesson)
    except LookupError:
        return  # a lab that is no longer in the course
    if mine.experiment is not None and mine.experiment.state == State.DONE:
        outcomes, kept = presentation.outcomes(mine.experiment), read(mine.prediction)
        for each in lesson.predictions:
            stated, outcome = kept.get(each.name), outcomes.get(each.arm)
            if stated is None or outcome is None:
                continue
            came_true = right(lesson, each, stated["answer"], outcome)
            if came_true is not None:
                yield stated["confidence"], came_true
    turn = lesson_pages.turned(lesson, mine)
    if turn is not None and turn.right is not None:
        yield mine.turn.get("confidence", ""), turn.right
