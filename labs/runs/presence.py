"""Whether a worker runs: each worker counts its heartbeats in the database."""

from __future__ import annotations

from django.db.models import F

from labs.models import Worker
from labs.runs.heartbeat import HeartbeatAges

BEAT_S = 3.0
GONE_S = 15.0
"""The time without a heartbeat after which a worker counts as gone: five missed beats."""

_heartbeats = HeartbeatAges()


def beat(name: str) -> None:
    """Records a heartbeat of the worker of this name."""
    if not Worker.objects.filter(name=name).update(beat=F("beat") + 1):
        Worker.objects.create(name=name, beat=1)


def leave(name: str) -> None:
    """Records that the worker of this name has ended."""
    Worker.objects.filter(name=name).delete()


def missing(heartbeats: HeartbeatAges = _heartbeats) -> bool:
    """Whether no worker runs, as far as this process knows."""
    beats = dict(Worker.objects.values_list("name", "beat"))
    return len(heartbeats.overdue(beats, GONE_S)) == len(beats)


def forget_dead_workers(heartbeats: HeartbeatAges) -> None:
    """Removes workers without a recent heartbeat; a live one registers again."""
    beats = dict(Worker.objects.values_list("name", "beat"))
    for name in heartbeats.overdue(beats, GONE_S):
        Worker.objects.filter(name=name, beat=beats[name]).delete()
