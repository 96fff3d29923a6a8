"""What is called a disturbed run, on real processes that stand in for brokers."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from labs.engine.base.wait import Disturbed, rest, undisturbed, until
from labs.engine.cluster.broker import Broker
from labs.engine.faults.pause import pause, resume
from labs.engine.faults.record import FaultLog
from labs.engine.faults.roles import paused, running_brokers
from labs.engine.run.watch import Watch
from tests.engine.herd import Herd
from tests.engine.rigs import rig

pytestmark = pytest.mark.process

SLEEPER = [sys.executable, "-c", "import time; time.sleep(600)"]


@pytest.fixture
def herd(tmp_path: Path) -> Iterator[Any]:
    brokers = {id_: Broker(id_, 1, SLEEPER, tmp_path, tmp_path / "log") for id_ in (1, 2)}
    for broker in brokers.values():
        broker.start()
    yield Herd(brokers)
    for broker in brokers.values():
        broker.terminate(grace_s=0)


def is_paused(broker: Broker) -> bool:
    return broker.state == "paused"


def stop(herd: Any, number: int) -> None:
    """Stops a broker behind our back, as an operator of the machine might."""
    pid = herd.brokers[number].pid
    os.kill(pid, signal.SIGSTOP)
    until(lambda: herd.brokers[number].state == "paused", 60, "it did not stop")


def test_who_was_stopped_by_somebody_else_disturbs_the_run(herd: Any) -> None:
    looking = Watch(herd, list, FaultLog())
    stop(herd, 2)
    for tenth in range(100, 120, 2):
        looking.check(tenth / 10)
    assert looking.disturbance == ""
    looking.check(12.2)
    text = "broker 2 was stopped for 2.2 s, and not by this run"
    assert looking.disturbance == text
    os.kill(herd.brokers[2].pid, signal.SIGCONT)
    until(lambda: herd.brokers[2].state == "running", 60, "it did not go on")
    looking.check(12.4)
    assert looking.disturbance == text, "a run that was disturbed stays so"


def test_who_has_gone_on_before_anybody_looked_again_stood_still_too(herd: Any) -> None:
    looking = Watch(herd, list, FaultLog())
    stop(herd, 1)
    looking.check(10.0)
    os.kill(herd.brokers[1].pid, signal.SIGCONT)
    until(lambda: herd.brokers[1].state == "running", 60, "it did not go on")
    looking.check(15.0)
    assert looking.disturbance.startswith("broker 1 was stopped for 5.0 s")


def test_a_moment_is_no_disturbance(herd: Any) -> None:
    looking = Watch(herd, list, FaultLog())
    stop(herd, 2)
    looking.check(10.0)
    os.kill(herd.brokers[2].pid, signal.SIGCONT)
    until(lambda: herd.brokers[2].state == "running", 60, "it did not go on")
    looking.check(11.9)
    assert looking.disturbance == ""


def test_it_looks_by_itself_and_every_wait_hears_of_it(herd: Any) -> None:
    looking = Watch(herd, list, FaultLog())
    stop(herd, 1)
    with (
        pytest.raises(Disturbed, match="broker 1 was stopped"),
        undisturbed(lambda: looking.disturbance),
        looking,
    ):
        rest(600)


def test_a_watch_that_cannot_look_says_so(herd: Any) -> None:
    def nobody() -> list[Any]:
        raise OSError("no /proc here")

    looking = Watch(herd, nobody, FaultLog())
    with looking:
        until(lambda: looking.disturbance, 60, "nothing was said")
    assert looking.disturbance == "the check of its processes failed: no /proc here"


def test_dedicated_controllers_and_links_are_watched_too(herd: Any) -> None:
    herd.controllers = {4: herd.brokers.pop(2)}
    herd.controllers[4].name = "node 4"
    carrier = herd.brokers.pop(1)
    herd.links = SimpleNamespace(pids=[carrier.pid])
    for process, text in ((carrier, "the proxy of the links"), (herd.controllers[4], "node 4")):
        looking = Watch(herd, list, FaultLog())
        process.pause()
        until(partial(is_paused, process), 60, "it did not stop")
        looking.check(10.0)
        looking.check(12.5)
        process.resume()
        assert looking.disturbance.startswith(f"{text} was stopped")
    herd.brokers = {1: carrier}


@pytest.mark.parametrize("fault", ["resume", "fail", "spoil"])
def test_a_client_that_is_held_may_stand_still_until_it_goes_on(fault: Any) -> None:
    log = FaultLog()
    log.record("hold", "java_consumer: consumer-1", "invoke")
    assert log.paused("consumer-1")
    log.record("hold", "java_consumer: consumer-1", "complete")
    log.record(fault, "java_consumer: consumer-1", "invoke")
    assert log.paused("consumer-1")
    log.record(fault, "java_consumer: consumer-1", "complete")
    assert not log.paused("consumer-1")


def test_who_was_stopped_here_is_no_disturbance(herd: Any) -> None:
    log = FaultLog()
    looking = Watch(herd, list, log)
    pause(rig(herd, log), running_brokers())
    for now in (10.0, 12.0, 14.0):
        looking.check(now)
    resume(rig(herd, log), paused())
    looking.check(16.0)
    assert looking.disturbance == ""
    assert {row.fault for row in log.rows} == {"pause", "resume"}


def test_a_look_that_comes_late_is_the_machines(herd: Any) -> None:
    log = FaultLog()
    looking = Watch(herd, list, log)
    looking.check(5.0)
    with looking.with_deadlines():
        for now in (10.0, 10.3, 12.2, 12.5):
            looking.check(now)
        assert log.rows == []
        looking.check(15.85)
    looking.check(30.0)
    (row,) = log.rows
    assert (row.fault, row.target, row.phase) == ("run", "machine", "failed")
    assert "3.1 s" in row.evidence
