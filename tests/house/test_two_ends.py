"""How two workers share the timed tests; no timed test is run here."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any

import pytest

from tests.conftest import pytest_collection_modifyitems, turn
from tests.house.files import ROOT
from tests.two_ends import FromBothEnds

TESTS = [f"tests/{file}.py::test_{number}[a::b]" for file in "abcd" for number in range(4)]


class Worker:
    """Collects the indices of the tests that it has to run."""

    shutting_down = False

    def __init__(self, name: str) -> None:
        self.gateway = SimpleNamespace(id=name)
        self.assigned: list[int] = []

    def send_runtest_some(self, indices: list[int]) -> None:
        self.assigned += indices

    def shutdown(self) -> None:
        self.shutting_down = True

    @property
    def files(self) -> str:
        """The letter of the file of each test."""
        return "".join(TESTS[index][len("tests/")] for index in self.assigned)


@pytest.fixture
def workers() -> list[Any]:
    return [Worker("gw0"), Worker("gw1")]


@pytest.fixture
def scheduler(workers: list[Any]) -> FromBothEnds:
    config: Any = SimpleNamespace(
        getvalue=lambda name: ["popen", "popen"], option=SimpleNamespace(loadscopereorder=False)
    )
    result = FromBothEnds(config)
    for worker in workers:
        result.add_node(worker)
        result.add_node_collection(worker, TESTS)
    result.schedule()
    return result


def finish(scheduler: FromBothEnds, worker: Any, count: int) -> None:
    done = sum(sum(unit.values()) for unit in scheduler.assigned_work[worker].values())
    for index in worker.assigned[done : done + count]:
        scheduler.mark_test_complete(worker, index)


def test_workers_take_whole_files_from_both_ends(
    scheduler: FromBothEnds, workers: list[Any]
) -> None:
    first, second = workers
    assert (first.files, second.files) == ("aaaa", "dddd")
    finish(scheduler, first, 4)
    assert (first.files, second.files) == ("aaaabbbb", "dddd")
    finish(scheduler, first, 4)
    assert (first.files, second.files) == ("aaaabbbbcccc", "dddd")
    finish(scheduler, second, 4)
    assert second.shutting_down


def test_the_second_worker_takes_the_last_file(scheduler: FromBothEnds, workers: list[Any]) -> None:
    first, second = workers
    finish(scheduler, second, 4)
    finish(scheduler, second, 4)
    assert (first.files, second.files) == ("aaaa", "ddddccccbbbb")


class Item:
    """A test with these marks."""

    path = ROOT / "tests" / "labs" / "test_one.py"

    def __init__(self, *marks: str) -> None:
        self.marks: list[Any] = [SimpleNamespace(name=mark) for mark in marks]

    def iter_markers(self) -> list[Any]:
        return self.marks

    def add_marker(self, mark: Any) -> None:
        self.marks.append(SimpleNamespace(name=mark) if isinstance(mark, str) else mark.mark)


def test_tests_with_clusters_come_first_and_the_others_end_with_the_most_expensive() -> None:
    in_turn = [
        Item("whole", "stack", "browser"), Item("whole", "stack"), Item("cluster"),
        Item(), Item("process"), Item("stack"), Item("browser"),
    ]  # fmt: skip
    shuffled: list[Any] = random.sample(in_turn, len(in_turn))
    assert sorted(shuffled, key=turn) == in_turn


def test_experiments_are_never_rerun_and_other_timed_tests_may_be() -> None:
    config: Any = SimpleNamespace(workerinput={})
    experiment, timed = Item("whole"), Item("process")
    items: list[Any] = [timed, experiment]
    pytest_collection_modifyitems(config, items)
    assert items == [experiment, timed]
    assert [mark.kwargs for mark in experiment.marks if mark.name == "flaky"] == [{"reruns": 0}]
    assert "flaky" not in {mark.name for mark in timed.marks}
