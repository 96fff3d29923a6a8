"""Handing an experiment to a worker. Redis carries a nudge; the database carries the truth."""

from __future__ import annotations

import logging

from celery import current_app
from django.utils import timezone
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from labs.models import Experiment, State
from labs.runs.lifecycle import overdue_experiments

logger = logging.getLogger(__name__)

TASK = "labs.run_experiment"
"""The task's name. Who asks for it need not know its code, which is the worker's."""


def nudge(slug: str, attempt: int) -> bool:
    """Tells the workers that an attempt waits; False if Redis did not take it.

    Nothing is lost then: the attempt stays queued, the page says why it waits, and the sweep
    nudges again.
    """
    try:
        current_app.send_task(TASK, (slug, attempt), retry=False, ignore_result=True)
    except (OperationalError, RedisError, OSError) as error:
        logger.warning("Redis did not take the experiment: %s", error, extra={"run": slug})
        return False
    Experiment.objects.filter(slug=slug, attempt=attempt, state=State.QUEUED).update(
        nudged_at=timezone.now()
    )
    return True


def nudge_waiting() -> int:
    """Nudges again for every queued attempt that no worker took for a while; how many."""
    return sum(nudge(slug, attempt) for slug, attempt in overdue_experiments())
