"""Runs experiments for proofs: a folder for ledgers, a warm judge, several runs at once."""

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
    """A folder for ledgers, which are not kept, and the judge's socket. Ends the judge.

    The judge may still get warm: a request waits for it (`spark_jobs.server`), and brokers can boot
    meanwhile.
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
    """Experiments of which several run at a time. A context manager: leaving it ends them."""

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
        for one in [*self._running]:
            one.stop()
        self._threads.shutdown()

    def events(self, request: Request, folder: Path, judge: Path) -> list[dict[str, Any]]:
        """All that one run says, its result last. Raises `labs.engine.run.launch.RunnerDied`."""
        with Launch(request, folder, judge) as started:
            self._running.add(started)
            try:
                if self._over:
                    started.stop()
                return list(started)
            finally:
                self._running.discard(started)

    def outcomes(self, turns: Iterable[Turn], work: Callable[[Turn], Outcome]) -> Iterator[Outcome]:
        """The result of `work` for each turn, in the order in which they end.

        The next of `turns` is asked for when the outcome of one was taken.
        """
        rest = iter(turns)
        under_way = {self._threads.submit(work, turn) for turn in islice(rest, self._at_once)}
        while under_way:
            ended, under_way = wait(under_way, return_when=FIRST_COMPLETED)
            for one in ended:
                yield one.result()
                under_way |= {self._threads.submit(work, turn) for turn in islice(rest, 1)}
