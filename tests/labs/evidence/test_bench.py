"""Parallel experiments: each outcome is recorded before the next experiment begins."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from labs.evidence import bench
from labs.evidence.bench import ParallelRuns


def test_a_new_experiment_starts_when_an_outcome_was_taken() -> None:
    barrier = threading.Barrier(2)
    starts: list[tuple[int, int]] = []
    taken: list[int] = []

    def turns() -> Iterator[int]:
        for number in range(4):
            starts.append((number, len(taken)))
            yield number

    def work(number: int) -> int:
        barrier.wait(timeout=60)  # passes only when two threads wait
        return number

    with ParallelRuns(2) as parallel:
        for outcome in parallel.outcomes(turns(), work):
            taken.append(outcome)
    assert sorted(taken) == [0, 1, 2, 3]
    assert starts == [(0, 0), (1, 0), (2, 1), (3, 2)]


def test_leaving_the_block_ends_running_experiments(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise Ctrl-C or a failed write to the record would wait for the brokers."""
    running, ended = threading.Event(), threading.Event()

    class Endless:
        def __enter__(self) -> Endless:
            return self

        def __exit__(self, *_: object) -> None: ...

        def __iter__(self) -> Iterator[dict[str, Any]]:
            running.set()
            assert ended.wait(60)
            yield {"event": "result"}

        def stop(self) -> None:
            ended.set()

    monkeypatch.setattr(bench, "Launch", lambda *_: Endless())
    request: Any = SimpleNamespace()

    def leave() -> None:
        with ParallelRuns(2) as parallel:

            def work(number: int) -> None:
                if number:
                    assert running.wait(60)
                    raise OSError("no space left")
                parallel.events(request, Path("run"), Path("judge"))

            list(parallel.outcomes([0, 1], work))

    with pytest.raises(OSError, match="no space left"):
        leave()
    assert ended.is_set()
