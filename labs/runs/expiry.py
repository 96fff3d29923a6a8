"""Removes old data of visitors after a retention time.

The rule (docs/setup.md): after `LAB_KEEP_DAYS` days (0: never) these are deleted: descriptions
without experiments, experiments of visitors without a result, series of visitors without
experiments, and unused accounts with their progress. Progress in a lesson is deleted with its
session or account, and so are attempts at challenges and the note that one was given up; a result
keeps its link. Results of experiments are evidence and stay; the hashed address of an experiment is
deleted when every session of that time has expired. A class room is always deleted, with its
pupils, a week after it was opened.
"""

from __future__ import annotations

import shutil
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.contrib.sessions.models import Session
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from advisor.models import Description
from labs.lessons.classroom import KEPT_FOR
from labs.models import Attempt, Classroom, Experiment, GivenUp, Progress, Series, State
from labs.runs import accounts
from labs.runs.visitors import ACCOUNT_PREFIX

_NO_RESULT = (State.FAILED, State.INTERRUPTED, State.CANCELLED)
_AT_ONCE = 500
"""The maximum number of rows per deletion, so that the database is not blocked for long."""


def forget() -> dict[str, int]:
    """Removes expired rows, at most `_AT_ONCE` of each kind; returns their numbers by kind."""
    now = timezone.now()
    alive = Session.objects.filter(expire_date__gt=now).values("session_key")
    expired_session = ~Q(visitor__in=alive) & ~Q(visitor__startswith=ACCOUNT_PREFIX)
    orphans = Progress.objects.filter(expired_session).values_list("pk", flat=True)
    progress, _ = Progress.objects.filter(pk__in=[*orphans[:_AT_ONCE]]).delete()
    given_up = GivenUp.objects.filter(expired_session).values_list("pk", flat=True)
    GivenUp.objects.filter(pk__in=[*given_up[:_AT_ONCE]]).delete()
    expired_rooms = Classroom.objects.filter(opened_at__lt=now - KEPT_FOR).values_list(
        "pk", flat=True
    )
    _, deleted = Classroom.objects.filter(pk__in=[*expired_rooms[:_AT_ONCE]]).delete()
    rooms = deleted.get(Classroom._meta.label, 0)
    removed = {"progress": progress, "experiments": 0, "descriptions": 0, "rooms": rooms,
            "accounts": 0}  # fmt: skip
    _detach_attempts(Attempt.objects.filter(expired_session).exclude(visitor=""))
    if settings.LAB_KEEP_DAYS:
        old = now - timedelta(days=settings.LAB_KEEP_DAYS)
        removed |= {"experiments": _experiments(old)}
        _series(old)
        removed |= {"descriptions": _descriptions(old)}
        removed["accounts"] = _accounts(old)
    since = now - timedelta(seconds=settings.SESSION_COOKIE_AGE)
    for model in (Experiment, Series):
        model.objects.filter(ended_at__lt=since).exclude(address="").update(address="")
    return removed


def _detach_attempts(attempts: QuerySet[Attempt]) -> None:
    """Removes attempts whose session has expired; a result keeps its link, without an owner."""
    keys = [*attempts.values_list("pk", flat=True)[:_AT_ONCE]]
    rows = Attempt.objects.filter(pk__in=keys)
    rows.exclude(experiment__state=State.DONE).delete()
    rows.update(visitor="")


def _experiments(old: datetime) -> int:
    result = Experiment.objects.filter(
        state__in=_NO_RESULT, ended_at__lt=old, trial__isnull=True
    ).exclude(visitor="")
    slugs = [*result.values_list("slug", flat=True)[:_AT_ONCE]]
    # Filtered by state again: one of them may have been requeued in the meantime.
    result.filter(slug__in=slugs).delete()
    removed = {*slugs} - {*Experiment.objects.filter(slug__in=slugs).values_list("slug", flat=True)}
    for slug in removed:
        shutil.rmtree(Path(settings.LAB_RUNS_DIR) / slug, ignore_errors=True)
    return len(removed)


def _series(old: datetime) -> None:
    bare = Series.objects.filter(ended_at__lt=old, experiments__isnull=True).exclude(visitor="")
    Series.objects.filter(pk__in=[*bare.values_list("pk", flat=True)[:_AT_ONCE]]).delete()


def _accounts(old: datetime) -> int:
    unused = accounts.unused(old)[:_AT_ONCE]
    for user in unused:
        accounts.remove(user)
    return len(unused)


def _descriptions(old: datetime) -> int:
    models = (Experiment, Series)
    unused = [~Exists(model.objects.filter(pipeline=OuterRef("slug"))) for model in models]
    result = Description.objects.filter(*unused, created__lt=old)
    slugs = [*result.values_list("slug", flat=True)[:_AT_ONCE]]
    return Description.objects.filter(*unused, slug__in=slugs).delete()[0]
