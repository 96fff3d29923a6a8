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
    """Returns the visitor's progress; a new one is stored only once there is data."""
    key = visitors.existing_key(request)
    rows = Progress.objects.filter(
        visitor=key, lesson=lesson.name, reset_at__isnull=True
    ).select_related("experiment", "turn_experiment")
    return (rows.first() if key else None) or Progress(visitor=key, lesson=lesson.name)


def reach(request: HttpRequest, progress: Progress, step: str) -> None:
    """Stores the furthest step; going back changes nothing."""
    if _ORDER.index(step) > _ORDER.index(progress.step):
        progress.step = step
        _store(request, progress)


def predict(
    request: HttpRequest, progress: Progress, answers: Mapping[str, Mapping[str, str]]
) -> None:
    """Stores the predictions in the form of `labs.pages.lessons.forms`."""
    progress.prediction = dict(answers)
    _store(request, progress)


def begin(request: HttpRequest, progress: Progress, experiment: Experiment) -> None:
    """Stores the visitor's experiment in this lesson."""
    progress.experiment = experiment
    _store(request, progress)


def take_turn(
    request: HttpRequest, progress: Progress, turn: Mapping[str, str], experiment: Experiment
) -> None:
    """Stores the choice and the prediction of the visitor's turn, and its run."""
    progress.turn, progress.turn_experiment = dict(turn), experiment
    _store(request, progress)


def answer(request: HttpRequest, progress: Progress, question: Question, place: int) -> None:
    """Stores the first answer to a question; later ones are given with the explanation at hand."""
    if question.name not in progress.answers:
        progress.answers = {**progress.answers, question.name: place}
        if not question.answers[place].right:
            progress.reviews = lesson_review.missed(progress, question.name)
        _store(request, progress)


def load_all(request: HttpRequest) -> list[Progress]:
    """Returns the visitor's progress in every lesson that was begun."""
    key = visitors.existing_key(request)
    rows = Progress.objects.filter(visitor=key, reset_at__isnull=True)
    # Both the map of the course and the table of confidences read the arms of each run.
    rows = rows.select_related("experiment", "turn_experiment")
    rows = rows.prefetch_related("experiment__runs", "turn_experiment__runs")
    return list(rows) if key else []


def reset(request: HttpRequest, lesson: Lesson) -> None:
    """Sets the progress aside; progress that was set aside earlier is deleted."""
    progress = load(request, lesson)
    if progress.pk is None:
        return
    with transaction.atomic():
        _set_aside(progress.visitor, lesson).delete()
        progress.reset_at = timezone.now()
        progress.save(update_fields=["reset_at"])


def undo(request: HttpRequest, lesson: Lesson) -> None:
    """Restores the progress that was set aside, the oldest if there are several, and sets the
    current one aside: nothing is lost, and a second undo restores that."""
    key = visitors.existing_key(request)
    with transaction.atomic():
        back = _set_aside(key, lesson).order_by("reset_at", "pk").first() if key else None
        if back is None:
            return
        begun = Progress.objects.filter(visitor=key, lesson=lesson.name, reset_at__isnull=True)
        current = begun.first()
        if current is not None:
            current.put_aside()
        Progress.objects.filter(pk=back.pk).update(reset_at=None)


def may_undo(request: HttpRequest, lesson: Lesson) -> bool:
    """Whether there is progress to restore."""
    key = visitors.existing_key(request)
    return bool(key) and _set_aside(key, lesson).exists()


def _set_aside(key: str, lesson: Lesson) -> QuerySet[Progress]:
    return Progress.objects.filter(visitor=key, lesson=lesson.name, reset_at__isnull=False)


def _store(request: HttpRequest, progress: Progress) -> None:
    progress.visitor = visitors.key(request)
    try:
        with transaction.atomic():
            progress.save()
    except IntegrityError:
        # Two tabs began at the same time: this one overwrites the row of the other.
        existing = Progress.objects.get(
            visitor=progress.visitor, lesson=progress.lesson, reset_at__isnull=True
        )
        progress.pk = existing.pk
        progress.save(force_update=True)
