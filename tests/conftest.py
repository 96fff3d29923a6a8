"""Fixtures and hooks for every test: a separate data folder, and the order of tests by cost."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from hypothesis import settings as hypothesis

from config.places import socket_path
from tests.two_ends import FromBothEnds

# Hypothesis gets no deadline: on a shared machine a pause does not mean that the code is slow.
hypothesis.register_profile("unhurried", deadline=None)
hypothesis.register_profile("quick", deadline=None, max_examples=10)  # for `make check`
hypothesis.load_profile("unhurried")

# Modules and thousands of tests live until the end: each garbage collection would visit them.
gc.disable()

FOLDER_MARKS = {
    "spark": "spark",
    "contracts": "contract",
    "stack": "stack",
    "cluster": "cluster",
    "browser": "browser",
}
"""Each folder below tests/ with the mark of all its tests, in order of cost."""

WIDE_FOLDER = Path(__file__).parent / "advisor" / "configurations"
"""Hundreds of parametrized cases, which `make test` runs and `make check` does not."""

MARKS_BY_COST = ("process", *FOLDER_MARKS.values(), "whole")
"""A test with none of these marks is pure and the cheapest."""

TIMED_MARKS = {"process", "stack", "cluster", "browser", "whole"}
"""Marks of tests that wait for processes. All others are independent of time."""

EXPENSIVE_LIMIT_S = 900
"""For tests that start Spark, brokers or a browser. Each wait in them has a separate limit."""


def pytest_collection_finish() -> None:
    """Starts garbage collection, without the objects of the collected tests."""
    gc.freeze()
    gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> FromBothEnds:
    """The scheduler of workers, instead of those of `--dist`."""
    return FromBothEnds(config, log)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Marks tests by folder, then sorts them by cost; equal costs keep their shuffled order.

    In one process the cheapest tests run first and fail early. Workers take from both ends.
    """
    tests_folder = Path(__file__).parent
    for item in items:
        folder = item.path.relative_to(tests_folder).parts[0]
        if folder in FOLDER_MARKS:
            item.add_marker(FOLDER_MARKS[folder])
            if item.get_closest_marker("timeout") is None:
                item.add_marker(pytest.mark.timeout(EXPENSIVE_LIMIT_S))
        if WIDE_FOLDER in item.path.parents:
            item.add_marker("wide")
        shares_spark = "spark" in getattr(item, "fixturenames", ())
        marks = {mark.name for mark in item.iter_markers()}
        if not marks & TIMED_MARKS and (shares_spark or "spark" not in marks):
            item.add_marker("timeless")
        elif folder == "advisor":
            raise pytest.UsageError(f"{item.nodeid}: the Makefile does not look for it there")
        if "whole" in marks:
            item.add_marker(pytest.mark.flaky(reruns=0))  # a retry would hide a broken promise
    items.sort(key=turn if hasattr(config, "workerinput") else _cost)


def _cost(item: pytest.Item) -> int:
    return max(
        (
            MARKS_BY_COST.index(mark.name) + 1
            for mark in item.iter_markers()
            if mark.name in MARKS_BY_COST
        ),
        default=0,
    )


def turn(item: pytest.Item) -> tuple[bool, int]:
    """The sort key for two workers.

    Tests that boot clusters come first: the experiment that a page shows, then the other
    experiments, then the rest. Tests without clusters follow, the most expensive at the end.
    """
    marks = {mark.name for mark in item.iter_markers()}
    if marks & {"whole", "cluster"}:
        return False, -_cost(item) - ("whole" in marks and "browser" in marks)
    return True, _cost(item)


@pytest.fixture(scope="session")
def django_db_modify_db_settings(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Puts the test database into a file, as in production: threads would lock one in memory."""
    for database in settings.DATABASES.values():
        if database["ENGINE"].endswith("sqlite3"):
            name = tmp_path_factory.mktemp("database") / "test.db"
            database.setdefault("TEST", {})["NAME"] = str(name)


@pytest.fixture(scope="session")
def data_dirs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Folders that do not exist yet, one per test. `tmp_path` would also create a symlink."""
    base = tmp_path_factory.mktemp("data")
    return (base / str(number) for number in count())


@pytest.fixture(scope="session")
def empty_dirs() -> list[Path]:
    """Data folders that a test has left empty: the next test gets one of them."""
    return []


@pytest.fixture(autouse=True)
def data_dir(data_dirs: Iterator[Path], empty_dirs: list[Path]) -> Iterator[Path]:
    """A separate data folder: no test writes into that of the person who runs the tests."""
    if empty_dirs:
        data = empty_dirs.pop()
    else:
        data = next(data_dirs)
        data.mkdir()
    places = {
        "LAB_DATA_DIR": data,
        "LAB_RUNS_DIR": data / "runs",
        "LAB_RECORD": data / "explored.jsonl",
        "LAB_LESSON_RECORD": data / "proofs.jsonl",
        "LAB_STAGED_RECORD": data / "scenarios.jsonl",
        "LAB_LOGS_DIR": data / "logs",
        "LAB_JUDGE_SOCKET": socket_path(data, "judge.sock"),
        "LAB_REDIS_SOCKET": socket_path(data, "redis.sock"),
    }
    # `override_settings` would be too slow: its signals take as long as a pure test.
    before = {name: getattr(settings, name) for name in places}
    for name, place in places.items():
        setattr(settings, name, place)
    yield data
    for name, place in before.items():
        setattr(settings, name, place)
    with suppress(FileNotFoundError):  # removed by the test
        if not any(os.scandir(data)):
            empty_dirs.append(data)
