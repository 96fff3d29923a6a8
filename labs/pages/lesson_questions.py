"""How hard each question of the course is and how well it separates, for authors of labs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import StatisticsError, correlation, fmean

from labs.lessons import Lesson
from labs.models import Progress

_FEWEST = 3
"""With fewer visitors a correlation is noise, and none is shown."""

Given = Mapping[tuple[str, str], bool]
"""(lesson, question) → whether one visitor's first answer was right."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """Of one question: who answered, the share that was right, and how well it separates.

    `separation` is the correlation of a right answer with the share of that visitor's other
    answers that are right: near 1 it tells who understood, near 0 it tells nothing, below 0 it
    is likely to be misread. None where there are too few visitors, or they do not differ.
    """

    lesson: str
    question: str
    answered: int
    right: float | None
    separation: float | None


def statistics(lessons: Iterable[Lesson]) -> list[Statistics]:
    """A row for each question, in the order of the course, over all visitors."""
    lessons = list(lessons)
    visitors = _answers(lessons)
    return [
        _of(lesson.name, question.name, visitors)
        for lesson in lessons
        for question in lesson.questions
    ]


def _answers(lessons: Iterable[Lesson]) -> list[Given]:
    keys = {
        (lesson.name, question.name): [answer.right for answer in question.answers]
        for lesson in lessons
        for question in lesson.questions
    }
    results: dict[str, dict[tuple[str, str], bool]] = defaultdict(dict)
    for mine in Progress.objects.filter(reset_at__isnull=True).exclude(answers={}):
        for question, place in mine.answers.items():
            key = keys.get((mine.lesson, question))
            if key is not None and place < len(key):
                results[mine.visitor][mine.lesson, question] = key[place]
    return list(results.values())


def _of(lesson: str, question: str, visitors: Iterable[Given]) -> Statistics:
    key = (lesson, question)
    own = [given for given in visitors if key in given]
    right = [float(given[key]) for given in own]
    pairs = [
        (float(given[key]), fmean(value for other, value in given.items() if other != key))
        for given in own
        if len(given) > 1
    ]
    return Statistics(
        lesson, question, len(own), fmean(right) if right else None, _correlation(pairs)
    )


def _correlation(pairs: list[tuple[float, float]]) -> float | None:
    if len(pairs) < _FEWEST:
        return None
    try:
        return correlation(*zip(*pairs, strict=True))
    except StatisticsError:
        return None  # all were right, or all know the same
