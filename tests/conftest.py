"""What every test gets: a data folder of its own, and its place in the order of cost."""

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

# No stopwatch for Hypothesis: on a shared machine a pause is no slowness of ours.
hypothesis.register_profile("unhurried", deadline=None)
hypothesis.register_profile("quick", deadline=None, max_examples=10)  # for `make check`
hypothesis.load_profile("unhurried")

# Modules and thousands of tests stay to the end: each collection would look at all of them again.
gc.disable()

FOLDER_MARKS = {
    "spark": "spark",
    "contracts": "contract",
    "stack": "stack",
    "cluster": "cluster",
    "browser": "browser",
}
"""Folder below tests/ → the mark of all its tests, in order of cost."""

WIDE = Path(__file__).parent / "advisor" / "configurations"
"""Rows of questions by the hundred, which `make test` asks and `make check` does not."""

BY_COST = ("process", *FOLDER_MARKS.values(), "whole")
"""What has none of these marks is pure, and the cheapest."""

TIMED = {"process", "stack", "cluster", "browser", "whole"}
"""The rest waits for nobody: pure tests, those that draw, contracts, and judging in one session."""

COSTLY_LIMIT_S = 900
"""For tests that start a Spark, brokers or a browser; each wait in them has a limit of its own."""


def pytest_collection_finish() -> None:
    """From here on there is garbage."""
    gc.freeze()
    gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> FromBothEnds:
    """The only way in which workers share tests here."""
    return FromBothEnds(config, log)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Marks by folder, then orders by cost; what pytest-randomly shuffled stays shuffled within.

    Alone the cheapest go first, and tell sooner what is wrong. Workers take from both ends.
    """
    here = Path(__file__).parent
    for item in items:
        folder = item.path.relative_to(here).parts[0]
        if folder in FOLDER_MARKS:
            item.add_marker(FOLDER_MARKS[folder])
            if item.get_closest_marker("timeout") is None:
                item.add_marker(pytest.mark.timeout(COSTLY_LIMIT_S))
        if WIDE in item.path.parents:
            item.add_marker("wide")
        shares_spark = "spark" in getattr(item, "fixturenames", ())
        marks = {mark.name for mark in item.iter_markers()}
        if not marks & TIMED and (shares_spark or "spark" not in marks):
            item.add_marker("timeless")
        elif folder == "advisor":
            raise pytest.UsageError(f"{item.nodeid}: the Makefile does not look for it there")
        if "whole" in marks:
            item.add_marker(pytest.mark.flaky(reruns=0))  # what it shows is what we promise
    items.sort(key=turn if hasattr(config, "workerinput") else _cost)


def _cost(item: pytest.Item) -> int:
    return max(
        (BY_COST.index(mark.name) + 1 for mark in item.iter_markers() if mark.name in BY_COST),
        default=0,
    )


def turn(item: pytest.Item) -> tuple[bool, int]:
    """In front what boots clusters: the experiment that a page shows, then all others, then the
    rest. Behind it what boots none, the dearest at the end.
    """
    marks = {mark.name for mark in item.iter_markers()}
    if marks & {"whole", "cluster"}:
        return False, -_cost(item) - ("whole" in marks and "browser" in marks)
    return True, _cost(item)


@pytest.fixture(scope="session")
def django_db_modify_db_settings(tmp_path_factory: pytest.TempPathFactory) -> None:
    """A test database in a file, as in use: in memory, two threads lock each other out at once."""
    for database in settings.DATABASES.values():
        if database["ENGINE"].endswith("sqlite3"):
            name = tmp_path_factory.mktemp("database") / "test.db"
            database.setdefault("TEST", {})["NAME"] = str(name)


@pytest.fixture(scope="session")
def data_dirs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Folders that are not there yet, one a test. `tmp_path` would make one, and a link to it."""
    base = tmp_path_factory.mktemp("data")
    return (base / str(number) for number in count())


@pytest.fixture(scope="session")
def empty_dirs() -> list[Path]:
    """The data folder of a test that left nothing there: the next one has it, too."""
    return []


@pytest.fixture(autouse=True)
def data_dir(data_dirs: Iterator[Path], empty_dirs: list[Path]) -> Iterator[Path]:
    """No test writes into the data folder of the person who runs it."""
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
    # Not `override_settings`: its signals to all of Django take as long as a pure test.
    before = {name: getattr(settings, name) for name in places}
    for name, place in places.items():
        setattr(settings, name, place)
    yield data
    for name, place in before.items():
        setattr(settings, name, place)
    with suppress(FileNotFoundError):  # removed by the test
        if not any(os.scandir(data)):
            empty_dirs.append(data)
