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
    """What to run: plain data that is passed to a separate process."""

    MODULE: ClassVar[str]
    """The module that process runs, as `labs.engine.run.keeper` starts it."""

    def to_json(self) -> str: ...


class RunnerDied(Exception):
    """The runner ended without a result; `status` is its exit code (negative: a signal)."""

    def __init__(self, status: int, log_tail: str) -> None:
        super().__init__(f"the runner ended with status {status} before a result: {log_tail}")
        self.status = status


class Launch:
    """A running experiment: a context manager, and an iterator over its events.

    It starts a runner in a new folder, or uses the runner that waits in the pool, if its clusters
    fit. Raises `FileExistsError` if the folder exists.

    Iteration ends after the event `result`, or raises `RunnerDied`. Leaving the context ends
    everything that still runs, and removes the folder of a run without a result.
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
        self._waiting = pool.take(spec) if pool and isinstance(spec, ExperimentSpec) else None
        if self._waiting and self._waiting.assign(self.folder):
            self._process = self._waiting.process
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
        if self._waiting:
            self._waiting.close()
        if not self._finished:
            until(self._remove_folder, _GRACE_S, f"{self.folder} could not be removed")

    def __iter__(self) -> Iterator[dict[str, Any]]:
        yield from self._events()
        if self._process.wait() in ENDED_WAITING and not self._stopped:
            # It gave up its place, or lost a broker, before it read that a run was assigned to it.
            self._process = self._start()
            yield from self._events()
        status = self._process.wait()
        if not self._finished:
            raise RunnerDied(status, self._log_tail())

    def _events(self) -> Iterator[dict[str, Any]]:
        for line in self._process.stdout or ():
            event = json.loads(line)
            self._finished = self._finished or event["event"] == "result"
            yield event

    def stop(self) -> int:
        """Ends the experiment and everything that it started; returns the exit code.

        It may be called more than once, and from another thread than the one that iterates.
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
        # After a keeper was killed, brokers may still write for a moment until they are dead.
        shutil.rmtree(self.folder, ignore_errors=True)
        return not self.folder.exists()

    def _log_tail(self) -> str:
        tails = [
            log.read_text("utf-8", "replace").strip()[-1000:]
            for log in (self._log, self.folder / "experiment.log")
            if log.exists()
        ]
        return " ".join(tail for tail in tails if tail) or "its logs are empty"
