"""Notifies the workers of an experiment. Redis has only the notification; the database has the
state."""

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
"""The name of the task, so that callers need not import its code."""


def nudge(slug: str, attempt: int) -> bool:
    """Notifies the workers that an attempt waits; returns False if Redis did not accept it.

    Nothing is lost then: the attempt stays queued, the page says why it waits, and the sweep
    notifies again.
    """
    try:
        current_app.send_task(TASK, (slug, attempt), retry=False, ignore_result=True)
    except (OperationalError, RedisError, OSError) as error:
        logger.warning("Redis did not accept the experiment: %s", error, extra={"run": slug})
        return False
    Experiment.objects.filter(slug=slug, attempt=attempt, state=State.QUEUED).update(
        nudged_at=timezone.now()
    )
    return True


def nudge_waiting() -> int:
    """Notifies again of every queued attempt that has waited for a while; returns their number."""
    return sum(nudge(slug, attempt) for slug, attempt in overdue_experiments())
