"""The keeper: what it started is gone when it ends, also what was not told to die with it."""

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
# A grandchild in a session of its own, which no signal of its parent's death reaches.
GRANDCHILD = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"],
                         stdout=subprocess.DEVNULL, start_new_session=True)
print(os.getpid(), child.pid, flush=True)
"""
STAYS = GRANDCHILD + "time.sleep(600)"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    kept = tmp_path / "run"
    (kept / "described" / "cluster").mkdir(parents=True)
    (kept / "described" / "ledger").mkdir()
    return kept


def keep(program: str, folder: Path) -> tuple[subprocess.Popen[bytes], list[int]]:
    """A keeper of a program that says its own and its child's id."""
    keeper = subprocess.Popen(
        [sys.executable, "-c", KEEPER, program, str(folder)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    assert keeper.stdout
    return keeper, [int(pid) for pid in keeper.stdout.readline().split()]


def gone(pid: int) -> bool:
    return processes.state(pid) is None


def test_an_end_of_its_own_leaves_no_orphan_and_its_exit_code(folder: Path) -> None:
    keeper, family = keep(GRANDCHILD + "sys.exit(1)", folder)
    assert keeper.wait(60) == 1
    assert len(family) == 2
    assert all(map(gone, family))
    assert sorted(path.name for path in (folder / "described").iterdir()) == ["ledger"]


def test_the_end_of_standard_input_ends_everything_and_the_folder(folder: Path) -> None:
    keeper, family = keep(STAYS, folder)
    assert keeper.stdin
    keeper.stdin.close()
    assert keeper.wait(60) == ORPHANED
    assert all(map(gone, family))
    assert not folder.exists()


def test_an_owner_that_died_finds_the_ledgers_that_were_sealed(folder: Path) -> None:
    keeper, family = keep(STAYS, folder)
    for arm, name in (("described", SEAL), ("recommended", "sends.parquet")):
        (folder / arm / "ledger").mkdir(parents=True, exist_ok=True)
        (folder / arm / "ledger" / name).touch()
    assert keeper.stdin
    keeper.stdin.close()
    assert keeper.wait(60) == ORPHANED
    assert all(map(gone, family))
    assert sorted(path.name for path in (folder / "described").iterdir()) == ["ledger"]
    assert not (folder / "recommended").exists()


def test_sigterm_ends_everything_and_keeps_the_ledger(folder: Path) -> None:
    keeper, family = keep(STAYS, folder)
    keeper.terminate()
    assert keeper.wait(60) == STOPPED
    assert all(map(gone, family))
    assert sorted(path.name for path in (folder / "described").iterdir()) == ["ledger"]


def test_a_killed_child_is_told_apart_from_one_that_ended(folder: Path) -> None:
    keeper, family = keep(STAYS, folder)
    os.kill(family[0], signal.SIGKILL)
    assert keeper.wait(60) == KILLED
    until(lambda: all(map(gone, family)), 60, "somebody outlived the keeper")
