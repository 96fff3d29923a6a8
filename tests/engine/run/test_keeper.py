"""The keeper: all processes that it started have ended when it ends, also detached ones."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from labs.engine.base import processes
from labs.engine.base.wait import until
from labs.engine.record.ledger import SEAL
from labs.engine.run.keeper import KILLED, ORPHANED, STOPPED

pytestmark = pytest.mark.process

KEEPER = """
import sys
from pathlib import Path
from labs.engine.run.keeper import keep
sys.exit(keep([sys.executable, "-c", sys.argv[1]], Path(sys.argv[2])))
"""
# A grandchild in its own session, which is not signalled when its parent dies.
GRANDCHILD = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"],
                         stdout=subprocess.DEVNULL, start_new_session=True)
print(os.getpid(), child.pid, flush=True)
"""
LONG_RUNNING = GRANDCHILD + "time.sleep(600)"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    run_folder = tmp_path / "run"
    (run_folder / "described" / "cluster").mkdir(parents=True)
    (run_folder / "described" / "ledger").mkdir()
    return run_folder


def keep(program: str, folder: Path) -> tuple[subprocess.Popen[bytes], list[int]]:
    """A keeper of a program, and the pids of that program and its child."""
    keeper = subprocess.Popen(
        [sys.executable, "-c", KEEPER, program, str(folder)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    assert keeper.stdout
    return keeper, [int(pid) for pid in keeper.stdout.readline().split()]


def has_ended(pid: int) -> bool:
    return processes.state(pid) is None


def test_a_program_that_exits_leaves_no_orphan_and_its_exit_code_is_returned(folder: Path) -> None:
    keeper, pids = keep(GRANDCHILD + "sys.exit(1)", folder)
    assert keeper.wait(60) == 1
    assert len(pids) == 2
    assert all(map(has_ended, pids))
    assert sorted(path.name for path in (folder / "described").iterdir()) == ["ledger"]


def test_the_end_of_standard_input_ends_all_processes_and_deletes_the_folder(folder: Path) -> None:
    keeper, pids = keep(LONG_RUNNING, folder)
    assert keeper.stdin
    keeper.stdin.close()
    assert keeper.wait(60) == ORPHANED
    assert all(map(has_ended, pids))
    assert not folder.exists()


def test_sealed_ledgers_are_kept_when_the_owner_dies(folder: Path) -> None:
    keeper, pids = keep(LONG_RUNNING, folder)
    for arm, name in (("described", SEAL), ("recommended", "sends.parquet")):
        (folder / arm / "ledger").mkdir(parents=True, exist_ok=True)
        (folder / arm / "ledger" / name).touch()
    assert keeper.stdin
    keeper.stdin.close()
    assert keeper.wait(60) == ORPHANED
    assert all(map(has_ended, pids))
    assert sorted(path.name for path in (folder / "described").iterdir()) == ["ledger"]
    assert not (folder / "recommended").exists()


def test_sigterm_ends_all_processes_and_keeps_the_ledger(folder: Path) -> None:
    keeper, pids = keep(LONG_RUNNING, folder)
    keeper.terminate()
    assert keeper.wait(60) == STOPPED
    assert all(map(has_ended, pids))
    assert sorted(path.name for path in (folder / "described").iterdir()) == ["ledger"]


def test_a_killed_program_has_an_exit_code_of_its_own(folder: Path) -> None:
    keeper, pids = keep(LONG_RUNNING, folder)
    os.kill(pids[0], signal.SIGKILL)
    assert keeper.wait(60) == KILLED
    until(lambda: all(map(has_ended, pids)), 60, "somebody outlived the keeper")
