"""The keeper of the warm judge: when it lets the session practise, and when it restarts it."""

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
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[subprocess.Popen[bytes]]:
    """A process that stands in for the server of the session."""
    monkeypatch.setattr(warm, "LOOK_EVERY_S", 0.01)
    monkeypatch.setattr(warm, "practise", lambda socket: True)
    with subprocess.Popen(["sleep", "600"]) as process:
        yield process
        process.kill()


@pytest.mark.parametrize(
    ("idle_part", "log_text", "times"), [(1.0, "warm\n", 3), (0.5, "warm\n", 0), (1.0, "", 0)]
)
def test_only_a_warm_session_practises_and_only_on_an_idle_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: subprocess.Popen[bytes],
    idle_part: float, log_text: str, times: int,
) -> None:  # fmt: skip
    monkeypatch.setattr(Idle, "part", lambda _: idle_part)
    log = tmp_path / "judge.log"
    log.write_text(log_text)
    keeper = WarmJudge(tmp_path / "judge.sock", log, practice=3)
    with ThreadPoolExecutor(1) as pool:
        ended = pool.submit(keeper.attend, server)
        if times:
            until(lambda: keeper.practised == times, LIMIT_S, "it did not practise")
        with pytest.raises(WaitTimeout):
            until(lambda: keeper.practised > times, 0.3, "it did not practise more")
        server.kill()
        assert ended.result(LIMIT_S) == -9


@pytest.mark.parametrize(("log_text", "starts"), [("warm\n", 5), ("", 2)])
def test_only_sessions_that_never_became_warm_are_restarted_after_a_pause(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, log_text: str, starts: int
) -> None:
    """Otherwise each kill of the session would cause two minutes of cold judging."""
    monkeypatch.setattr(warm, "PAUSES_S", (0.0, 600.0))
    log = tmp_path / "judge.log"
    started: list[int] = []

    class KilledJudge(WarmJudge):
        def _serve(self) -> int:
            log.write_text(log_text)
            started.append(len(started))
            if len(started) == 5:
                self._stopped.set()
            return -9

    keeper = KilledJudge(tmp_path / "judge.sock", log)
    keeper.start()
    until(lambda: len(started) == starts, LIMIT_S, "it was not started again")
    with pytest.raises(WaitTimeout):
        until(lambda: len(started) > starts, 0.3, "it waits")
    keeper.stop()


def test_practise_returns_false_without_a_session(tmp_path: Path) -> None:
    assert not practise(tmp_path / "judge.sock")


def test_the_folder_of_another_keepers_session_is_deleted_only_when_it_is_old(
    tmp_path: Path,
) -> None:
    """A JVM whose keeper was killed during its start ends only if its folder still exists."""
    keeper = WarmJudge(tmp_path / "judge.sock")
    young, old = tmp_path / "judge.scratch" / "young", tmp_path / "judge.scratch" / "old"
    for folder in (young, old):
        folder.mkdir(parents=True)
    os.utime(old, (1, 1))
    keeper.stop()
    assert (young.exists(), old.exists()) == (True, False)
