"""The progress of a visitor in a lesson."""

from __future__ import annotations

from collections.abc import Mapping

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from labs.lessons import STEPS, Lesson, Question
from labs.models import Experiment, Progress
from labs.pages.lessons import review as lesson_review
from labs.runs import visitors

_ORDER = list(STEPS)


def load(request: HttpRequest, lesson: Lesson) -> Progress:
    """The visitor's progress; a new one is stored only once there is something to keep."""
    key = visitors.existing_key(request)
    rows = Progress.objects.filter(
        visitor=key, lesson=lesson.name, reset_at__isnull=True
    ).select_related("experiment", "turn_experiment")
    return (rows.first() if key else None) or Progress(visitor=key, lesson=lesson.name)


def reach(request: HttpRequest, mine: Progress, step: str) -> None:
    """Remembers the furthest step; going back forgets nothing."""
    if _ORDER.index(step) > _ORDER.index(mine.step):
        mine.step = step
        _keep(request, mine)


def predict(request: HttpRequest, mine: Progress, answers: Mapping[str, Mapping[str, str]]) -> None:
    """Keeps the predictions, as `labs.pages.lessons.forms` makes them."""
    mine.prediction = dict(answers)
    _keep(request, mine)


def begin(request: HttpRequest, mine: Progress, experiment: Experiment) -> None:
    """Makes an experiment the visitor's own in this lesson."""
    mine.experiment = experiment
    _keep(request, mine)


def take_turn(
    request: HttpRequest, mine: Progress, turn: Mapping[str, str], experiment: Experiment
) -> None:
    """Keeps what was chosen and predicted for the visitor's turn, and the run of it."""
    mine.turn, mine.turn_experiment = dict(turn), experiment
    _keep(request, mine)


def answer(request: HttpRequest, mine: Progress, question: Question, place: int) -> None:
    """Keeps the first answer to a question: all after it knew the explanation."""
    if question.name not in mine.answers:
        mine.answers = {**mine.answers, question.name: place}
        if not question.answers[place].right:
            mine.reviews = lesson_review.missed(mine, question.name)
        _keep(request, mine)


def load_all(request: HttpRequest) -> list[Progress]:
    """The visitor's progress in every lesson that they began."""
    key = visitors.existing_key(request)
    rows = Progress.objects.filter(visitor=key, reset_at__isnull=True)
    # The map of the course asks for the arms of each run, the table of confidence again.
    rows = rows.select_related("experiment", "turn_experiment")
    rows = rows.prefetch_related("experiment__runs", "turn_experiment__runs")
    return list(rows) if key else []


def reset(request: HttpRequest, lesson: Lesson) -> None:
    """Puts the progress aside; what was put aside before is gone."""
    mine = load(request, lesson)
    if mine.pk is None:
        return
    with transaction.atomic():
        _aside(mine.visitor, lesson).delete()
        mine.reset_at = timezone.now()
        mine.save(update_fields=["reset_at"])


def undo(request: HttpRequest, lesson: Lesson) -> None:
    """Brings back what was put aside, the oldest if there are several, and puts aside in turn what
    was begun since: nothing is lost, and a second time brings it back."""
    key = visitors.existing_key(request)
    with transaction.atomic():
        back = _aside(key, lesson).order_by("reset_at", "pk").first() if key else None
        if back is None:
            return
        begun = Progress.objects.filter(visitor=key, lesson=lesson.name, reset_at__isnull=True)
        current = begun.first()
        if current is not None:
            current.put_aside()
        Progress.objects.filter(pk=back.pk).update(reset_at=None)


def may_undo(request: HttpRequest, lesson: Lesson) -> bool:
    """Whether there is something put aside."""
    key = visitors.existing_key(request)
    return bool(key) and _aside(key, lesson).exists()


def _aside(key: str, lesson: Lesson) -> QuerySet[Progress]:
    return Progress.objects.filter(visitor=key, lesson=lesson.name, reset_at__isnull=False)


def _keep(request: HttpRequest, mine: Progress) -> None:
    mine.visitor = visitors.key(request)
    try:
        with transaction.atomic():
            mine.save()
    except IntegrityError:
        # Two tabs began at once: the row of the other one takes what this one brings.
        other = Progress.objects.get(
            visitor=mine.visitor, lesson=mine.lesson, reset_at__isnull=True
        )
        mine.pk = other.pk
        mine.save(force_update=True)
