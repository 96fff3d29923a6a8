"""An admin client is closed at the end of its block, also if its request failed."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

from labs.engine.base.wait import until
from labs.engine.cluster.ports import Ports
from labs.engine.protocol.admin import quiet_admin
from labs.engine.workloads import group


def librdkafka_threads() -> set[Path]:
    """The threads of librdkafka in this process; those of other tests may end at any time."""
    tasks = Path("/proc/self/task").glob("*/comm")
    return {task for task in tasks if _name(task).startswith("rdk:")}


def wait_for_threads(before: set[Path]) -> None:
    """Waits until the threads that were not in `before` have ended.

    A thread may still be listed in /proc for a moment after it was joined. Threads that start
    later belong to clients of other tests.
    """
    client_threads = librdkafka_threads() - before
    until(lambda: not librdkafka_threads() & client_threads, 60, "threads of a client are left")


def _name(task: Path) -> str:
    try:
        return task.read_text()
    except OSError:
        return ""  # it ended in the meantime


@pytest.fixture
def unused_address(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """An address without a listener, with the garbage collector turned off."""
    monkeypatch.setattr(group, "ASK_S", 0.2)
    ports = Ports(1)
    gc.collect()
    gc.disable()
    yield f"127.0.0.1:{ports.numbers[0]}"
    gc.enable()
    ports.release()


def test_reading_positions_from_an_unreachable_broker_leaves_no_client_threads(
    unused_address: str,
) -> None:
    before = librdkafka_threads()
    assert group.committed_positions(unused_address, "orders") == {}
    wait_for_threads(before)


def test_a_pending_request_ends_with_its_client(unused_address: str) -> None:
    before = librdkafka_threads()
    with quiet_admin(unused_address) as admin:
        future = admin.describe_cluster(request_timeout=60)
    until(future.done, 5, "the question outlives its client")
    wait_for_threads(before)
