"""What Celery calls: one task, which only hands over to the worker's own code."""

from __future__ import annotations

from celery import shared_task

from labs.runs import worker
from labs.runs.queue import TASK


@shared_task(name=TASK, acks_late=True, ignore_result=True)  # type: ignore[untyped-decorator, unused-ignore]
def run_experiment(slug: str, attempt: int) -> None:
    """Runs one queued attempt, unless another worker has taken it."""
    worker.run(slug, attempt)
