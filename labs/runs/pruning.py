"""Limits the use of the disk: the oldest ledgers are removed first, and their counts stay.

The rule, as docs/setup.md has it: while the folders of all experiments of the site, the database,
the queue and the logs together are larger than the limit, the ledger of the experiment that ended
first is removed. Never that of a run that waits or runs, and never that of the one that ended last,
so that a result can always be looked at.
"""

from __future__ import annotations

import logging
import shutil
from contextlib import suppress
from pathlib import Path

from django.conf import settings
from django.db import connection
from django.db.models import QuerySet
from django.utils import timezone

from labs.engine.base.folders import size
from labs.models import LIVE, Experiment

logger = logging.getLogger(__name__)

MEGABYTE = 10**6


def prune(limit_bytes: int | None = None) -> list[str]:
    """Removes ledgers until the limit (`LAB_RUNS_LIMIT_MB` by default) holds; whose, by slug."""
    limit = settings.LAB_RUNS_LIMIT_MB * MEGABYTE if limit_bytes is None else limit_bytes
    kept = Experiment.objects.filter(pruned_at__isnull=True)
    sizes = {slug: size(_runs(slug)) for slug in kept.values_list("slug", flat=True)}
    left, pruned = sum(sizes.values()) + other_bytes(), []
    for experiment in list(_ended().order_by("-ended_at", "-pk")[1:])[::-1]:
        if left <= limit:
            break
        if sizes.get(experiment.slug) and _remove(experiment):
            left -= sizes[experiment.slug]
            pruned.append(experiment.slug)
            logger.info("its ledger was pruned", extra={"run": experiment.slug})
    if left > limit:
        logger.warning("%d MB are left, %d are wanted", left / MEGABYTE, limit / MEGABYTE)
    return pruned


def other_bytes() -> int:
    """Returns the bytes other than ledgers: the database, the queue of our Redis, the logs."""
    folders = (settings.LAB_LOGS_DIR, settings.LAB_DATA_DIR / "redis")
    return _database() + sum(size(Path(folder)) for folder in folders)


def _database() -> int:
    if connection.vendor == "sqlite":
        file = str(connection.settings_dict["NAME"])
        return sum(size(Path(f"{file}{end}")) for end in ("", "-wal", "-shm"))
    if connection.vendor != "postgresql":
        return 0
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        return int(cursor.fetchone()[0])


def _ended() -> QuerySet[Experiment]:
    return Experiment.objects.exclude(state__in=LIVE)


def _remove(experiment: Experiment) -> bool:
    # In the database first: a page may say "pruned" a moment early, never offer what is not there.
    marked = _ended().filter(pk=experiment.pk, attempt=experiment.attempt)
    if not marked.update(pruned_at=timezone.now()):
        return False
    folder = _runs(experiment.slug)
    for attempt in range(1, experiment.attempt + 1):  # a later one may be starting just now
        shutil.rmtree(folder / str(attempt), ignore_errors=True)
    with suppress(OSError):
        folder.rmdir()
    return True


def _runs(slug: str) -> Path:
    """Returns the folder of all attempts of an experiment."""
    return Path(settings.LAB_RUNS_DIR) / slug
