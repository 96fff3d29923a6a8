"""At most one runner that waits with its clusters up, kept while the machine has nothing to do."""

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
"""Exit codes of a runner (`labs.engine.run.ahead`) that never got a run: its place is wanted, or it
has waited for too long; a broker failed."""
SPEC = "spec.json"
"""The file in a run's folder that describes the experiment."""
WAITS = "booted; waits for its run"
"""What a runner says in its log once all of its clusters serve."""

PREFIX = "ahead-"
"""How the names of their folders begin."""

_LOGS = ("runner.log", "experiment.log")

_LOOK_EVERY_S = 2.0
_PAUSE_S = 300.0
"""How long to wait after one that did not end because others needed its place."""
_KEEP_S = 2 * 3600.0
"""Nothing is booted ahead if the last request for an experiment is older than this."""
_OLD_S = 4 * 3600.0
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

    It has a folder of its own below `above`, and dies with us, as any runner.
    """

    def __init__(
        self, shapes: tuple[Shape, ...], above: Path, judge_socket: Path | None = None
    ) -> None:
        self.shapes = shapes
        above.mkdir(parents=True, exist_ok=True)
        self.home = Path(tempfile.mkdtemp(prefix=PREFIX, dir=above)).resolve()
        path = self.home / "shapes.json"
        path.write_text(to_json(shapes), "utf-8")
        self.process = spawn_keeper(self.home / _LOGS[0], judge_socket, path, "--ahead", self.home)

    def assign(self, folder: Path) -> bool:
        """Makes it the runner of the run whose `spec.json` is in the folder; False if it died."""
        if self.process.poll() is not None or self.process.stdin is None:
            return False
        try:
            self.process.stdin.write(os.fsencode(folder) + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            return False
        for log in _LOGS:
            with suppress(FileNotFoundError):  # it has hardly been started
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
        """Tidies up after one that has ended."""
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe:
                with suppress(BrokenPipeError):
                    pipe.close()
        shutil.rmtree(self.home, ignore_errors=True)


class Pool:
    """Keeps a runner that waits for an experiment like the last that was asked for.

    One is started when no slot is held or waited for and the machine was mostly idle for a while,
    never during a run. It is optional: an experiment that needs other clusters, or comes too
    early, boots its own. What waits dies with us.
    """

    def __init__(
        self, above: Path, judge_socket: Path | None = None, wanted: tuple[Shape, ...] = (),
        quiet: float = QUIET,
    ) -> None:  # fmt: skip
        self._above, self._judge_socket = above, judge_socket
        self.wanted = wanted or default_shapes()
        """What is booted next."""
        self._idle, self._quiet = Idle(), quiet
        self._asked_s = time.monotonic()
        self._waiting: WaitingRunner | None = None
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._keeper = threading.Thread(target=self._keep, name="pool", daemon=True)

    @property
    def pid(self) -> int | None:
        """The runner that waits now."""
        waiting = self._waiting
        return waiting.process.pid if waiting and waiting.process.poll() is None else None

    @property
    def booted(self) -> bool:
        """Whether one waits whose clusters serve."""
        waiting = self._waiting
        return waiting is not None and waiting.booted

    def start(self) -> None:
        """Returns at once."""
        self._keeper.start()

    def stop(self) -> None:
        """Ends what waits, and with it its brokers."""
        self._over.set()
        self._keeper.join()
        if self._waiting:
            self._waiting.end()

    def take(self, spec: ExperimentSpec) -> WaitingRunner | None:
        """The runner that waits, if its clusters are what the experiment needs; the caller owns it
        then. The requested shapes are booted next, if there is room for them."""
        try:
            wanted = shapes(spec)
        except ScenarioError:
            return None  # for the runner to say
        with self._lock:
            self._asked_s = time.monotonic()
            if len(wanted) <= slots.clusters_at_once():
                self.wanted = wanted
            if self._waiting is None or self._waiting.shapes != wanted:
                return None
            taken, self._waiting = self._waiting, None
            return taken

    def _keep(self) -> None:
        pause_s = _LOOK_EVERY_S
        while not self._over.wait(pause_s):
            try:
                pause_s = _LOOK_EVERY_S if self._look() in (None, GAVE_WAY) else _PAUSE_S
            except OSError:
                logger.exception("no brokers could be booted ahead")
                pause_s = _PAUSE_S

    def _look(self) -> int | None:
        """Removes a runner that ended (and returns its exit code), or starts a missing one."""
        quiet = self._idle.part() >= self._quiet
        with self._lock:
            waiting = self._waiting
            due = quiet and time.monotonic() - self._asked_s < _KEEP_S
            if waiting and (code := waiting.process.poll()) is not None:
                self._waiting = None
                waiting.close()
                logger.info("the runner that waited ended with code %d", code)
                return code
            if waiting is None and due and slots.free(len(self.wanted)):
                self._remove_old()
                self._waiting = WaitingRunner(self.wanted, self._above, self._judge_socket)
        return None

    def _remove_old(self) -> None:
        """Removes what was left when its runner, its keeper and their worker died at once."""
        for home in self._above.glob(f"{PREFIX}*"):
            if time.time() - home.stat().st_mtime > _OLD_S:
                shutil.rmtree(home, ignore_errors=True)
