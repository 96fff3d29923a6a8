"""Keeps at most one runner waiting with booted clusters while the machine is idle."""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path

from labs.engine.base import processes, slots
from labs.engine.base.idle import QUIET, Idle
from labs.engine.plan.spec import ExperimentSpec
from labs.engine.run.shape import Shape, default_shapes, shapes, to_json
from labs.engine.scenarios import ScenarioError

ENDED_WAITING = GAVE_WAY, NOT_BOOTED = 6, 7
"""Exit codes of a runner (`labs.engine.run.ahead`) that never got a run: its place was needed or it
waited for too long; a broker failed."""
SPEC = "spec.json"
"""The file in a run's folder that describes the experiment."""
WAITS = "booted; waits for its run"
"""The line that a runner logs once all of its clusters serve."""

PREFIX = "ahead-"
"""The prefix of the names of waiting runners' folders."""

_LOGS = ("runner.log", "experiment.log")

_POLL_S = 2.0
_PAUSE_S = 300.0
"""The pause after a runner that ended for another reason than that its place was needed."""
_KEEP_S = 2 * 3600.0
"""Nothing is booted ahead if the last request for an experiment is older than this."""
_MAX_AGE_S = 4 * 3600.0
"""Folders older than this have no owner and are deleted."""

logger = logging.getLogger(__name__)


def spawn_keeper(
    log: Path, judge_socket: Path | None, *arguments: str | Path
) -> subprocess.Popen[bytes]:
    """Starts a runner (`labs.engine.run.keeper`), whose standard input and output are pipes."""
    socket: list[str | Path] = ["--judge-socket", judge_socket] if judge_socket else []
    return processes.spawn(
        [sys.executable, "-m", "labs.engine.run.keeper", *arguments, *socket],
        log=log, cwd=processes.ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip


class WaitingRunner:
    """A runner that has booted its clusters and waits for the folder of its run.

    It has its own folder in `parent`, and dies with this process, like any runner.
    """

    def __init__(
        self, shapes: tuple[Shape, ...], parent: Path, judge_socket: Path | None = None
    ) -> None:
        self.shapes = shapes
        parent.mkdir(parents=True, exist_ok=True)
        self.home = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent)).resolve()
        path = self.home / "shapes.json"
        path.write_text(to_json(shapes), "utf-8")
        self.process = spawn_keeper(self.home / _LOGS[0], judge_socket, path, "--ahead", self.home)

    def assign(self, folder: Path) -> bool:
        """Assigns it the run whose `spec.json` is in the folder; returns False if it has died."""
        if self.process.poll() is not None or self.process.stdin is None:
            return False
        try:
            self.process.stdin.write(os.fsencode(folder) + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            return False
        for log in _LOGS:
            with suppress(FileNotFoundError):  # it was started a moment ago
                (self.home / log).rename(folder / log)
        return True

    @property
    def booted(self) -> bool:
        """Whether its clusters serve."""
        log = self.home / _LOGS[1]
        return log.exists() and WAITS in log.read_text("utf-8", "replace")

    def end(self) -> None:
        """Ends it and its brokers, and removes its folder."""
        processes.end(self.process, grace_s=10)
        self.close()

    def close(self) -> None:
        """Closes the pipes and removes the folder of a runner that has ended."""
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe:
                with suppress(BrokenPipeError):
                    pipe.close()
        shutil.rmtree(self.home, ignore_errors=True)


class Pool:
    """Keeps a runner that waits for an experiment like the one requested last.

    A runner is started when no slot is held or waited for and the machine has been mostly idle for
    a while, and never during a run. The pool is optional: an experiment that needs other clusters,
    or is requested too early, boots its own. The waiting runner dies with this process.
    """

    def __init__(
        self, parent: Path, judge_socket: Path | None = None, wanted: tuple[Shape, ...] = (),
        quiet: float = QUIET,
    ) -> None:  # fmt: skip
        self._parent, self._judge_socket = parent, judge_socket
        self.wanted = wanted or default_shapes()
        """The shapes to boot next."""
        self._idle, self._quiet = Idle(), quiet
        self._requested_s = time.monotonic()
        self._waiting: WaitingRunner | None = None
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._keeper = threading.Thread(target=self._keep, name="pool", daemon=True)

    @property
    def pid(self) -> int | None:
        """The process id of the runner that waits now, if there is one."""
        waiting = self._waiting
        return waiting.process.pid if waiting and waiting.process.poll() is None else None

    @property
    def booted(self) -> bool:
        """Whether a runner waits whose clusters serve."""
        waiting = self._waiting
        return waiting is not None and waiting.booted

    def start(self) -> None:
        """Starts the thread of the pool; returns immediately."""
        self._keeper.start()

    def stop(self) -> None:
        """Ends the waiting runner and its brokers."""
        self._stopping.set()
        self._keeper.join()
        if self._waiting:
            self._waiting.end()

    def take(self, spec: ExperimentSpec) -> WaitingRunner | None:
        """The waiting runner, if its clusters are what the experiment needs; the caller then owns
        it. The requested shapes are booted next, if the machine has room for them."""
        try:
            wanted = shapes(spec)
        except ScenarioError:
            return None  # the runner reports it
        with self._lock:
            self._requested_s = time.monotonic()
            if len(wanted) <= slots.clusters_at_once():
                self.wanted = wanted
            if self._waiting is None or self._waiting.shapes != wanted:
                return None
            taken, self._waiting = self._waiting, None
            return taken

    def _keep(self) -> None:
        pause_s = _POLL_S
        while not self._stopping.wait(pause_s):
            try:
                pause_s = _POLL_S if self._check() in (None, GAVE_WAY) else _PAUSE_S
            except OSError:
                logger.exception("no brokers could be booted ahead")
                pause_s = _PAUSE_S

    def _check(self) -> int | None:
        """Removes a runner that has ended and returns its exit code, or starts a missing one."""
        quiet = self._idle.part() >= self._quiet
        with self._lock:
            waiting = self._waiting
            due = quiet and time.monotonic() - self._requested_s < _KEEP_S
            if waiting and (code := waiting.process.poll()) is not None:
                self._waiting = None
                waiting.close()
                logger.info("the waiting runner ended with code %d", code)
                return code
            if waiting is None and due and slots.are_unused(len(self.wanted)):
                self._remove_old()
                self._waiting = WaitingRunner(self.wanted, self._parent, self._judge_socket)
        return None

    def _remove_old(self) -> None:
        """Removes folders left by runners that died together with their keeper and worker."""
        for home in self._parent.glob(f"{PREFIX}*"):
            if time.time() - home.stat().st_mtime > _MAX_AGE_S:
                shutil.rmtree(home, ignore_errors=True)
