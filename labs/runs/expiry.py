"""Removes what visitors left behind, after a retention time.

The rule (docs/setup.md): after `LAB_KEEP_DAYS` days (0: never) these are deleted: a description
without experiments, an experiment of a visitor without a result, a series of a visitor without
experiments, and an account that was not used, with its progress. Progress in a lesson is deleted
with its session or account, and so are attempts at challenges and the note that one was given up; a
result stays behind its link. Results of experiments are evidence and stay; the mark of the address
of an experiment is deleted when no session of that time is left. A class room is always deleted,
with its pupils, a week after it was opened.
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
"""The number of rows that are removed at once, so that the database is not blocked for long."""


def forget() -> dict[str, int]:
    """Removes expired rows, at most `_AT_ONCE` of each kind; returns how many, by kind."""
    now = timezone.now()
    alive = Session.objects.filter(expire_date__gt=now).values("session_key")
    of_sessions = ~Q(visitor__in=alive) & ~Q(visitor__startswith=ACCOUNT_PREFIX)
    lost = Progress.objects.filter(of_sessions).values_list("pk", flat=True)
    progress, _ = Progress.objects.filter(pk__in=[*lost[:_AT_ONCE]]).delete()
    given_up = GivenUp.objects.filter(of_sessions).values_list("pk", flat=True)
    GivenUp.objects.filter(pk__in=[*given_up[:_AT_ONCE]]).delete()
    over = Classroom.objects.filter(opened_at__lt=now - KEPT_FOR).values_list("pk", flat=True)
    _, of_rooms = Classroom.objects.filter(pk__in=[*over[:_AT_ONCE]]).delete()
    rooms = of_rooms.get(Classroom._meta.label, 0)
    gone = {"progress": progress, "experiments": 0, "descriptions": 0, "rooms": rooms,
            "accounts": 0}  # fmt: skip
    _orphaned(Attempt.objects.filter(of_sessions).exclude(visitor=""))
    if settings.LAB_KEEP_DAYS:
        old = now - timedelta(days=settings.LAB_KEEP_DAYS)
        gone |= {"experiments": _experiments(old)}
        _series(old)
        gone |= {"descriptions": _descriptions(old)}
        gone["accounts"] = _accounts(old)
    since = now - timedelta(seconds=settings.SESSION_COOKIE_AGE)
    for kept in (Experiment, Series):
        kept.objects.filter(ended_at__lt=since).exclude(address="").update(address="")
    return gone


def _orphaned(tries: QuerySet[Attempt]) -> None:
    """Attempts whose session is gone: a result stays behind its link, without an owner."""
    of_session = [*tries.values_list("pk", flat=True)[:_AT_ONCE]]
    rows = Attempt.objects.filter(pk__in=of_session)
    rows.exclude(experiment__state=State.DONE).delete()
    rows.update(visitor="")


def _experiments(old: datetime) -> int:
    result = Experiment.objects.filter(
        state__in=_NO_RESULT, ended_at__lt=old, trial__isnull=True
    ).exclude(visitor="")
    slugs = [*result.values_list("slug", flat=True)[:_AT_ONCE]]
    # Once more by state: one of them may have been put into the queue again just now.
    result.filter(slug__in=slugs).delete()
    gone = {*slugs} - {*Experiment.objects.filter(slug__in=slugs).values_list("slug", flat=True)}
    for slug in gone:
        shutil.rmtree(Path(settings.LAB_RUNS_DIR) / slug, ignore_errors=True)
    return len(gone)


def _series(old: datetime) -> None:
    bare = Series.objects.filter(ended_at__lt=old, experiments__isnull=True).exclude(visitor="")
    Series.objects.filter(pk__in=[*bare.values_list("pk", flat=True)[:_AT_ONCE]]).delete()


def _accounts(old: datetime) -> int:
    unused = accounts.unused(old)[:_AT_ONCE]
    for user in unused:
        accounts.remove(user)
    return len(unused)


def _descriptions(old: datetime) -> int:
    kept = (Experiment, Series)
    unused = [~Exists(of.objects.filter(pipeline=OuterRef("slug"))) for of in kept]
    result = Description.objects.filter(*unused, created__lt=old)
    slugs = [*result.values_list("slug", flat=True)[:_AT_ONCE]]
    return Description.objects.filter(*unused, slug__in=slugs).delete()[0]
