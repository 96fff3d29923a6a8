"""Disk use has a limit: the oldest ledgers go first, and what was counted in them stays.

The rule, as docs/setup.md has it: while the folders of all experiments of the site together are
larger than the limit, the ledger of the one that ended first is removed. Never that of a run that
waits or runs, and never that of the one that ended last, so that a result can always be looked at.
"""

from __future__ import annotations

import logging
import shutil
from contextlib import suppress
from pathlib import Path

from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone

from labs.models import LIVE, Experiment

logger = logging.getLogger(__name__)

MEGABYTE = 10**6


def prune(limit_bytes: int | None = None) -> list[str]:
    """Removes ledgers until the limit (`LAB_RUNS_LIMIT_MB` by default) holds; whose, by slug."""
    limit = settings.LAB_RUNS_LIMIT_MB * MEGABYTE if limit_bytes is None else limit_bytes
    kept = Experiment.objects.filter(pruned_at__isnull=True)
    sizes = {slug: size(_runs(slug)) for slug in kept.values_list("slug", flat=True)}
    left, pruned = sum(sizes.values()), []
    for experiment in list(_ended().order_by("-ended_at", "-pk")[1:])[::-1]:
        if left <= limit:
            break
        if sizes.get(experiment.slug) and _remove(experiment):
            left -= sizes[experiment.slug]
            pruned.append(experiment.slug)
            logger.info("its ledger was pruned", extra={"run": experiment.slug})
    return pruned


def size(folder: Path) -> int:
    """Bytes in the files below a folder; what vanishes meanwhile counts nothing."""
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size if path.is_file() else 0
        except FileNotFoundError:
            continue
    return total


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
    """The folder of all attempts of an experiment."""
    return Path(settings.LAB_RUNS_DIR) / slug
