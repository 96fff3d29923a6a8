"""A run is interrupted as soon as its process is dead, but not because it is slow."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest
from django.conf import LazySettings, settings

from labs.models import Experiment, State
from labs.runs import lifecycle, owners
from labs.runs.heartbeat import HeartbeatAges
from tests.labs import make
from tests.labs.runs.test_lifecycle import django_process

OWNER_PROGRAM = """
import sys, django
django.setup()
from labs.runs import owners
print(owners.new(), owners.new(), flush=True)
sys.stdin.readline()
"""

pytestmark = pytest.mark.django_db


@pytest.fixture
def worker(data_dir: Path):
    """A process with two runs, and their tokens."""
    process = django_process(data_dir, "-c", OWNER_PROGRAM)
    assert process.stdout is not None
    yield process, process.stdout.readline().split()
    process.kill()
    process.communicate()


def running(owner: str) -> Experiment:
    return make.experiment(State.RUNNING, owner=owner)


def silent_for(seconds: float) -> list[str]:
    """The runs that sweeps end which come each second and see no heartbeat."""
    now = [0.0]
    heartbeats, ended = HeartbeatAges(lambda: now[0]), []
    while now[0] <= seconds:
        ended += lifecycle.sweep(heartbeats)
        now[0] += 1
    return ended


def state(experiment: Experiment) -> str:
    experiment.refresh_from_db()
    return experiment.state


@pytest.mark.process
def test_runs_of_a_dead_process_are_interrupted_immediately(
    worker: tuple[subprocess.Popen[str], list[str]],
) -> None:
    process, tokens = worker
    own, orphaned = running(owners.new()), [running(token) for token in tokens]
    assert lifecycle.sweep() == []
    process.kill()
    process.wait()
    assert sorted(lifecycle.sweep()) == sorted(experiment.slug for experiment in orphaned)
    orphaned[0].refresh_from_db()
    assert orphaned[0].state == State.INTERRUPTED
    assert orphaned[0].reason == lifecycle.WORKER_DEAD
    assert state(own) == State.RUNNING
    assert lifecycle.sweep() == [], "once is enough"
    names = [path.name for path in (settings.LAB_DATA_DIR / "owners").iterdir()]
    assert names == [owners.lock_name(own.owner)], "nothing of the dead stays"


@pytest.mark.process
def test_a_stopped_process_is_alive_until_the_hang_limit(
    worker: tuple[subprocess.Popen[str], list[str]],
) -> None:
    process, tokens = worker
    experiment = running(tokens[0])
    os.kill(process.pid, signal.SIGSTOP)
    try:
        assert silent_for(lifecycle.HUNG_S - 1) == []
        assert state(experiment) == State.RUNNING
        assert silent_for(lifecycle.HUNG_S + 1) == [experiment.slug]
    finally:
        os.kill(process.pid, signal.SIGCONT)
    experiment.refresh_from_db()
    assert experiment.reason == lifecycle.WORKER_GONE


def test_a_process_on_another_machine_is_dead_only_after_silence() -> None:
    experiment = running("another-machine-1")
    assert silent_for(lifecycle.STALE_S - 1) == []
    assert silent_for(lifecycle.STALE_S + 1) == [experiment.slug]


def test_a_run_is_still_claimed_if_no_lock_can_be_written(settings: LazySettings) -> None:
    nowhere = Path(settings.LAB_DATA_DIR) / "a file"
    nowhere.touch()
    settings.LAB_DATA_DIR = nowhere
    experiment = running(owners.new())
    assert owners.lock_name(experiment.owner) == ""
    assert lifecycle.sweep() == []


@pytest.mark.process
def test_child_processes_do_not_hold_the_lock() -> None:
    """Otherwise a runner that is still stopping its brokers would make a dead worker seem alive."""
    code = "child = subprocess.Popen(['sleep', '60'], stdout=subprocess.DEVNULL)"
    program = OWNER_PROGRAM.replace(
        "print(", f"import subprocess; owners.new(); {code}\nprint(child.pid, "
    )
    process = django_process(settings.LAB_DATA_DIR, "-c", program)
    assert process.stdout is not None
    child, token, _ = process.stdout.readline().split()
    process.kill()
    process.wait()
    experiment = running(token)
    try:
        assert lifecycle.sweep() == [experiment.slug]
    finally:
        os.kill(int(child), signal.SIGKILL)
        process.communicate()
