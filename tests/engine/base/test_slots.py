from __future__ import annotations

import subprocess
import sys
import threading
from functools import partial
from operator import contains

import pytest

from labs.engine.base.slots import Cancelled, clusters_at_once, free, slot, spare, wanted
from labs.engine.base.wait import until

HOLDER = """
import sys, time
from pathlib import Path
from labs.engine.base.slots import slot
with slot(1, folder=Path(sys.argv[1]), on_place=lambda place: print("place", place, flush=True)):
    print("held", flush=True)
    time.sleep(600)
"""


def holder(folder, first: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(folder)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == first
    return process


def test_as_many_slots_as_stated_and_each_once(tmp_path):
    with slot(2, folder=tmp_path) as first, slot(2, folder=tmp_path) as second:
        assert {first, second} == {0, 1}
        with pytest.raises(Cancelled), slot(2, folder=tmp_path, cancelled=lambda: True):
            pytest.fail("there was a third slot")
    with slot(2, folder=tmp_path) as again:
        assert again == 0


@pytest.mark.process
def test_a_killed_holder_frees_its_slot(tmp_path):
    process = holder(tmp_path, "held\n")
    places: list[int] = []

    def kill_when_we_wait(place: int) -> None:
        places.append(place)
        process.kill()
        process.wait()

    with slot(1, folder=tmp_path, on_place=kill_when_we_wait) as number:
        assert number == 0
    assert places == [1]


@pytest.mark.process
def test_a_killed_waiter_leaves_the_queue_and_those_behind_it_move_up(tmp_path):
    with slot(1, folder=tmp_path):
        first = holder(tmp_path, "place 1\n")
        second = holder(tmp_path, "place 2\n")
        first.kill()
        first.wait()
        assert second.stdout is not None
        assert second.stdout.readline() == "place 1\n"
    assert second.stdout.readline() == "held\n"
    second.kill()
    second.wait()
    with slot(1, folder=tmp_path) as number:
        assert number == 0
    assert not list(tmp_path.glob("ticket-*"))


def test_who_came_first_is_served_first(tmp_path):
    served: list[str] = []
    queued: list[str] = []

    def wait_for_it(name: str) -> None:
        with slot(1, folder=tmp_path, on_place=lambda _: queued.append(name), every_s=0.01):
            served.append(name)

    threads = []
    with slot(1, folder=tmp_path):
        for name in ("first", "second", "third"):
            threads.append(threading.Thread(target=wait_for_it, args=(name,)))
            threads[-1].start()
            until(partial(contains, queued, name), 60, f"{name} did not queue")
    for thread in threads:
        thread.join(60)
    assert served == ["first", "second", "third"]


def test_the_number_of_clusters_is_a_setting(monkeypatch):
    monkeypatch.setenv("LAB_CLUSTERS_AT_ONCE", "5")
    assert clusters_at_once() == 5
    monkeypatch.setenv("LAB_CLUSTERS_AT_ONCE", "0")
    assert clusters_at_once() == 1
    monkeypatch.delenv("LAB_CLUSTERS_AT_ONCE")
    assert clusters_at_once() >= 1


def test_spare_slots_are_taken_only_while_nobody_holds_one(tmp_path):
    assert free(2, 3, folder=tmp_path)
    with slot(3, folder=tmp_path):
        assert not free(1, 3, folder=tmp_path)
    taken = spare(2, 3, folder=tmp_path)
    assert len(taken) == 2
    assert not free(1, 3, folder=tmp_path), "a slot was taken twice"
    taken.pop().close()
    with slot(3, folder=tmp_path), slot(3, folder=tmp_path):
        assert not wanted(folder=tmp_path)
    assert spare(4, 3, folder=tmp_path) == []


@pytest.mark.process
def test_who_waits_for_a_slot_is_seen_and_comes_first(tmp_path):
    (taken,) = spare(1, 1, folder=tmp_path)
    assert not wanted(folder=tmp_path)
    waiter = holder(tmp_path, "place 1\n")
    assert wanted(folder=tmp_path)
    taken.close()
    assert waiter.stdout is not None
    assert waiter.stdout.readline() == "held\n"
    assert spare(1, 1, folder=tmp_path) == []
    waiter.kill()
    waiter.wait()
    assert free(1, 1, folder=tmp_path)
