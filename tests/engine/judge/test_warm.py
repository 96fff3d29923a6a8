"""The keeper of the warm judge: when it has the session practise."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from labs.engine.base.idle import Idle
from labs.engine.base.wait import WaitTimeout, until
from labs.engine.judge import warm
from labs.engine.judge.spark import practise
from labs.engine.judge.warm import WarmJudge

pytestmark = pytest.mark.process

LIMIT_S = 20.0


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[subprocess.Popen[bytes]]:
    """What stands for a server: it only lives."""
    monkeypatch.setattr(warm, "LOOK_EVERY_S", 0.01)
    monkeypatch.setattr(warm, "practise", lambda socket: True)
    with subprocess.Popen(["sleep", "600"]) as process:
        yield process
        process.kill()


@pytest.mark.parametrize(
    ("quiet", "message", "times"), [(1.0, "warm\n", 3), (0.5, "warm\n", 0), (1.0, "", 0)]
)
def test_a_warm_session_practises_so_often_while_the_machine_is_idle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, served: subprocess.Popen[bytes],
    quiet: float, message: str, times: int,
) -> None:  # fmt: skip
    monkeypatch.setattr(Idle, "part", lambda _: quiet)
    log = tmp_path / "judge.log"
    log.write_text(message)
    keeper = WarmJudge(tmp_path / "judge.sock", log, practice=3)
    with ThreadPoolExecutor(1) as pool:
        ended = pool.submit(keeper.attend, served)
        if times:
            until(lambda: keeper.practised == times, LIMIT_S, "it did not practise")
        with pytest.raises(WaitTimeout):
            until(lambda: keeper.practised > times, 0.3, "it did not practise more")
        served.kill()
        assert ended.result(LIMIT_S) == -9


@pytest.mark.parametrize(("message", "starts"), [("warm\n", 5), ("", 2)])
def test_only_sessions_that_never_were_warm_are_waited_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, message: str, starts: int
) -> None:
    """Else whoever kills it now and then has everybody judged cold for two minutes."""
    monkeypatch.setattr(warm, "PAUSES_S", (0.0, 600.0))
    log = tmp_path / "judge.log"
    started: list[int] = []

    class Killed(WarmJudge):
        def _serve(self) -> int:
            log.write_text(message)
            started.append(len(started))
            if len(started) == 5:
                self._stopped.set()
            return -9

    keeper = Killed(tmp_path / "judge.sock", log)
    keeper.start()
    until(lambda: len(started) == starts, LIMIT_S, "it was not started again")
    with pytest.raises(WaitTimeout):
        until(lambda: len(started) > starts, 0.3, "it waits")
    keeper.stop()


def test_nobody_practises_where_no_session_is(tmp_path: Path) -> None:
    assert not practise(tmp_path / "judge.sock")


def test_the_folder_of_another_owners_session_stays_until_it_is_old(tmp_path: Path) -> None:
    """The JVM of an owner that was killed while it booted ends only with its folder there."""
    keeper = WarmJudge(tmp_path / "judge.sock")
    young, old = tmp_path / "judge.scratch" / "young", tmp_path / "judge.scratch" / "old"
    for folder in (young, old):
        folder.mkdir(parents=True)
    os.utime(old, (1, 1))
    keeper.stop()
    assert (young.exists(), old.exists()) == (True, False)
