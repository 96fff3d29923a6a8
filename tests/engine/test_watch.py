"""What is called a disturbed run, on real processes that stand in for brokers."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from labs.engine import watch
from labs.engine.faults import FaultLog, everyone, pause, paused, resume
from labs.engine.kafka.broker import Broker
from labs.engine.wait import until
from labs.engine.watch import Watch
from tests.engine.herd import Herd

SLEEPER = [sys.executable, "-c", "import time; time.sleep(600)"]


@pytest.fixture
def herd(tmp_path: Path) -> Iterator[Any]:
    brokers = {id_: Broker(id_, 1, SLEEPER, tmp_path, tmp_path / "log") for id_ in (1, 2)}
    for broker in brokers.values():
        broker.start()
    yield Herd(brokers)
    for broker in brokers.values():
        broker.terminate(grace_s=0)


def stop(herd: Any, number: int) -> None:
    """Stops a broker behind our back, as an operator of the machine might."""
    pid = herd.brokers[number].pid
    os.kill(pid, signal.SIGSTOP)
    until(lambda: herd.brokers[number].state == "paused", 60, "it did not stop")


def test_who_was_stopped_by_somebody_else_is_a_failed_row_once_it_goes_on(herd: Any) -> None:
    log = FaultLog()
    looking = Watch(herd, list, log)
    stop(herd, 2)
    for tenth in range(100, 126, 2):
        looking.look(tenth / 10)
    assert log.rows == []
    os.kill(herd.brokers[2].pid, signal.SIGCONT)
    until(lambda: herd.brokers[2].state == "running", 60, "it did not go on")
    looking.look(12.6)
    (row,) = log.rows
    assert (row.fault, row.target, row.phase) == ("run", "broker 2", "failed")
    assert row.evidence == "it stood still for 2.6 s, and nothing here had stopped it"


def test_a_moment_is_no_disturbance(herd: Any) -> None:
    log = FaultLog()
    looking = Watch(herd, list, log)
    stop(herd, 2)
    looking.look(10.0)
    os.kill(herd.brokers[2].pid, signal.SIGCONT)
    until(lambda: herd.brokers[2].state == "running", 60, "it did not go on")
    looking.look(11.9)
    assert log.rows == []


def test_who_still_stands_at_the_end_is_told_too(
    herd: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = FaultLog()
    stop(herd, 1)
    monkeypatch.setattr(watch, "LONG_S", 0)
    with Watch(herd, list, log):
        pass
    assert "broker 1" in [row.target for row in log.rows]
    assert "broker 2" not in [row.target for row in log.rows]


def test_who_was_stopped_here_is_no_disturbance(herd: Any) -> None:
    log = FaultLog()
    looking = Watch(herd, list, log)
    pause(herd, everyone(), log)
    for now in (10.0, 12.0, 14.0):
        looking.look(now)
    resume(herd, paused(), log)
    looking.look(16.0)
    assert {row.fault for row in log.rows} == {"pause", "resume"}


def test_a_look_that_comes_late_is_the_machines(herd: Any) -> None:
    log = FaultLog()
    looking = Watch(herd, list, log)
    for now in (10.0, 10.3, 12.2, 12.5):
        looking.look(now)
    assert log.rows == []
    looking.look(15.85)
    (row,) = log.rows
    assert (row.fault, row.target, row.phase) == ("run", "machine", "failed")
    assert "3.1 s" in row.evidence
