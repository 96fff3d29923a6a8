"""What ends outside the schedule, on real processes that stand in for brokers."""

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
from tests.engine.herd import Herd
from tests.engine.rigs import rig

pytestmark = pytest.mark.process

SLEEPER = [sys.executable, "-c", "import time; time.sleep(600)"]


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Broker]:
    one = Broker(3, 1, SLEEPER, tmp_path, tmp_path / "log")
    one.start()
    yield one
    one.terminate(grace_s=0)


def end(broker: Broker, number: signal.Signals = signal.SIGKILL) -> None:
    """Ends a broker behind our back."""
    os.kill(broker.pid or 0, number)
    until(lambda: broker.returncode is not None, 60, "it did not end")


def test_a_broker_that_somebody_else_ends_is_lost(broker: Broker) -> None:
    assert broker.lost == ""
    end(broker)
    assert broker.lost == "broker 3 was killed, and not by this run"


def test_another_signal_is_told_by_its_name(broker: Broker) -> None:
    end(broker, signal.SIGTERM)
    assert broker.lost == "broker 3 was killed (SIGTERM), and not by this run"


def test_a_kill_while_it_was_asked_to_stop_is_not_ours(tmp_path: Path) -> None:
    deaf = "import signal, time; signal.signal(15, signal.SIG_IGN); print(1, flush=1)"
    command = [sys.executable, "-c", f"{deaf}; time.sleep(600)"]
    broker = Broker(3, 1, command, tmp_path, tmp_path / "log")
    broker.start()
    until(lambda: broker.tail() == "1", 60, "it does not run")
    broker.ask_to_stop()
    end(broker)
    assert broker.lost


def test_who_died_before_the_fault_was_not_killed_by_it(broker: Broker) -> None:
    herd: object = Herd({3: broker})
    end(broker)
    with pytest.raises(ProcessLookupError):
        broker.kill()
    assert broker.lost
    (row,) = restart(rig(herd, FaultLog()), dead(), limit_s=1)
    assert (row.phase, row.evidence) == ("failed", "broker 3 was killed, and not by this run")
    assert broker.state == "dead"


def test_our_own_kill_is_no_loss_and_a_later_one_is(broker: Broker) -> None:
    herd: object = Herd({3: broker})
    kill(rig(herd, FaultLog()), running_brokers())
    assert broker.state == "dead"
    assert broker.lost == ""
    broker.start()
    end(broker)
    assert broker.lost


def kill_quickly(broker: Broker) -> None:
    """Kills a broker behind our back, and leaves it to others to find out."""
    os.kill(broker.pid or 0, signal.SIGKILL)
    os.waitid(os.P_PID, broker.pid or 0, os.WEXITED | os.WNOWAIT)


def test_every_wait_ends_at_once_when_the_run_is_disturbed(broker: Broker) -> None:
    rest(0.05)
    kill_quickly(broker)
    for wait in (lambda: rest(600), lambda: until(lambda: None, 600, "never")):
        with pytest.raises(Disturbed, match="broker 3"), undisturbed(lambda: broker.lost):
            wait()


def test_what_came_of_a_disturbance_is_not_the_reason(broker: Broker) -> None:
    def refuse() -> None:
        kill_quickly(broker)
        raise OSError("connection refused")

    with pytest.raises(Disturbed, match="was killed"), undisturbed(lambda: broker.lost):
        refuse()
    with pytest.raises(WaitTimeout), undisturbed(lambda: ""):
        until(lambda: None, 0.1, "a limit is still a limit")


def test_a_verdict_does_not_leave_a_disturbed_run(broker: Broker) -> None:
    with pytest.raises(Disturbed), undisturbed(lambda: broker.lost):
        kill_quickly(broker)


def test_rows_are_written_once(tmp_path: Path) -> None:
    log = FaultLog()
    for evidence in ("gone", "gone as well"):
        log.record("run", "broker 3", "failed", evidence)
        log.write(tmp_path)
    log.write(tmp_path)
    parts = [pq.read_table(part) for part in (tmp_path / "faults.parquet").glob("*.parquet")]
    assert [part.num_rows for part in parts] == [1, 1]
