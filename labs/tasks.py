"""The Celery task, which only calls the code of the worker."""

from __future__ import annotations

from celery import shared_task

from labs.runs import worker
from labs.runs.queue import TASK


@shared_task(name=TASK, acks_late=True, ignore_result=True)  # type: ignore[untyped-decorator, unused-ignore]
def run_experiment(slug: str, attempt: int) -> None:
    """Runs one queued attempt, unless another worker has taken it."""
    worker.run(slug, attempt)
