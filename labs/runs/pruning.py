"""Limits the disk usage: the oldest ledgers are removed first, and their counts stay.

The rule (docs/setup.md): while the folders of all experiments of the site, the database, the queue
and the logs together are larger than the limit, the ledger of the experiment that ended first is
removed. The ledgers of queued and running experiments are never removed, nor is that of the
experiment that ended last, so that there is always a result to look at.
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
    """Removes ledgers until the limit (default `LAB_RUNS_LIMIT_MB`) is met; returns their slugs."""
    limit = settings.LAB_RUNS_LIMIT_MB * MEGABYTE if limit_bytes is None else limit_bytes
    unpruned = Experiment.objects.filter(pruned_at__isnull=True)
    sizes = {slug: size(_runs_folder(slug)) for slug in unpruned.values_list("slug", flat=True)}
    total, pruned = sum(sizes.values()) + other_bytes(), []
    for experiment in list(_ended().order_by("-ended_at", "-pk")[1:])[::-1]:
        if total <= limit:
            break
        if sizes.get(experiment.slug) and _remove(experiment):
            total -= sizes[experiment.slug]
            pruned.append(experiment.slug)
            logger.info("the ledger was pruned", extra={"run": experiment.slug})
    if total > limit:
        logger.warning(
            "%d MB are used, which is more than the limit of %d MB",
            total / MEGABYTE,
            limit / MEGABYTE,
        )
    return pruned


def other_bytes() -> int:
    """Returns the bytes used by everything except ledgers: database, queue of our Redis, logs."""
    folders = (settings.LAB_LOGS_DIR, settings.LAB_DATA_DIR / "redis")
    return _database_bytes() + sum(size(Path(folder)) for folder in folders)


def _database_bytes() -> int:
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
    # First in the database: a page may say "pruned" too early, but never offers missing files.
    marked = _ended().filter(pk=experiment.pk, attempt=experiment.attempt)
    if not marked.update(pruned_at=timezone.now()):
        return False
    folder = _runs_folder(experiment.slug)
    for attempt in range(1, experiment.attempt + 1):  # a later one may be starting right now
        shutil.rmtree(folder / str(attempt), ignore_errors=True)
    with suppress(OSError):
        folder.rmdir()
    return True


def _runs_folder(slug: str) -> Path:
    """Returns the folder of all attempts of an experiment."""
    return Path(settings.LAB_RUNS_DIR) / slug
