from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from functools import partial
from operator import contains
from pathlib import Path
from typing import NoReturn

import pytest

from labs.engine.base.slots import are_unused, clusters_at_once, has_waiters, slot, take_unused
from labs.engine.base.wait import until

HOLDER = """
import time
from labs.engine.base.slots import slot
with slot(lambda place: print("place", place, flush=True)):
    print("held", flush=True)
    time.sleep(600)
"""


@pytest.fixture(autouse=True)
def _own_slots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB_CACHE_DIR", str(tmp_path))


@pytest.fixture
def set_clusters_at_once(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    return lambda number: monkeypatch.setenv("LAB_CLUSTERS_AT_ONCE", str(number))


def start_holder(first_line: str) -> subprocess.Popen[str]:
    process = subprocess.Popen([sys.executable, "-c", HOLDER], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == first_line
    return process


def test_there_are_as_many_slots_as_configured_and_each_is_given_out_once(set_clusters_at_once):
    set_clusters_at_once(2)

    def must_wait(place: int) -> NoReturn:
        raise InterruptedError(f"place {place}")

    with slot() as first, slot() as second:
        assert {first, second} == {0, 1}
        with pytest.raises(InterruptedError, match="place 1"), slot(must_wait):
            pytest.fail("there was a third slot")
    with slot() as after_release:
        assert after_release == 0


@pytest.mark.process
def test_a_killed_holder_frees_its_slot(set_clusters_at_once):
    set_clusters_at_once(1)
    process = start_holder("held\n")
    places: list[int] = []

    def kill_holder(place: int) -> None:
        places.append(place)
        process.kill()
        process.wait()

    with slot(kill_holder) as number:
        assert number == 0
    assert places == [1]


@pytest.mark.process
def test_a_killed_waiter_leaves_the_queue_and_those_after_it_move_up(
    set_clusters_at_once, tmp_path
):
    set_clusters_at_once(1)
    with slot():
        first = start_holder("place 1\n")
        second = start_holder("place 2\n")
        first.kill()
        first.wait()
        assert second.stdout is not None
        assert second.stdout.readline() == "place 1\n"
    assert second.stdout.readline() == "held\n"
    second.kill()
    second.wait()
    with slot() as number:
        assert number == 0
    assert not list((tmp_path / "slots").glob("ticket-*"))


def test_waiters_are_served_in_order_of_arrival(set_clusters_at_once):
    set_clusters_at_once(1)
    served: list[str] = []
    queued: list[str] = []

    def take_slot(name: str) -> None:
        with slot(lambda _: queued.append(name)):
            served.append(name)

    threads = []
    with slot():
        for name in ("first", "second", "third"):
            threads.append(threading.Thread(target=take_slot, args=(name,)))
            threads[-1].start()
            until(partial(contains, queued, name), 60, f"{name} did not queue")
    for thread in threads:
        thread.join(60)
    assert served == ["first", "second", "third"]


def test_the_number_of_clusters_is_read_from_the_environment(monkeypatch):
    monkeypatch.setenv("LAB_CLUSTERS_AT_ONCE", "5")
    assert clusters_at_once() == 5
    monkeypatch.setenv("LAB_CLUSTERS_AT_ONCE", "0")
    assert clusters_at_once() == 1
    monkeypatch.delenv("LAB_CLUSTERS_AT_ONCE")
    assert clusters_at_once() >= 1


def test_unused_slots_are_taken_only_while_no_slot_is_held(set_clusters_at_once):
    set_clusters_at_once(3)
    assert are_unused(2)
    with slot():
        assert not are_unused(1)
    taken = take_unused(2)
    assert len(taken) == 2
    assert not are_unused(1), "a slot was taken twice"
    taken.pop().close()
    with slot(), slot():
        assert not has_waiters()
    assert take_unused(4) == []


@pytest.mark.process
def test_a_waiter_is_visible_and_gets_the_next_slot(set_clusters_at_once):
    set_clusters_at_once(1)
    (taken,) = take_unused(1)
    assert not has_waiters()
    waiter = start_holder("place 1\n")
    assert has_waiters()
    taken.close()
    assert waiter.stdout is not None
    assert waiter.stdout.readline() == "held\n"
    assert take_unused(1) == []
    waiter.kill()
    waiter.wait()
    assert are_unused(1)
