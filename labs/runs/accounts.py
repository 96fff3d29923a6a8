"""Accounts of learners: progress of a session moves to the account at sign-in.

Nothing is lost. If session and account both have progress in a lab, the one that is further is
used. The other is put aside, and the map of the course offers it
(`labs.pages.lessons.progress.undo`).
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.contrib.auth import login
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, OuterRef, Value
from django.db.models.fields import CharField
from django.db.models.functions import Cast, Concat
from django.http import HttpRequest

from labs.lessons import STEPS
from labs.models import Attempt, Classroom, Experiment, GivenUp, Progress, Pupil, Series
from labs.runs import visitors

_BACKEND = "django.contrib.auth.backends.ModelBackend"
_STEPS = list(STEPS)


def plain_name(typed: str) -> str:
    """Returns the name of an account as it is stored: lower case, in Unicode form NFKC."""
    return User.normalize_username(typed.strip()).lower()


def enter(request: HttpRequest, user: User) -> None:
    """Signs a user in, under a new session key, and moves the progress of the session to the
    account.

    Both happen, or neither. The progress of another account stays with that account.
    """
    before = "" if request.user.is_authenticated else visitors.existing_key(request)
    with transaction.atomic():
        if before:
            take_over(before, visitors.account_key(user))
        login(request, user, backend=_BACKEND)


def take_over(old: str, new: str) -> None:
    """Moves all data of one visitor to another."""
    with transaction.atomic():
        for progress in Progress.objects.filter(visitor=old).order_by("pk"):
            _take_over(progress, new)
        Attempt.objects.filter(visitor=old).update(visitor=new)
        given_up = GivenUp.objects.filter(visitor=new).values_list("challenge", flat=True)
        GivenUp.objects.filter(visitor=old, challenge__in=[*given_up]).delete()
        GivenUp.objects.filter(visitor=old).update(visitor=new)
        Experiment.objects.filter(visitor=old).update(visitor=new)
        Series.objects.filter(visitor=old).update(visitor=new)
        Classroom.objects.filter(teacher=old).update(teacher=new)
        # A pupil who is in a room already keeps that seat; the other seat stays as it is.
        seated = Pupil.objects.filter(visitor=new).values("classroom")
        Pupil.objects.filter(visitor=old).exclude(classroom__in=seated).update(visitor=new)


def remove(user: User) -> None:
    """Removes an account with its progress.

    Results of challenges keep their links, and runs stay as evidence, without an owner.
    """
    key = visitors.account_key(user)
    with transaction.atomic():
        Progress.objects.filter(visitor=key).delete()
        GivenUp.objects.filter(visitor=key).delete()
        Attempt.objects.filter(visitor=key).update(visitor="")
        user.delete()


def unused(old: datetime) -> list[User]:
    """Returns the accounts of learners who have not signed in or started a run since `old`."""
    key: Any = Concat(Value(visitors.ACCOUNT_PREFIX), Cast(OuterRef("pk"), CharField()))
    ran = Experiment.objects.filter(visitor=key, created_at__gt=old)
    return [*User.objects.filter(~Exists(ran), is_staff=False, last_login__lt=old)]


def _take_over(progress: Progress, new: str) -> None:
    """Moves one row to the account. If that has one for the lab, the lesser one is put aside."""
    progress.visitor = new
    existing = Progress.objects.filter(
        visitor=new, lesson=progress.lesson, reset_at__isnull=True
    ).first()
    if progress.reset_at is None and existing is not None:
        (progress if _sort_key(progress) <= _sort_key(existing) else existing).put_aside()
    if progress.pk is not None:
        progress.save(update_fields=["visitor"])


def _sort_key(progress: Progress) -> tuple[bool, bool, int, bool, int]:
    """Returns the sort key of a progress: a turn counts more than a run, a run more than answers,
    answers more than a prediction, and a prediction more than steps that were read."""
    step = _STEPS.index(progress.step) if progress.step in STEPS else 0
    ran, turned = progress.experiment_id is not None, progress.turn_experiment_id is not None
    return turned, ran, len(progress.answers), bool(progress.prediction), step
