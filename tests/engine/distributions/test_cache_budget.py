"""The cache of jars has a limit: what was used longest ago goes first, never what is in use."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from labs.engine.base.cache import cache_dir
from labs.engine.distributions import budget

_HOLD = "from labs.engine.distributions import budget; budget.hold({!r}); print(1, flush=True); "
_MB = 10**6


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("LAB_CACHE_LIMIT_MB", "2")


def _jars(name: str, used_at: float, size: int = _MB) -> Path:
    """The jars of a lock, as if they had been asked for last at a time."""
    folder = cache_dir() / "jars" / name
    folder.mkdir(parents=True)
    (folder / "a-1.0.jar").write_bytes(bytes(size))
    mark = cache_dir() / "used" / name
    mark.parent.mkdir(exist_ok=True)
    mark.touch()
    for path in (mark, folder):
        os.utime(path, (used_at, used_at))
    return folder


def _is_held_elsewhere(name: str) -> subprocess.Popen[str]:
    """Another process that has asked for the jars of a lock, and runs until its input ends."""
    child = subprocess.Popen(
        [sys.executable, "-c", _HOLD.format(name) + "input()"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert child.stdout
    assert child.stdout.readline() == "1\n"
    return child


def test_what_was_used_longest_ago_goes_first_and_no_more_than_has_to() -> None:
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


def test_what_every_experiment_needs_is_kept() -> None:
    needed, other = _jars("kafka-4.3.1", 100, 3 * _MB), _jars("past-2.4.0", 200)
    assert [row.name for row in budget.enforce_limit({"kafka-4.3.1"})] == ["past-2.4.0"]
    assert needed.exists()
    assert not other.exists()


def test_what_this_process_uses_is_kept() -> None:
    own = _jars("kafka-3.9.2", 100, 3 * _MB)
    budget.hold("kafka-3.9.2")
    assert budget.enforce_limit() == []
    assert own.exists()


@pytest.mark.process
def test_what_another_process_uses_stays_until_that_ends_however_it_ends() -> None:
    used = _jars("past-0.10.2.2", 100, 3 * _MB)
    child = _is_held_elsewhere("past-0.10.2.2")
    try:
        os.utime(cache_dir() / "used" / "past-0.10.2.2", (100, 100))
        assert budget.enforce_limit() == []
        assert used.exists()
    finally:
        child.kill()
        child.communicate()
    assert [row.name for row in budget.enforce_limit()] == ["past-0.10.2.2"]
    assert not used.exists()


def test_a_use_is_noted() -> None:
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
def test_its_class_data_archive_goes_with_it(lock: str, archive: str) -> None:
    _jars(lock, 100)
    classes = cache_dir() / "classes"
    classes.mkdir()
    own, other = (classes / f"{name}-java-17-0123456789ab.jsa" for name in (archive, "kafka-1.0.0"))
    own.write_bytes(bytes(2 * _MB))
    other.write_bytes(b"")
    [deleted] = budget.enforce_limit()
    assert deleted.size == 3 * _MB
    assert not own.exists()
    assert other.exists()


@pytest.mark.parametrize("stated", ["0", "-1", "many", "1.5"])
def test_a_limit_that_is_no_number_is_refused_by_name(
    stated: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAB_CACHE_LIMIT_MB", stated)
    with pytest.raises(ValueError, match="LAB_CACHE_LIMIT_MB"):
        budget.limit_mb()


def test_without_a_limit_it_is_six_gigabytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB_CACHE_LIMIT_MB", "")
    assert budget.limit_mb() == 6_000
