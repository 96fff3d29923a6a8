"""Processes that end outside the fault schedule; real processes stand in for brokers."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from labs.engine.base.wait import Disturbed, WaitTimeout, rest, undisturbed, until
from labs.engine.cluster.broker import Broker
from labs.engine.faults.kill import kill, restart
from labs.engine.faults.record import FaultLog
from labs.engine.faults.roles import dead, running_brokers
from tests.engine.rigs import rig
from tests.engine.stand_in_cluster import StandInCluster

pytestmark = pytest.mark.process

SLEEPER = [sys.executable, "-c", "import time; time.sleep(600)"]


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Broker]:
    node = Broker(3, 1, SLEEPER, tmp_path, tmp_path / "log")
    node.start()
    yield node
    node.terminate(grace_s=0)


def end_from_outside(broker: Broker, number: signal.Signals = signal.SIGKILL) -> None:
    """Ends a broker as another process would, and waits until it has ended."""
    os.kill(broker.pid or 0, number)
    until(lambda: broker.returncode is not None, 60, "it did not end")


def test_a_broker_that_another_process_kills_is_lost(broker: Broker) -> None:
    assert broker.lost == ""
    end_from_outside(broker)
    assert broker.lost == "broker 3 was killed, and not by this run"


def test_a_signal_other_than_sigkill_is_named(broker: Broker) -> None:
    end_from_outside(broker, signal.SIGTERM)
    assert broker.lost == "broker 3 was killed (SIGTERM), and not by this run"


def test_a_broker_killed_from_outside_during_its_stop_is_lost(tmp_path: Path) -> None:
    ignore_sigterm = "import signal, time; signal.signal(15, signal.SIG_IGN); print(1, flush=1)"
    command = [sys.executable, "-c", f"{ignore_sigterm}; time.sleep(600)"]
    broker = Broker(3, 1, command, tmp_path, tmp_path / "log")
    broker.start()
    until(lambda: broker.tail() == "1", 60, "it does not run")
    broker.ask_to_stop()
    end_from_outside(broker)
    assert broker.lost


def test_a_broker_that_died_before_the_fault_is_lost(broker: Broker) -> None:
    cluster: object = StandInCluster({3: broker})
    end_from_outside(broker)
    with pytest.raises(ProcessLookupError):
        broker.kill()
    assert broker.lost
    (row,) = restart(rig(cluster, FaultLog()), dead(), limit_s=1)
    assert (row.phase, row.evidence) == ("failed", "broker 3 was killed, and not by this run")
    assert broker.state == "dead"


def test_a_broker_killed_by_the_run_is_not_lost_until_another_kill(broker: Broker) -> None:
    cluster: object = StandInCluster({3: broker})
    kill(rig(cluster, FaultLog()), running_brokers())
    assert broker.state == "dead"
    assert broker.lost == ""
    broker.start()
    end_from_outside(broker)
    assert broker.lost


def kill_unnoticed(broker: Broker) -> None:
    """Kills a broker as another process would, without collecting its exit status."""
    os.kill(broker.pid or 0, signal.SIGKILL)
    os.waitid(os.P_PID, broker.pid or 0, os.WEXITED | os.WNOWAIT)


def test_every_wait_ends_immediately_when_the_run_is_disturbed(broker: Broker) -> None:
    rest(0.05)
    kill_unnoticed(broker)
    for wait in (lambda: rest(600), lambda: until(lambda: None, 600, "never")):
        with pytest.raises(Disturbed, match="broker 3"), undisturbed(lambda: broker.lost):
            wait()


def test_an_error_that_follows_a_disturbance_is_reported_as_the_disturbance(broker: Broker) -> None:
    def fail_after_kill() -> None:
        kill_unnoticed(broker)
        raise OSError("connection refused")

    with pytest.raises(Disturbed, match="was killed"), undisturbed(lambda: broker.lost):
        fail_after_kill()
    with pytest.raises(WaitTimeout), undisturbed(lambda: ""):
        until(lambda: None, 0.1, "a limit is still a limit")


def test_a_block_that_was_disturbed_raises_at_its_end(broker: Broker) -> None:
    with pytest.raises(Disturbed), undisturbed(lambda: broker.lost):
        kill_unnoticed(broker)


def test_each_row_is_written_once(tmp_path: Path) -> None:
    log = FaultLog()
    for evidence in ("gone", "gone as well"):
        log.record("run", "broker 3", "failed", evidence)
        log.write(tmp_path)
    log.write(tmp_path)
    parts = [pq.read_table(part) for part in (tmp_path / "faults.parquet").glob("*.parquet")]
    assert [part.num_rows for part in parts] == [1, 1]
