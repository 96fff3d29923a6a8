"""Keeps the warm judge alive: started early, started again when it died, ended with its owner."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
import time
import uuid
from contextlib import suppress
from pathlib import Path

from labs.engine.base.idle import QUIET, Idle
from labs.engine.base.processes import end, spawn
from labs.engine.judge.spark import PROGRAMS, practise, spark_arguments, spark_environment

PAUSES_S = (1.0, 5.0, 30.0, 120.0)
"""How long to wait before the next start, after so many starts that came to nothing in a row."""

_ABANDONED_S = 3600.0
LOOK_EVERY_S = 2.0
PRACTICE = 12
"""How often a session practises while the machine has nothing to do: by then the compilers of its
JVM have found most of what they look for, and a judging takes half of what it took at first."""


class WarmJudge:
    """One `spark_jobs/serve.py` process behind `socket`, kept by a thread of its own.

    It is optional: without it, `judge` starts cold processes.
    """

    def __init__(self, socket: Path, log: Path | None = None, practice: int = PRACTICE) -> None:
        self.socket = socket
        self._log = log or socket.with_suffix(".log")
        self._scratches = socket.with_suffix(".scratch")
        self._scratch: Path | None = None
        self._practice = practice
        self._over = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._keeper: threading.Thread | None = None
        self.practised = 0
        """How often the session that serves now has practised; never more than `practice`."""

    @property
    def pid(self) -> int | None:
        """The process that serves now, or is starting."""
        return self._process.pid if self._process and self._process.poll() is None else None

    @property
    def warm(self) -> bool:
        """Whether the session has judged what it judges to warm up (it then says `warm`)."""
        lines = self._log.read_text("utf-8", "replace") if self._log.exists() else ""
        return "warm" in lines.splitlines()

    def start(self) -> None:
        """Returns at once. Requests wait for the session, and are answered soon once it is warm.

        One that is kept already stays as it is.
        """
        if self._keeper is not None and self._keeper.is_alive():
            return
        self._over.clear()
        self._keeper = threading.Thread(target=self._keep, name="warm-judge", daemon=True)
        self._keeper.start()

    def stop(self) -> None:
        """Ends the process, and with it its JVM."""
        self._over.set()
        if self._process is not None:
            end(self._process, grace_s=0)
        if self._keeper is not None:
            self._keeper.join()
        self.socket.unlink(missing_ok=True)
        self._forget()

    def _forget(self) -> None:
        """Removes the files of a session; a session that was killed could not do so itself.

        Of sessions that are not ours only what is old: the JVM of an owner that was killed while
        it booted needs its folder to hear that it is alone. Without it, it waits for ever.
        """
        before = time.time() - _ABANDONED_S
        for path in self._scratches.glob("*"):
            with suppress(FileNotFoundError):
                if path == self._scratch or path.stat().st_mtime < before:
                    shutil.rmtree(path, ignore_errors=True)
        with suppress(OSError):  # not empty, or never made
            self._scratches.rmdir()

    def _keep(self) -> None:
        failures = 0
        while not self._over.is_set():
            code = self._serve()
            # What follows a recycling (code 0), or the death of a session that had come to be warm,
            # is no second attempt at the same failure.
            failures = 0 if code == 0 or self.warm else failures + 1
            pause = PAUSES_S[min(failures, len(PAUSES_S)) - 1] if failures else 0
            self._over.wait(pause)

    def _serve(self) -> int:
        """Runs one server to its end; its standard input is the leash by which it follows us."""
        self._log.unlink(missing_ok=True)
        self._forget()
        self._scratch = self._scratches / uuid.uuid4().hex
        self._scratch.mkdir(parents=True)
        try:
            jars = spark_arguments(connector=True)
            program = [sys.executable, PROGRAMS / "serve.py", self.socket, *jars]
            environment = spark_environment(self._scratch)
            self._process = spawn(program, log=self._log, stdin=subprocess.PIPE, env=environment)
        except Exception as error:  # no jars, no Java: judging cold will say so to somebody
            self._log.write_text(f"the warm judge could not be started: {error}\n", "utf-8")
            return 1
        if self._over.is_set():
            end(self._process, grace_s=0)
        return self.attend(self._process)

    def attend(self, process: subprocess.Popen[bytes]) -> int:
        """Waits for its end, and meanwhile has it practise; returns its exit code."""
        self.practised, idle = 0, Idle()
        while True:
            try:
                return process.wait(LOOK_EVERY_S)
            except subprocess.TimeoutExpired:
                quiet = idle.part() >= QUIET
            if quiet and self.practised < self._practice and self.warm:
                self.practised += practise(self.socket)
