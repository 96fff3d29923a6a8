"""Each change of state happens exactly once, and only from the expected state."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from django.db import IntegrityError, transaction

from labs.models import Experiment, State
from labs.runs import lifecycle
from labs.runs.heartbeat import HeartbeatAges
from tests.labs import make

ROOT = Path(__file__).resolve().parents[3]

CLAIM = """
import sys, django
django.setup()
from labs.runs import lifecycle
print("ready", flush=True)
sys.stdin.readline()
for slug in sys.argv[2:]:
    if lifecycle.claim(slug, 1, sys.argv[1]):
        print(slug, flush=True)
"""


def django_process(data: Path, *argv: str) -> subprocess.Popen[str]:
    env = {**os.environ, "LAB_DATA_DIR": str(data)}
    return subprocess.Popen(
        [sys.executable, *argv], cwd=ROOT, env=env, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip


@pytest.mark.process
def test_each_run_is_claimed_by_exactly_one_of_two_concurrent_processes(tmp_path: Path) -> None:
    setup = (
        "import django; django.setup()\n"
        "from django.core.management import call_command; call_command('migrate', verbosity=0)\n"
        "from tests.labs import make\n"
        "print(*(make.experiment().slug for _ in range(30)))"
    )
    slugs = django_process(tmp_path, "-c", setup).communicate(timeout=60)[0].split()
    assert len(slugs) == 30
    processes = [django_process(tmp_path, "-c", CLAIM, owner, *slugs) for owner in ("one", "two")]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    claimed = [
        slug for finished in processes for slug in finished.communicate(timeout=60)[0].split()
    ]
    assert sorted(claimed) == sorted(slugs), "each was claimed once, none twice"


pytestmark = pytest.mark.django_db


def swept(each_second: Callable[[int], None] = lambda _: None) -> list[str]:
    """The runs that sweeps end which come each second until just after the limit of silence."""
    now = [0.0]
    heartbeats, ended = HeartbeatAges(lambda: now[0]), []
    for second in range(int(lifecycle.STALE_S) + 2):
        now[0] = float(second)
        each_second(second)
        ended += lifecycle.sweep(heartbeats)
    return ended


def test_a_task_delivered_twice_runs_once() -> None:
    experiment = make.experiment()
    first = lifecycle.claim(experiment.slug, 1, "first")
    assert first is not None
    assert first.state == State.RUNNING
    assert lifecycle.claim(experiment.slug, 1, "second") is None


def test_a_task_of_an_earlier_attempt_claims_nothing() -> None:
    experiment = make.experiment(State.INTERRUPTED)
    assert lifecycle.requeue(experiment.slug, 1)
    assert lifecycle.claim(experiment.slug, 1, "late") is None
    assert lifecycle.claim(experiment.slug, 2, "in time") is not None


def test_only_the_owner_sends_heartbeats_and_finishes() -> None:
    experiment = make.experiment()
    lifecycle.claim(experiment.slug, 1, "owner")
    assert lifecycle.heartbeat(experiment.slug, "owner")
    assert not lifecycle.heartbeat(experiment.slug, "other")
    assert not lifecycle.finish(experiment.slug, "other", State.DONE)
    assert lifecycle.finish(experiment.slug, "owner", State.DONE)
    assert not lifecycle.heartbeat(experiment.slug, "owner")


def test_a_cancelled_run_is_taken_from_its_worker() -> None:
    experiment = make.experiment()
    lifecycle.claim(experiment.slug, 1, "owner")
    assert lifecycle.cancel(experiment.slug, "a visitor")
    assert not lifecycle.heartbeat(experiment.slug, "owner")
    assert not lifecycle.finish(experiment.slug, "owner", State.DONE)
    assert not lifecycle.cancel(experiment.slug, "a visitor"), "what has ended cannot be cancelled"


def test_a_silent_run_is_interrupted_and_its_folder_removed() -> None:
    experiment = make.experiment(State.RUNNING)
    (experiment.folder / "described" / "ledger").mkdir(parents=True)
    assert swept() == [experiment.slug]
    experiment.refresh_from_db()
    assert experiment.state == State.INTERRUPTED
    assert "stopped answering" in experiment.reason
    assert not experiment.folder.parent.exists(), "nor is an empty folder left"
    assert swept() == [], "once is enough"


@pytest.mark.parametrize("stepped_s", [-3600.0, 0.0, 3600.0])
def test_a_silent_run_is_interrupted_however_the_wall_clock_was_set(stepped_s: float) -> None:
    experiment = make.experiment(State.RUNNING)
    make.age(experiment, heartbeat_at=stepped_s, started_at=stepped_s)
    assert swept() == [experiment.slug]


@pytest.mark.parametrize("stepped_s", [-3600.0, 0.0, 3600.0])
def test_a_run_with_heartbeats_is_left_alone_however_the_wall_clock_was_set(
    stepped_s: float,
) -> None:
    experiment = make.experiment(State.RUNNING)
    experiment.folder.mkdir(parents=True)

    def beats(second: int) -> None:
        if second % 10 == 0:
            make.age(experiment, heartbeat_at=stepped_s - second)

    assert swept(beats) == []
    assert experiment.folder.exists()


def test_time_in_which_the_sweeper_itself_was_stopped_is_not_silence() -> None:
    experiment = make.experiment(State.RUNNING)
    now = [0.0]
    heartbeats = HeartbeatAges(lambda: now[0])
    for now[0] in (0.0, 5.0, 600.0, 605.0):
        assert lifecycle.sweep(heartbeats) == []
    now[0] = 616.0
    assert lifecycle.sweep(heartbeats) == [experiment.slug]


def test_files_of_an_interrupted_runner_are_removed_by_a_later_sweep() -> None:
    experiment = make.experiment(State.INTERRUPTED)
    experiment.folder.mkdir(parents=True)
    lifecycle.sweep()
    assert not experiment.folder.exists()


def test_a_judged_arm_of_an_interrupted_run_keeps_its_ledger_and_verdict() -> None:
    experiment = make.experiment(State.INTERRUPTED, "broken", "unknown")
    judged, unjudged = experiment.runs.all()
    for run in (judged, unjudged):
        (experiment.folder / run.name / "ledger").mkdir(parents=True)
    lifecycle.sweep()
    assert (experiment.folder / judged.name / "ledger").exists()
    assert not (experiment.folder / unjudged.name).exists()
    judged.refresh_from_db()
    assert judged.verdict == "broken"


def test_a_verdict_without_its_ledger_is_dropped() -> None:
    experiment = make.experiment(State.INTERRUPTED, "broken", "unknown")
    lifecycle.sweep()
    assert next((run.verdict, run.result) for run in experiment.runs.all()) == ("", {})


def test_the_ledger_of_a_finished_run_is_never_swept() -> None:
    experiment = make.experiment(State.DONE, "broken", "holds")
    experiment.folder.mkdir(parents=True)
    lifecycle.sweep()
    assert experiment.folder.exists()


def test_requeueing_clears_the_results_and_keeps_the_request() -> None:
    experiment = make.experiment(State.FAILED, "unknown")
    assert lifecycle.requeue(experiment.slug, 1)
    experiment.refresh_from_db()
    assert (experiment.state, experiment.attempt, experiment.seed) == (State.QUEUED, 2, 7)
    assert [(run.verdict, run.result) for run in experiment.runs.all()] == [("", {}), ("", {})]
    assert not lifecycle.requeue(experiment.slug, 1), "a second click does nothing"


@pytest.mark.parametrize("state", [State.QUEUED, State.RUNNING, State.DONE])
def test_a_queued_running_or_completed_run_is_not_requeued(state: State) -> None:
    experiment = make.experiment(state)
    assert not lifecycle.requeue(experiment.slug, 1)


def test_experiments_without_a_recent_nudge_are_overdue() -> None:
    never_nudged, lost, fresh = make.experiment(), make.experiment(), make.experiment()
    make.age(lost, nudged_at=lifecycle.RENUDGE_S + 1)
    make.age(fresh, nudged_at=1)
    assert set(lifecycle.overdue_experiments()) == {(never_nudged.slug, 1), (lost.slug, 1)}


@pytest.mark.parametrize(
    "wrong", [{"state": "odd"}, {"state": "running", "owner": ""}, {"state": "done"}]
)
def test_the_database_refuses_inconsistent_states(wrong: dict[str, str]) -> None:
    experiment = make.experiment()
    with pytest.raises(IntegrityError), transaction.atomic():
        Experiment.objects.filter(pk=experiment.pk).update(**wrong)
