"""The warm session, and cold judging when it is gone."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from config.places import socket_path
from labs.engine.base.processes import spawn
from labs.engine.base.wait import until
from labs.engine.judge.spark import PROGRAMS, JudgeFailed, judge, practise, spark_environment
from labs.engine.judge.warm import WarmJudge
from tests.spark.ledgers import record, sound, write

pytestmark = pytest.mark.timeout(600)

_START_S = 240


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    return write(tmp_path / "ledger", sound(log=[record(0, 0), record(1, 1), record(3, 3)]))


@pytest.fixture(scope="module")
def keeper(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WarmJudge]:
    """One warm judge for all tests of this file, in the state in which the last test left it."""
    keeper = WarmJudge(socket_path(tmp_path_factory.mktemp("warm"), "judge.sock"), practice=0)
    yield keeper
    keeper.stop()


@pytest.fixture
def warm(keeper: WarmJudge) -> WarmJudge:
    """The warm judge, started (again) and listening."""
    keeper.start()
    until(lambda: keeper.pid and keeper.socket.exists(), _START_S, "no warm judge comes up")
    return keeper


def _children(pid: int) -> list[int]:
    """All descendants of a process, the youngest generation last; none if it is gone."""
    try:
        listed = [file.read_text() for file in Path(f"/proc/{pid}/task").glob("*/children")]
    except OSError:
        return []
    children = [int(number) for numbers in listed for number in numbers.split()]
    return children + [descendant for child in children for descendant in _children(child)]


def test_a_warm_session_survives_a_malformed_ledger_and_judges_two_at_once(
    warm: WarmJudge, ledger: Path, tmp_path: Path
) -> None:
    reports: list[str] = []
    answer = judge(ledger, "at-least-once", socket=warm.socket, report=reports.append)
    assert (answer["verdict"], answer["counts"]["lost_write"]) == ("broken", 1)
    assert [line for line in reports if "counts" in line] == [
        "Spark counts what happened to each message"
    ]
    bad = write(tmp_path / "bad", {"sends": [{"value": "x", "outcome": "ok"}]})
    with pytest.raises(JudgeFailed, match=r"sends\.jsonl, line 1: `value`"):
        judge(bad, None, socket=warm.socket)
    assert stat.S_IMODE(warm.socket.stat().st_mode) & 0o077 == 0
    pid = warm.pid
    assert practise(warm.socket)
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda _: judge(ledger, None, socket=warm.socket), range(2)))
    assert [answer["counts"]["lost_write"] for answer in answers] == [1, 1]
    assert warm.pid == pid


@pytest.mark.thorough  # two more Spark sessions; `make test` only stops one
def test_a_killed_warm_jvm_is_replaced_and_judging_continues_cold(
    warm: WarmJudge, ledger: Path
) -> None:
    judge(ledger, None, socket=warm.socket)
    server = warm.pid
    assert server is not None
    (jvm,) = [pid for pid in _children(server) if b"SparkSubmit" in _command(pid)]
    os.kill(jvm, signal.SIGKILL)
    answer = judge(ledger, "at-least-once", socket=warm.socket)
    assert (answer["verdict"], answer["counts"]["lost_write"]) == ("broken", 1)
    until(lambda: warm.pid not in (None, server), _START_S, "the keeper starts no other")


@pytest.mark.thorough
def test_a_session_ends_after_its_last_request(ledger: Path, tmp_path: Path) -> None:
    socket = socket_path(tmp_path, "judge.sock")
    program: list[str | Path] = [sys.executable, PROGRAMS / "serve.py", socket, "--requests", "1"]
    log = tmp_path / "serve.log"
    server = spawn(program, log=log, stdin=subprocess.PIPE, env=spark_environment())
    until(socket.exists, _START_S, "the server does not listen")
    assert judge(ledger, None, socket=socket)["counts"]["lost_write"] == 1
    assert server.wait(_START_S) == 0, log.read_text()


def test_a_stopped_warm_judge_leaves_nothing_behind(warm: WarmJudge) -> None:
    assert warm.pid is not None
    scratch = warm.socket.with_suffix(".scratch")

    def has_scratch_folders() -> bool:
        names = {path.name.partition("-")[0] for path in scratch.glob("*/*")}
        return names >= {"blockmgr", "spark"}

    until(has_scratch_folders, _START_S, "its session has no folders")
    family = [warm.pid, *_children(warm.pid)]
    warm.stop()
    until(lambda: not any(map(_alive, family)), 30, "processes of the warm judge are left")
    assert not warm.socket.exists()
    assert not scratch.exists()


def test_no_answer_within_the_limit_raises_judge_failed(ledger: Path) -> None:
    before = time.monotonic()
    with pytest.raises(JudgeFailed, match="no answer within"):
        judge(ledger, None, limit_s=0.5)
    assert time.monotonic() - before < 30


def _command(pid: int) -> bytes:
    path = Path(f"/proc/{pid}/cmdline")
    return path.read_bytes() if path.exists() else b""


def _alive(pid: int) -> bool:
    try:
        letter = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return letter != "Z"
