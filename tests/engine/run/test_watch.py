"""When a run counts as disturbed; real processes stand in for brokers."""

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
from tests.engine.rigs import rig
from tests.engine.stand_in_cluster import StandInCluster

pytestmark = pytest.mark.process

SLEEPER = [sys.executable, "-c", "import time; time.sleep(600)"]


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Any]:
    brokers = {id_: Broker(id_, 1, SLEEPER, tmp_path, tmp_path / "log") for id_ in (1, 2)}
    for broker in brokers.values():
        broker.start()
    yield StandInCluster(brokers)
    for broker in brokers.values():
        broker.terminate(grace_s=0)


def is_paused(broker: Broker) -> bool:
    return broker.state == "paused"


def stop(cluster: Any, number: int) -> None:
    """Stops a broker with SIGSTOP from outside the run, as an operator of the machine might."""
    pid = cluster.brokers[number].pid
    os.kill(pid, signal.SIGSTOP)
    until(lambda: cluster.brokers[number].state == "paused", 60, "it did not stop")


def test_a_broker_stopped_from_outside_for_over_two_seconds_disturbs_the_run(cluster: Any) -> None:
    watch = Watch(cluster, list, FaultLog())
    stop(cluster, 2)
    for tenth in range(100, 120, 2):
        watch.check(tenth / 10)
    assert watch.disturbance == ""
    watch.check(12.2)
    text = "broker 2 was stopped for 2.2 s, and not by this run"
    assert watch.disturbance == text
    os.kill(cluster.brokers[2].pid, signal.SIGCONT)
    until(lambda: cluster.brokers[2].state == "running", 60, "it did not go on")
    watch.check(12.4)
    assert watch.disturbance == text, "a run that was disturbed stays so"


def test_a_broker_that_continued_before_the_next_check_counts_as_stopped_until_then(
    cluster: Any,
) -> None:
    watch = Watch(cluster, list, FaultLog())
    stop(cluster, 1)
    watch.check(10.0)
    os.kill(cluster.brokers[1].pid, signal.SIGCONT)
    until(lambda: cluster.brokers[1].state == "running", 60, "it did not go on")
    watch.check(15.0)
    assert watch.disturbance.startswith("broker 1 was stopped for 5.0 s")


def test_a_short_stop_is_no_disturbance(cluster: Any) -> None:
    watch = Watch(cluster, list, FaultLog())
    stop(cluster, 2)
    watch.check(10.0)
    os.kill(cluster.brokers[2].pid, signal.SIGCONT)
    until(lambda: cluster.brokers[2].state == "running", 60, "it did not go on")
    watch.check(11.9)
    assert watch.disturbance == ""


def test_a_watch_checks_in_the_background_and_ends_waits(cluster: Any) -> None:
    watch = Watch(cluster, list, FaultLog())
    stop(cluster, 1)
    with (
        pytest.raises(Disturbed, match="broker 1 was stopped"),
        undisturbed(lambda: watch.disturbance),
        watch,
    ):
        rest(600)


def test_a_watch_whose_check_fails_reports_a_disturbance(cluster: Any) -> None:
    def fail() -> list[Any]:
        raise OSError("no /proc here")

    watch = Watch(cluster, fail, FaultLog())
    with watch:
        until(lambda: watch.disturbance, 60, "nothing was said")
    assert watch.disturbance == "the check of its processes failed: no /proc here"


def test_dedicated_controllers_and_links_are_watched_too(cluster: Any) -> None:
    cluster.controllers = {4: cluster.brokers.pop(2)}
    cluster.controllers[4].name = "node 4"
    proxy = cluster.brokers.pop(1)
    cluster.links = SimpleNamespace(pids=[proxy.pid])
    for process, text in ((proxy, "the proxy of the links"), (cluster.controllers[4], "node 4")):
        watch = Watch(cluster, list, FaultLog())
        process.pause()
        until(partial(is_paused, process), 60, "it did not stop")
        watch.check(10.0)
        watch.check(12.5)
        process.resume()
        assert watch.disturbance.startswith(f"{text} was stopped")
    cluster.brokers = {1: proxy}


@pytest.mark.parametrize("fault", ["resume", "fail", "spoil"])
def test_a_held_client_counts_as_paused_until_it_continues(fault: Any) -> None:
    log = FaultLog()
    log.record("hold", "java_consumer: consumer-1", "invoke")
    assert log.paused("consumer-1")
    log.record("hold", "java_consumer: consumer-1", "complete")
    log.record(fault, "java_consumer: consumer-1", "invoke")
    assert log.paused("consumer-1")
    log.record(fault, "java_consumer: consumer-1", "complete")
    assert not log.paused("consumer-1")


def test_a_broker_that_the_run_paused_is_no_disturbance(cluster: Any) -> None:
    log = FaultLog()
    watch = Watch(cluster, list, log)
    pause(rig(cluster, log), running_brokers())
    for now in (10.0, 12.0, 14.0):
        watch.check(now)
    resume(rig(cluster, log), paused())
    watch.check(16.0)
    assert watch.disturbance == ""
    assert {row.fault for row in log.rows} == {"pause", "resume"}


def test_a_late_check_with_deadlines_is_recorded_as_a_fault_of_the_machine(cluster: Any) -> None:
    log = FaultLog()
    watch = Watch(cluster, list, log)
    watch.check(5.0)
    with watch.with_deadlines():
        for now in (10.0, 10.3, 12.2, 12.5):
            watch.check(now)
        assert log.rows == []
        watch.check(15.85)
    watch.check(30.0)
    (row,) = log.rows
    assert (row.fault, row.target, row.phase) == ("run", "machine", "failed")
    assert "3.1 s" in row.evidence
