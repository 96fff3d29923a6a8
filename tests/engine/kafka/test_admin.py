"""An admin client ends with its block, also when what it asked for failed."""

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
    """By the kernel's word; another test's may end at any time."""
    tasks = Path("/proc/self/task").glob("*/comm")
    return {task for task in tasks if _name(task).startswith("rdk:")}


def ended(before: set[Path]) -> None:
    """Waits until the threads that were not there before have ended.

    The kernel wakes whoever joins a thread a moment before it takes the thread's name away. Threads
    that begin later belong to clients of other tests, which may have garbage to clear up.
    """
    of_the_client = librdkafka_threads() - before
    until(lambda: not librdkafka_threads() & of_the_client, 60, "threads of a client are left")


def _name(task: Path) -> str:
    try:
        return task.read_text()
    except OSError:
        return ""  # it ended while we looked


@pytest.fixture
def nobody(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """An address at which nobody listens, while the garbage collector does not help."""
    monkeypatch.setattr(group, "ASK_S", 0.2)
    ports = Ports(1)
    gc.collect()
    gc.disable()
    yield f"127.0.0.1:{ports.numbers[0]}"
    gc.enable()
    ports.release()


def test_a_group_that_nobody_can_be_asked_for_leaves_no_client_behind(nobody: str) -> None:
    before = librdkafka_threads()
    assert group.committed_positions(nobody, "orders") == {}
    ended(before)


def test_a_question_without_an_answer_ends_with_its_client(nobody: str) -> None:
    before = librdkafka_threads()
    with quiet_admin(nobody) as admin:
        future = admin.describe_cluster(request_timeout=60)
    until(future.done, 5, "the question outlives its client")
    ended(before)
