"""The states of an experiment. Each change is a compare-and-set in the database.

Celery may deliver a task twice, a worker may die at any line, and Redis may lose data. Therefore
there are no locks: a change names the state it starts from, and the result of `update()` tells
whether it took effect. See `docs/decisions/0006-runs-survive-restarts.md`.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from labs.engine.base.folders import remove_all_but
from labs.engine.run.result import JUDGED
from labs.models import LIVE, Experiment, Run, State
from labs.runs import owners
from labs.runs.heartbeat import HeartbeatAges

logger = logging.getLogger(__name__)

HEARTBEAT_S = 1.0
STALE_S = 15.0
"""The time without a heartbeat after which a run counts as interrupted (15 missed beats), if it is
unknown whether its worker's process is alive."""
HUNG_S = 60.0
"""The same if the process is alive: it is stopped, or hangs. A slow disk or an overloaded machine
delays a heartbeat less."""
RENUDGE_S = 20.0
"""The time that a queued experiment waits for a worker before it is sent to Redis again."""
RENUDGE_MOST = 4

_heartbeats = HeartbeatAges()

_ENDED = (
    "so the run was ended and its brokers with it. Nothing is concluded from it, and it is not "
    "run again by itself."
)
WORKER_GONE = f"The worker that ran this stopped answering, {_ENDED}"
WORKER_DEAD = f"The process of the worker that ran this was killed, {_ENDED}"


def claim(slug: str, attempt: int, owner: str) -> Experiment | None:
    """Claims one queued attempt for `owner`; returns None if it was claimed, or is not queued."""
    now = timezone.now()
    claimed = Experiment.objects.filter(slug=slug, attempt=attempt, state=State.QUEUED).update(
        state=State.RUNNING, owner=owner, heartbeat_at=now, started_at=now, reason=""
    )
    return Experiment.objects.get(slug=slug) if claimed else None


def heartbeat(slug: str, owner: str) -> bool:
    """Records that `owner` still runs it; returns False if the run was ended (cancelled, swept)."""
    return bool(
        Experiment.objects.filter(slug=slug, owner=owner, state=State.RUNNING).update(
            heartbeat_at=timezone.now()
        )
    )


def finish(slug: str, owner: str, state: State, reason: str = "") -> bool:
    """Ends a run of `owner`; returns False if it belongs to another owner by now."""
    return bool(
        Experiment.objects.filter(slug=slug, owner=owner, state=State.RUNNING).update(
            **_ended(state, reason)
        )
    )


def _ended(state: State, reason: str) -> dict[str, Any]:
    """Returns the fields of an experiment that has ended."""
    return {
        "state": state, "reason": reason, "ended_at": timezone.now(), "owner": "",
        "heartbeat_at": None,
    }  # fmt: skip


def cancel(slug: str, by: str) -> bool:
    """Ends a queued or running experiment; its worker notices at the next heartbeat.

    `by` completes "Cancelled by".
    """
    return bool(
        Experiment.objects.filter(slug=slug, state__in=LIVE).update(
            **_ended(State.CANCELLED, f"Cancelled by {by}.")
        )
    )


def requeue(slug: str, attempt: int, visitor: str = "", address: str = "") -> bool:
    """Puts an ended attempt without a result back into the queue, as the next attempt.

    From then on it belongs to the visitor who requested it.
    """
    with transaction.atomic():
        again = Experiment.objects.filter(
            slug=slug,
            attempt=attempt,
            state__in=(State.FAILED, State.INTERRUPTED, State.CANCELLED),
        ).update(
            state=State.QUEUED,
            attempt=F("attempt") + 1,
            owner="",
            visitor=visitor,
            address=address,
            reason="",
            queued_at=timezone.now(),
            nudged_at=None,
            heartbeat_at=None,
            started_at=None,
            ended_at=None,
            pruned_at=None,
        )
        if again:
            Run.objects.filter(experiment__slug=slug).update(
                phase="", live={}, samples=[], faults=[], verdict="", result={}
            )
    return bool(again)


def sweep(heartbeats: HeartbeatAges = _heartbeats) -> list[str]:
    """Ends runs whose worker died or sends no heartbeat, and removes their files; returns their
    slugs.

    It is cheap, and several processes may call it at the same time. It writes, so no page calls it.
    """
    ended = interrupt_orphans(heartbeats)
    remove_leftovers()
    return ended


def interrupt_orphans(heartbeats: HeartbeatAges = _heartbeats) -> list[str]:
    """Ends runs whose worker's process is dead, or has sent no heartbeat for too long; returns
    their slugs.

    The limit is `HUNG_S` if the process is alive, `STALE_S` if that is unknown.
    """
    # First the dead owners, then the runs: a dead process cannot claim another run.
    alive, dead = owners.by_liveness()
    running = Experiment.objects.filter(state=State.RUNNING)
    beats = {
        (slug, owner): at
        for slug, owner, at in running.values_list("slug", "owner", "heartbeat_at")
    }
    ages = heartbeats.seconds(beats, STALE_S)
    ended = []
    for (slug, owner), beat in beats.items():
        process = owners.lock_name(owner)
        limit_s = HUNG_S if process in alive else STALE_S
        if process not in dead and ages[slug, owner] < limit_s:
            continue
        # The beat is part of the comparison: a worker that has resumed keeps its run.
        same = running.filter(slug=slug, owner=owner, heartbeat_at=beat)
        reason = WORKER_DEAD if process in dead else WORKER_GONE
        if same.update(**_ended(State.INTERRUPTED, reason)):
            logger.warning("interrupted: %s", reason, extra={"run": slug})
            ended.append(slug)
    owners.forget(dead)
    return ended


def remove_leftovers() -> None:
    """Removes the folders of attempts that ended without a result in the last hour.

    The ledgers of arms with a verdict stay; without its ledger, a verdict is removed.

    This is repeated since the runner of a dead worker may still be stopping its brokers.
    """
    recent = Experiment.objects.filter(
        state__in=(State.INTERRUPTED, State.CANCELLED),
        ended_at__gt=timezone.now() - timedelta(hours=1),
    )
    _remove(recent.only("slug", "attempt"))


def _remove(experiments: Iterable[Experiment]) -> None:
    for experiment in experiments:
        if experiment.folder.exists():
            judged_arms = {run.name for run in _judged(experiment) if _ledger(run).exists()}
            remove_all_but(experiment.folder, judged_arms, ignore_errors=True)
        remove_if_empty(experiment)
        without_ledger = [run.pk for run in _judged(experiment) if not _ledger(run).exists()]
        Run.objects.filter(pk__in=without_ledger).update(verdict="", result={})


def remove_if_empty(experiment: Experiment) -> None:
    """Removes the folder of an attempt, and that of all attempts, if they are empty."""
    with suppress(OSError):
        experiment.folder.rmdir()
    with suppress(OSError):
        experiment.folder.parent.rmdir()


def _judged(experiment: Experiment) -> QuerySet[Run]:
    """Returns the arms with a verdict. A verdict is kept as long as its ledger."""
    return experiment.runs.filter(verdict__in=JUDGED)


def _ledger(run: Run) -> Path:
    return run.experiment.folder / run.name / "ledger"


def overdue_experiments() -> list[tuple[str, int]]:
    """Returns the oldest queued attempts whose nudge was lost or never sent: (slug, attempt).

    Only a few, because they may be waiting for other runs, and every needless nudge is a task for
    a worker.
    """
    before = timezone.now() - timedelta(seconds=RENUDGE_S)
    queued = Experiment.objects.filter(state=State.QUEUED).order_by("queued_at", "pk")
    oldest = queued.values_list("slug", "attempt", "nudged_at")[:RENUDGE_MOST]
    return [(slug, attempt) for slug, attempt, at in oldest if at is None or at < before]
