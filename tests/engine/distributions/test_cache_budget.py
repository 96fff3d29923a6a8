"""The limit of the jar cache: the least recently used jars are deleted first, jars in use never."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from labs.engine.base.cache import cache_dir
from labs.engine.distributions import budget

_HOLD_PROGRAM = (
    "from labs.engine.distributions import budget; budget.hold({!r}); print(1, flush=True); "
)
_MB = 10**6


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("LAB_CACHE_LIMIT_MB", "2")


def _jars(name: str, used_at: float, size: int = _MB) -> Path:
    """The jars of a lock, as if they had last been used at `used_at`."""
    folder = cache_dir() / "jars" / name
    folder.mkdir(parents=True)
    (folder / "a-1.0.jar").write_bytes(bytes(size))
    mark = cache_dir() / "used" / name
    mark.parent.mkdir(exist_ok=True)
    mark.touch()
    for path in (mark, folder):
        os.utime(path, (used_at, used_at))
    return folder


def _hold_in_another_process(name: str) -> subprocess.Popen[str]:
    """Another process that holds the jars of a lock, and runs until its input ends."""
    child = subprocess.Popen(
        [sys.executable, "-c", _HOLD_PROGRAM.format(name) + "input()"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert child.stdout
    assert child.stdout.readline() == "1\n"
    return child


def test_the_least_recently_used_jars_are_deleted_and_no_more_than_necessary() -> None:
    newest, oldest, middle = _jars("past-3.2.0", 300), _jars("past-2.4.0", 100), _jars("b-1", 200)
    [deleted] = budget.enforce_limit()
    assert (deleted.name, deleted.size, deleted.used_at) == ("past-2.4.0", _MB, 100)
    assert str(deleted) == (
        "past-2.4.0 was deleted from the cache (1 MB, last used on 1970-01-01): the limit of "
        "the cache is 2 MB (LAB_CACHE_LIMIT_MB)"
    )
    assert [path.exists() for path in (oldest, middle, newest)] == [False, True, True]
    assert budget.size() == 2 * _MB
    assert budget.enforce_limit() == []


def test_jars_that_every_experiment_needs_are_kept() -> None:
    needed, other = _jars("kafka-4.3.1", 100, 3 * _MB), _jars("past-2.4.0", 200)
    assert [row.name for row in budget.enforce_limit({"kafka-4.3.1"})] == ["past-2.4.0"]
    assert needed.exists()
    assert not other.exists()


def test_jars_that_this_process_uses_are_kept() -> None:
    folder = _jars("kafka-3.9.2", 100, 3 * _MB)
    budget.hold("kafka-3.9.2")
    assert budget.enforce_limit() == []
    assert folder.exists()


@pytest.mark.process
def test_jars_that_another_process_uses_are_kept_until_it_is_killed() -> None:
    used = _jars("past-0.10.2.2", 100, 3 * _MB)
    child = _hold_in_another_process("past-0.10.2.2")
    try:
        os.utime(cache_dir() / "used" / "past-0.10.2.2", (100, 100))
        assert budget.enforce_limit() == []
        assert used.exists()
    finally:
        child.kill()
        child.communicate()
    assert [row.name for row in budget.enforce_limit()] == ["past-0.10.2.2"]
    assert not used.exists()


def test_holding_jars_updates_the_time_of_their_last_use() -> None:
    _jars("kafka-4.0.2", 100)
    _jars("kafka-4.1.2", 200)
    _jars("kafka-4.2.1", 300)
    budget.hold("kafka-4.0.2")
    assert (cache_dir() / "used" / "kafka-4.0.2").stat().st_mtime > 300
    assert [row.name for row in budget.enforce_limit()] == ["kafka-4.1.2"]


@pytest.mark.parametrize(
    ("lock", "archive"),
    [("past-3.9.0", "kafka-3.9.0"), ("zookeeper-2.8.2", "kafka-2.8.2"), ("kafka-4.2.1",) * 2],
)
def test_the_class_data_archive_is_deleted_with_the_jars(lock: str, archive: str) -> None:
    _jars(lock, 100)
    classes = cache_dir() / "classes"
    classes.mkdir()
    archive_file, other_file = (
        classes / f"{name}-java-17-0123456789ab.jsa" for name in (archive, "kafka-1.0.0")
    )
    archive_file.write_bytes(bytes(2 * _MB))
    other_file.write_bytes(b"")
    [deleted] = budget.enforce_limit()
    assert deleted.size == 3 * _MB
    assert not archive_file.exists()
    assert other_file.exists()


@pytest.mark.parametrize("stated", ["0", "-1", "many", "1.5"])
def test_an_invalid_limit_is_refused_with_the_name_of_the_variable(
    stated: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAB_CACHE_LIMIT_MB", stated)
    with pytest.raises(ValueError, match="LAB_CACHE_LIMIT_MB"):
        budget.limit_mb()


def test_the_default_limit_is_six_gigabytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB_CACHE_LIMIT_MB", "")
    assert budget.limit_mb() == 6_000
