"""How far a visitor is in a lesson, kept by session and without an account."""

from __future__ import annotations

from collections.abc import Mapping

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from labs import visitors
from labs.lessons import STEPS, Lesson
from labs.models import Experiment, Progress

_ORDER = list(STEPS)


def of(request: HttpRequest, lesson: Lesson) -> Progress:
    """The visitor's progress; a new one is stored only once there is something to keep."""
    key = request.session.session_key or ""
    found = Progress.objects.filter(
        session_key=key, lesson=lesson.name, reset_at__isnull=True
    ).select_related("experiment")
    return (found.first() if key else None) or Progress(session_key=key, lesson=lesson.name)


def reach(request: HttpRequest, mine: Progress, step: str) -> None:
    """Remembers the furthest step; going back forgets nothing."""
    if _ORDER.index(step) > _ORDER.index(mine.step):
        mine.step = step
        _keep(request, mine)


def predict(request: HttpRequest, mine: Progress, answers: Mapping[str, str]) -> None:
    """Keeps the prediction: one answer an arm."""
    mine.prediction = dict(answers)
    _keep(request, mine)


def begin(request: HttpRequest, mine: Progress, experiment: Experiment) -> None:
    """Makes an experiment the visitor's own in this lesson."""
    mine.experiment = experiment
    _keep(request, mine)


def reset(request: HttpRequest, lesson: Lesson) -> None:
    """Puts the progress aside; what was put aside before is gone."""
    mine = of(request, lesson)
    if mine.pk is None:
        return
    with transaction.atomic():
        _aside(mine.session_key, lesson).delete()
        mine.reset_at = timezone.now()
        mine.save(update_fields=["reset_at"])


def undo(request: HttpRequest, lesson: Lesson) -> None:
    """Brings back what was put aside, in place of what was begun since."""
    key = request.session.session_key or ""
    with transaction.atomic():
        if not _aside(key, lesson).exists():
            return
        Progress.objects.filter(session_key=key, lesson=lesson.name, reset_at__isnull=True).delete()
        _aside(key, lesson).update(reset_at=None)


def may_undo(request: HttpRequest, lesson: Lesson) -> bool:
    """Whether there is a reset to take back."""
    key = request.session.session_key
    return bool(key) and _aside(str(key), lesson).exists()


def _aside(key: str, lesson: Lesson) -> QuerySet[Progress]:
    return Progress.objects.filter(session_key=key, lesson=lesson.name, reset_at__isnull=False)


def _keep(request: HttpRequest, mine: Progress) -> None:
    mine.session_key = visitors.key(request)
    try:
        with transaction.atomic():
            mine.save()
    except IntegrityError:
        # Two tabs began at once: the row of the other one takes what this one brings.
        other = Progress.objects.get(
            session_key=mine.session_key, lesson=mine.lesson, reset_at__isnull=True
        )
        mine.pk = other.pk
        mine.save(force_update=True)
