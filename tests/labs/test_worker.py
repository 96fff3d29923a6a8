"""What a run is that ended too early, and that only a waiting attempt is run at all."""

from __future__ import annotations

import pytest

from labs import worker
from labs.engine.launch import RunnerDied
from labs.models import State
from tests.labs import make


@pytest.mark.parametrize(
    ("status", "stopped", "state", "said"),
    [
        (-9, False, State.INTERRUPTED, "was killed"),
        (5, False, State.INTERRUPTED, "was killed"),
        (3, True, State.INTERRUPTED, "The worker was stopped"),
        (2, False, State.FAILED, "no such scenario"),
        (1, False, State.FAILED, "no such scenario"),
    ],
)
def test_being_killed_is_an_interruption_and_being_unable_a_failure(
    status: int, stopped: bool, state: State, said: str
) -> None:
    died = RunnerDied(status, "last words")
    ended, reason = worker.end_without_result(died, stopped, "no such scenario")
    assert ended == state
    assert said in reason


def test_a_runner_without_a_word_still_gives_a_reason() -> None:
    _, reason = worker.end_without_result(RunnerDied(1, ""), False, "")
    assert "status 1" in reason


@pytest.mark.django_db
@pytest.mark.parametrize("state", [state for state in State if state != State.QUEUED])
def test_what_does_not_wait_is_not_run(state: State) -> None:
    made = make.experiment(state)
    worker.run(made.slug, made.attempt)
    made.refresh_from_db()
    assert made.state == state
    assert not made.folder.exists()


@pytest.mark.django_db
def test_what_cannot_be_run_has_failed_and_says_why() -> None:
    """The scenario has left the house since the experiment was queued."""
    made = make.experiment()
    made.spec["scenario"] = "no-such-scenario"
    made.save()
    worker.run(made.slug, made.attempt)
    made.refresh_from_db()
    assert made.state == State.FAILED
    assert "no-such-scenario" in made.reason
