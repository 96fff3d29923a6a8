"""The work of a worker: runs attempts, sweeps, and keeps a judge warm."""

from __future__ import annotations

import logging
import threading
import time
import uuid
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from celery.signals import worker_ready, worker_shutdown, worker_shutting_down
from django.conf import settings
from django.contrib.sessions.backends.db import SessionStore
from django.db import Error as DatabaseError
from django.db import close_old_connections, connection

from labs.engine.base import failure_text
from labs.engine.judge.warm import WarmJudge
from labs.engine.run.keeper import KILLED
from labs.engine.run.launch import Launch, RunnerDied
from labs.engine.run.pool import Pool
from labs.models import Experiment, State
from labs.runs import expiry, lifecycle, owners, presence, pruning, queue, series
from labs.runs.background import Background
from labs.runs.heartbeat import HeartbeatAges
from labs.runs.recording import Recorder

logger = logging.getLogger(__name__)

SWEEP_EVERY_S = 5.0
CLEAR_EVERY_S = 3600.0
"""The time between two deletions of expired data."""

RUNNER_DIED = "The process that ran the brokers was killed. Nothing is concluded from what it left."
WORKER_STOPPED = "The worker was stopped. Nothing is concluded from what the run left."
NO_RESULT = "The runner ended with status {status}, before a result; the worker's log says more."

_stopping = threading.Event()


def run(slug: str, attempt: int) -> None:
    """Runs one queued attempt to its end; returns immediately if another worker has it."""
    owner = owners.new()
    experiment = lifecycle.claim(slug, attempt, owner)
    if experiment is None:
        logger.info("attempt %d is not queued: nothing to do", attempt, extra={"run": slug})
        return
    carry_out(experiment, settings.LAB_JUDGE_SOCKET, _pool())


def carry_out(experiment: Experiment, judge_socket: Path, pool: Pool | None = None) -> None:
    """Runs a claimed experiment to its end, and records how it ended.

    A waiting runner of the pool is used if one fits.
    """
    slug, owner = experiment.slug, experiment.owner
    state, reason = State.INTERRUPTED, WORKER_STOPPED
    try:
        state, reason = _execute(experiment, owner, judge_socket, pool)
    except Exception as error:
        logger.exception("the run failed", extra={"run": slug})
        state, reason = (
            State.FAILED,
            f"The run could not be carried out: {failure_text.sentence(error)}",
        )
    finally:
        if not lifecycle.finish(slug, owner, state, reason):
            logger.info("the run had been ended by another process", extra={"run": slug})
        if state != State.DONE:
            lifecycle.remove_leftovers()
            lifecycle.remove_if_empty(experiment)
    pruning.prune()
    series.ended(experiment)


def _execute(
    experiment: Experiment, owner: str, judge_socket: Path, pool: Pool | None
) -> tuple[State, str]:
    recorder = Recorder(experiment, owner)
    request = experiment.play() if experiment.is_incident else experiment.request()
    with Launch(request, experiment.folder, judge_socket, pool) as running:
        heart = _Heart(experiment.slug, owner, running)
        try:
            with heart:
                for event in running:
                    recorder.take(event)
        except RunnerDied as died:
            return end_without_result(died, heart.stopped, recorder.error)
    if recorder.killed:
        return State.INTERRUPTED, recorder.error
    return (State.FAILED, recorder.error) if recorder.error else (State.DONE, "")


def end_without_result(died: RunnerDied, stopped: bool, error: str) -> tuple[State, str]:
    """Returns the state of a run that ended early, and the reason: killed from outside, or
    failed."""
    logger.warning("%s", died)
    if stopped:
        return State.INTERRUPTED, WORKER_STOPPED
    if died.status < 0 or died.status == KILLED:
        return State.INTERRUPTED, RUNNER_DIED
    return State.FAILED, error or NO_RESULT.format(status=died.status)


class _Heart:
    """Sends heartbeats for a run in a separate thread; stops the runner when the run is ended."""

    def __init__(self, slug: str, owner: str, running: Launch) -> None:
        self._slug, self._owner, self._running = slug, owner, running
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._beat, name=f"heart-{slug}", daemon=True)
        self.stopped = False

    def __enter__(self) -> _Heart:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _beat(self) -> None:
        try:
            while not self._over.wait(lifecycle.HEARTBEAT_S):
                self.stopped = _stopping.is_set()
                if self.stopped or not self._still_ours():
                    self._running.stop()
                    return
        finally:
            connection.close()

    def _still_ours(self) -> bool:
        try:
            return lifecycle.heartbeat(self._slug, self._owner)
        except DatabaseError:
            # A busy or restarting database does not end the run; the sweep decides by time.
            logger.warning("a heartbeat was not written", exc_info=True, extra={"run": self._slug})
            close_old_connections()
            return True


class Sweeper:
    """Ends runs without a heartbeat, nudges overdue ones, continues series, deletes old data."""

    def __init__(self) -> None:
        self._cleared_at: float | None = None
        self._workers = HeartbeatAges()

    def sweep(self) -> None:
        """Sweeps once; called every few seconds."""
        lifecycle.sweep()
        series.follow_all()
        queue.nudge_waiting()
        presence.forget_dead_workers(self._workers)
        now = time.monotonic()
        if self._cleared_at is None or now - self._cleared_at >= CLEAR_EVERY_S:
            self._cleared_at = now
            SessionStore.clear_expired()
            expiry.forget()


class Helpers:
    """The sweeper, the warm judge and the pool of this worker process."""

    def __init__(self) -> None:
        self._name = uuid.uuid4().hex
        self._background = (
            Background("presence", partial(presence.beat, self._name), presence.BEAT_S),
            Background("sweeper", Sweeper().sweep, SWEEP_EVERY_S),
        )
        self._judge = WarmJudge(settings.LAB_JUDGE_SOCKET)
        socket, runs = settings.LAB_JUDGE_SOCKET, settings.LAB_RUNS_DIR
        self.pool = Pool(runs, socket) if settings.LAB_WARM_POOL else None

    def start(self) -> None:
        _stopping.clear()
        for background in self._background:
            background.start()
        self._judge.start()
        if self.pool:
            self.pool.start()

    def stop(self) -> None:
        for background in self._background:
            background.stop()
            background.join(presence.BEAT_S)
        with suppress(DatabaseError):
            presence.leave(self._name)
        if self.pool:
            self.pool.stop()
        self._judge.stop()


_helpers: list[Helpers] = []


def _pool() -> Pool | None:
    return _helpers[-1].pool if _helpers else None


@worker_ready.connect
def _start_helpers(**_: Any) -> None:
    _helpers.append(Helpers())
    _helpers[-1].start()


@worker_shutting_down.connect
def _end_runs(**_: Any) -> None:
    """Ends the runs of a worker that is stopping, so that it does not wait for them."""
    _stopping.set()


@worker_shutdown.connect
def _stop_helpers(**_: Any) -> None:
    while _helpers:
        _helpers.pop().stop()
