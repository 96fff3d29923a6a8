"""The state of a run that ended too early. Only a queued attempt is run at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.conf import LazySettings
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.test import Client

from labs.engine.plan.spec import ExperimentSpec
from labs.engine.run.launch import RunnerDied
from labs.engine.run.pool import Pool
from labs.models import State
from labs.runs import lifecycle, worker
from tests.labs import make


@pytest.mark.parametrize(
    ("status", "stopped", "state", "message"),
    [
        (-9, False, State.INTERRUPTED, "was killed"),
        (5, False, State.INTERRUPTED, "was killed"),
        (3, True, State.INTERRUPTED, "The worker was stopped"),
        (2, False, State.FAILED, "no such scenario"),
        (1, False, State.FAILED, "no such scenario"),
    ],
)
def test_a_killed_runner_is_interrupted_and_a_runner_with_an_error_has_failed(
    status: int, stopped: bool, state: State, message: str
) -> None:
    died = RunnerDied(status, "last words")
    final_state, reason = worker.end_without_result(died, stopped, "no such scenario")
    assert final_state == state
    assert message in reason


def test_a_runner_without_a_message_still_gets_a_reason() -> None:
    _, reason = worker.end_without_result(RunnerDied(1, ""), False, "")
    assert "status 1" in reason


@pytest.mark.django_db
@pytest.mark.parametrize("state", [state for state in State if state != State.QUEUED])
def test_only_a_queued_experiment_is_run(state: State) -> None:
    experiment = make.experiment(state)
    worker.run(experiment.slug, experiment.attempt)
    experiment.refresh_from_db()
    assert experiment.state == state
    assert not experiment.folder.exists()


@pytest.mark.process
@pytest.mark.django_db(transaction=True)  # the heartbeat thread writes, too
def test_an_experiment_that_cannot_be_run_fails_with_a_reason() -> None:
    """The scenario was removed after the experiment was queued."""
    experiment = make.experiment()
    experiment.spec["scenario"] = "no-such-scenario"
    experiment.save()
    worker.run(experiment.slug, experiment.attempt)
    experiment.refresh_from_db()
    assert experiment.state == State.FAILED
    assert "no-such-scenario" in experiment.reason


class EmptyPool(Pool):
    """A pool whose runner is taken. It records the requests."""

    def __init__(self, above: Path) -> None:
        super().__init__(above)
        self.specs: list[ExperimentSpec] = []

    def take(self, spec: ExperimentSpec) -> None:
        self.specs.append(spec)


@pytest.mark.process
@pytest.mark.django_db(transaction=True)  # the heartbeat thread writes, too
def test_the_pool_is_used_first_and_an_empty_pool_does_not_block(data_dir: Path) -> None:
    experiment = make.experiment()
    experiment.spec["scenario"] = "no-such-scenario"
    experiment.save()
    pool, claimed = EmptyPool(data_dir), lifecycle.claim(experiment.slug, experiment.attempt, "us")
    assert claimed
    worker.carry_out(claimed, data_dir / "judge.sock", pool)
    assert pool.specs == [claimed.request()]
    experiment.refresh_from_db()
    assert experiment.state == State.FAILED
    assert "no-such-scenario" in experiment.reason


@pytest.mark.parametrize("enabled", [True, False])
def test_a_worker_has_a_pool_unless_it_is_switched_off(
    enabled: bool, settings: LazySettings
) -> None:
    settings.LAB_WARM_POOL = enabled
    assert (worker.Helpers().pool is not None) == enabled


@pytest.mark.django_db
def test_the_worker_clears_only_expired_sessions(client: Client) -> None:
    expired, current = SessionStore(), client.session
    expired["draft"] = current["draft"] = {"fields": {}, "done": []}
    expired.set_expiry(-1)
    expired.save()
    current.save()
    sweeper = worker.Sweeper()
    sweeper.sweep()
    assert [session.session_key for session in Session.objects.all()] == [current.session_key]
    expired.save(must_create=True)
    sweeper.sweep()
    assert Session.objects.count() == 2, "it looks again only after an hour"
