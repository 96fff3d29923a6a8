"""Runs experiments for proofs: a folder for ledgers, a warm judge, and parallel runs."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from labs.engine.base.wait import until
from labs.engine.judge.warm import WarmJudge
from labs.engine.run.launch import Launch, Request

Turn = TypeVar("Turn")
Outcome = TypeVar("Outcome")

_SOCKET_LIMIT_S = 600.0


@contextmanager
def bench(prefix: str) -> Iterator[tuple[Path, Path]]:
    """Provides a folder for ledgers, which are not kept, and the judge's socket; ends the judge.

    The judge may still be warming up: a request waits for it (`spark_jobs.server`), and brokers can
    boot in the meantime.
    """
    with tempfile.TemporaryDirectory(prefix=prefix) as place:
        judge = WarmJudge(Path(place) / "judge.sock", practice=0)
        judge.start()
        try:
            until(judge.socket.exists, _SOCKET_LIMIT_S, "the judge did not start")
            yield Path(place), judge.socket
        finally:
            judge.stop()


class ParallelRuns:
    """Runs several experiments at a time. A context manager; leaving it ends them."""

    def __init__(self, at_once: int) -> None:
        self._threads = ThreadPoolExecutor(at_once, thread_name_prefix="bench")
        self._at_once = at_once
        self._running: set[Launch] = set()
        self._over = False

    def __enter__(self) -> ParallelRuns:
        return self

    def __exit__(self, *_: object) -> None:
        self._over = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        for launch in [*self._running]:
            launch.stop()
        self._threads.shutdown()

    def events(self, request: Request, folder: Path, judge: Path) -> list[dict[str, Any]]:
        """Returns all events of a run. Raises `labs.engine.run.launch.RunnerDied`."""
        with Launch(request, folder, judge) as started:
            self._running.add(started)
            try:
                if self._over:
                    started.stop()
                return list(started)
            finally:
                self._running.discard(started)

    def outcomes(self, turns: Iterable[Turn], work: Callable[[Turn], Outcome]) -> Iterator[Outcome]:
        """Yields the result of `work` for each turn, in the order in which they end.

        The next of `turns` is requested when an outcome was consumed.
        """
        remaining = iter(turns)
        running = {self._threads.submit(work, turn) for turn in islice(remaining, self._at_once)}
        while running:
            ended, running = wait(running, return_when=FIRST_COMPLETED)
            for future in ended:
                yield future.result()
                running |= {self._threads.submit(work, turn) for turn in islice(remaining, 1)}
