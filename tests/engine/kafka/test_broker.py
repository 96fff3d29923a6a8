"""A broker's state, from the kernel's state of its process."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from labs.engine.base import processes
from labs.engine.base.wait import until
from labs.engine.cluster.broker import Broker

pytestmark = pytest.mark.process

# A killed JVM looks like this for a moment: its first thread has ended, others still run.
FIRST_THREAD_ENDED = """
import ctypes, threading, time
threading.Thread(target=time.sleep, args=(600,)).start()
ctypes.CDLL(None).pthread_exit(None)
"""


@pytest.fixture
def half_ended(tmp_path: Path) -> Iterator[Broker]:
    broker = Broker(1, 0, [sys.executable, "-c", FIRST_THREAD_ENDED], tmp_path, tmp_path / "log")
    broker.start()
    yield broker
    broker.terminate(grace_s=0)


def test_a_process_with_a_running_thread_is_not_dead(half_ended):
    pid = half_ended.pid
    until(lambda: processes.state(pid) == "Z", 60, "the first thread lives")
    assert half_ended.state == "running"
    with pytest.raises(RuntimeError, match="cannot be started twice"):
        half_ended.start()
    half_ended.kill()
    until(lambda: half_ended.state == "dead", 60, "the other thread lives")
    assert half_ended.ended_by_sigkill
