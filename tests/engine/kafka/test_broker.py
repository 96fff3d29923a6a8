"""A broker's state, by what the kernel says of its process."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from labs.engine.base import processes
from labs.engine.base.wait import until
from labs.engine.cluster.broker import Broker

pytestmark = pytest.mark.process

# What a killed JVM looks like for a moment: its first thread is gone, others still run.
HALF_GONE = """
import ctypes, threading, time
threading.Thread(target=time.sleep, args=(600,)).start()
ctypes.CDLL(None).pthread_exit(None)
"""


@pytest.fixture
def half_gone(tmp_path: Path) -> Iterator[Broker]:
    broker = Broker(1, 0, [sys.executable, "-c", HALF_GONE], tmp_path, tmp_path / "log")
    broker.start()
    yield broker
    broker.terminate(grace_s=0)


def test_a_process_of_which_a_thread_still_runs_is_not_dead(half_gone):
    pid = half_gone.pid
    until(lambda: processes.state(pid) == "Z", 60, "the first thread lives")
    assert half_gone.state == "running"
    with pytest.raises(RuntimeError, match="cannot be started twice"):
        half_gone.start()
    half_gone.kill()
    until(lambda: half_gone.state == "dead", 60, "the other thread lives")
    assert half_gone.ended_by_sigkill
