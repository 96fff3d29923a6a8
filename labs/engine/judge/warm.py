"""Keeps the warm judge running: starts it early, restarts it if it dies, ends it with its owner."""

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
"""The pauses before the next start, by the number of failed starts in a row."""

_ABANDONED_S = 3600.0
LOOK_EVERY_S = 2.0
PRACTICE = 12
"""How often a session practises while the machine is idle. By then the compilers of its JVM have
compiled most of the hot code, and a judging takes half of its first time."""


class WarmJudge:
    """One `spark_jobs/serve.py` process behind `socket`, supervised by a thread.

    It is optional: without it, `judge` starts cold processes.
    """

    def __init__(self, socket: Path, log: Path | None = None, practice: int = PRACTICE) -> None:
        self.socket = socket
        self._log = log or socket.with_suffix(".log")
        self._scratches = socket.with_suffix(".scratch")
        self._scratch: Path | None = None
        self._practice = practice
        self._stopped = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._supervisor: threading.Thread | None = None
        self.practised = 0
        """How often the current session has practised; at most `practice`."""

    @property
    def pid(self) -> int | None:
        """The id of the process that serves or starts; None if there is none."""
        return self._process.pid if self._process and self._process.poll() is None else None

    @property
    def warm(self) -> bool:
        """Whether the session has finished its warm-up; its log then has the line `warm`."""
        lines = self._log.read_text("utf-8", "replace") if self._log.exists() else ""
        return "warm" in lines.splitlines()

    def start(self) -> None:
        """Starts the session in the background, unless it is already supervised.

        Returns immediately. Requests wait for the session; once it is warm, answers are fast.
        """
        if self._supervisor is not None and self._supervisor.is_alive():
            return
        self._stopped.clear()
        self._supervisor = threading.Thread(target=self._supervise, name="warm-judge", daemon=True)
        self._supervisor.start()

    def stop(self) -> None:
        """Ends the process and its JVM."""
        self._stopped.set()
        if self._process is not None:
            end(self._process, grace_s=0)
        if self._supervisor is not None:
            self._supervisor.join()
        self.socket.unlink(missing_ok=True)
        self._remove_files()

    def _remove_files(self) -> None:
        """Removes the files of this session, which may have been killed, and of abandoned ones.

        Files of other sessions are removed only when they are old: if an owner was killed during
        the boot, its JVM needs the folder to notice that it has no owner. Without it, the JVM
        would wait for ever.
        """
        before = time.time() - _ABANDONED_S
        for path in self._scratches.glob("*"):
            with suppress(FileNotFoundError):
                if path == self._scratch or path.stat().st_mtime < before:
                    shutil.rmtree(path, ignore_errors=True)
        with suppress(OSError):  # not empty, or does not exist
            self._scratches.rmdir()

    def _supervise(self) -> None:
        failures = 0
        while not self._stopped.is_set():
            code = self._serve()
            # After a recycling (code 0), or the death of a session that had become warm, the next
            # start is not a repeated attempt.
            failures = 0 if code == 0 or self.warm else failures + 1
            pause = PAUSES_S[min(failures, len(PAUSES_S)) - 1] if failures else 0
            self._stopped.wait(pause)

    def _serve(self) -> int:
        """Runs one server to its end; returns its exit code. The server ends when we do."""
        self._log.unlink(missing_ok=True)
        self._remove_files()
        self._scratch = self._scratches / uuid.uuid4().hex
        self._scratch.mkdir(parents=True)
        try:
            jars = spark_arguments(connector=True)
            program = [sys.executable, PROGRAMS / "serve.py", self.socket, *jars]
            environment = spark_environment(self._scratch)
            self._process = spawn(program, log=self._log, stdin=subprocess.PIPE, env=environment)
        except Exception as error:  # no jars or no Java: a cold judging reports it
            self._log.write_text(f"the warm judge could not be started: {error}\n", "utf-8")
            return 1
        if self._stopped.is_set():
            end(self._process, grace_s=0)
        return self.attend(self._process)

    def attend(self, process: subprocess.Popen[bytes]) -> int:
        """Waits for its end, and lets it practise meanwhile; returns its exit code."""
        self.practised, idle = 0, Idle()
        while True:
            try:
                return process.wait(LOOK_EVERY_S)
            except subprocess.TimeoutExpired:
                quiet = idle.part() >= QUIET
            if quiet and self.practised < self._practice and self.warm:
                self.practised += practise(self.socket)
