"""Starting an experiment from another process, and following its events."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar, Protocol, Self

from labs.engine.base.wait import until
from labs.engine.plan.spec import ExperimentSpec
from labs.engine.run.pool import ENDED_WAITING, SPEC, Pool, spawn_keeper

_GRACE_S = 20.0


class Request(Protocol):
    """What is to be run: plain data that crosses to a process of its own."""

    MODULE: ClassVar[str]
    """The Python name of that process, as `labs.engine.run.keeper` starts it."""

    def to_json(self) -> str: ...


class RunnerDied(Exception):
    """The runner ended before it said a result; `status` is its exit code (negative: signal)."""

    def __init__(self, status: int, last_words: str) -> None:
        super().__init__(f"the runner ended with status {status} before a result: {last_words}")
        self.status = status


class Launch:
    """A running experiment: a context manager, and an iterator over its events.

    It starts a runner in a new folder, or continues the one that waits in the pool, if it fits.
    Raises `FileExistsError` if the folder exists.

    At the end of iteration the last event was `result`, or `RunnerDied` was raised. Leaving the
    context ends what still runs, and removes the folder of a run that came to no result.
    """

    def __init__(
        self, spec: Request, folder: Path, judge_socket: Path | None = None,
        pool: Pool | None = None,
    ) -> None:  # fmt: skip
        self.folder = folder.resolve()
        self.folder.mkdir(parents=True)
        (self.folder / SPEC).write_text(spec.to_json(), "utf-8")
        self._log = self.folder / "runner.log"
        self._finished = self._stopped = False
        self._judge_socket, self._module = judge_socket, spec.MODULE
        self._waited = pool.take(spec) if pool and isinstance(spec, ExperimentSpec) else None
        if self._waited and self._waited.assign(self.folder):
            self._process = self._waited.process
        else:
            self._process = self._start()

    def _start(self) -> subprocess.Popen[bytes]:
        return spawn_keeper(
            self._log, self._judge_socket, self.folder / SPEC, "--folder", self.folder,
            "--module", self._module,
        )  # fmt: skip

    @property
    def pid(self) -> int:
        return self._process.pid

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        if self._waited:
            self._waited.close()
        if not self._finished:
            until(self._remove_folder, _GRACE_S, f"{self.folder} could not be removed")

    def __iter__(self) -> Iterator[dict[str, Any]]:
        yield from self._events()
        if self._process.wait() in ENDED_WAITING and not self._stopped:
            # It gave its place away, or lost a broker, before it heard that it was handed over.
            self._process = self._start()
            yield from self._events()
        status = self._process.wait()
        if not self._finished:
            raise RunnerDied(status, self._last_words())

    def _events(self) -> Iterator[dict[str, Any]]:
        for line in self._process.stdout or ():
            event = json.loads(line)
            self._finished = self._finished or event["event"] == "result"
            yield event

    def stop(self) -> int:
        """Ends the experiment and everything that it started; returns the exit code.

        May be called from another thread than the one that iterates, and again.
        """
        self._stopped = True
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            try:
                return self._process.wait(_GRACE_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
        return self._process.wait()

    def _remove_folder(self) -> bool:
        # After a keeper that was killed, brokers may write for a moment until they are gone.
        shutil.rmtree(self.folder, ignore_errors=True)
        return not self.folder.exists()

    def _last_words(self) -> str:
        words = [
            log.read_text("utf-8", "replace").strip()[-1000:]
            for log in (self._log, self.folder / "experiment.log")
            if log.exists()
        ]
        return " ".join(word for word in words if word) or "it said nothing"
