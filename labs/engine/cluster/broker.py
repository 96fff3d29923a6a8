"""One Kafka broker process: start, stop, kill, pause, and its state."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal

from labs.engine.base import processes

BrokerState = Literal["running", "paused", "dead"]


class Broker:
    """A broker (and controller) of a disposable cluster.

    It listens at `port`. `name` is for people. `started_at` is the time of its last start, in
    seconds of the monotonic clock.
    """

    def __init__(
        self,
        id_: int,
        port: int,
        command: Sequence[str | Path],
        folder: Path,
        log: Path,
        *,
        name: str = "",
    ) -> None:
        self.id = id_
        self.name = name or f"broker {id_}"
        self.port = port
        self.log = log
        self._command = command
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self.started_at = 0.0
        self._expected_codes: frozenset[int] = frozenset()

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def data(self) -> Path:
        """The folder of its logs and metadata; the first one if it has several (`log.dirs`)."""
        return self._folder / "data"

    def disk_of(self, log: str) -> Path | None:
        """Returns its log folder that holds a log (`orders-0`); None if none does."""
        paths = (path for path in sorted(self._folder.glob("data*")) if (path / log).is_dir())
        return next(paths, None)

    @property
    def pid(self) -> int | None:
        """The process id of the last start, even after its end; None before the first start."""
        return self._process.pid if self._process else None

    @property
    def returncode(self) -> int | None:
        """The return code of the last process (negative: the signal); None while it is running."""
        return self._process.poll() if self._process else None

    @property
    def ended_by_sigterm(self) -> bool:
        """Whether SIGTERM ended the last process: a JVM runs its hooks and exits with 143."""
        return self.returncode in (128 + signal.SIGTERM, -signal.SIGTERM)

    @property
    def ended_by_sigkill(self) -> bool:
        """Whether SIGKILL ended the last process."""
        return self.returncode == -signal.SIGKILL

    @property
    def ended_itself(self) -> bool:
        """Whether the last process exited without a signal after an error (Kafka's `Exit`: 1)."""
        return self.returncode == 1

    @property
    def lost(self) -> str:
        """How the last process ended, in words, if the run did not cause the end; otherwise ''.

        A caller that ends the process must announce it before the signal, while the process is
        alive (`expect_end`). An earlier end has another cause.
        """
        code = self.returncode
        if code is None or code in self._expected_codes:
            return ""
        return f"{self.name} {processes.describe_exit(code)}, and not by this run"

    @property
    def state(self) -> BrokerState:
        """The state according to the kernel (wait(2), proc(5)): running, paused or dead.

        A killed process is a zombie as soon as its first thread is gone. Its other threads, its
        ports and the lock of its folder are gone only when it can be waited for.
        """
        if self._process is None or self._process.poll() is not None:
            return "dead"
        state = processes.state(self._process.pid)
        return "paused" if state and state in "Tt" else "running"

    def start(self) -> None:
        """Starts the process on the present content of its folder.

        Raises `RuntimeError` if it is alive, or if it was `lost`, which is not a fault to heal.
        """
        if self.state != "dead":
            raise RuntimeError(f"{self.name} is {self.state}; it cannot be started twice")
        if self.lost:
            raise RuntimeError(self.lost)
        self._expected_codes = frozenset()
        self._process = processes.spawn(self._command, log=self.log, cwd=self._folder)
        self.started_at = time.monotonic()

    def kill(self) -> None:
        """Sends SIGKILL: the broker flushes and announces nothing. The page cache survives."""
        self.expect_end(-signal.SIGKILL)
        self._signal(signal.SIGKILL)

    def pause(self) -> None:
        """Sends SIGSTOP: the process does nothing, and keeps its memory and its connections."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Sends SIGCONT: the process continues."""
        self._signal(signal.SIGCONT)

    def ask_to_stop(self) -> None:
        """Sends SIGTERM without waiting: Kafka transfers its leaderships, flushes and exits."""
        self.expect_end(128 + signal.SIGTERM, -signal.SIGTERM)
        self._signal(signal.SIGTERM)

    def expect_end(self, *codes: int) -> None:
        """Announces that the caller is about to end the process with one of these codes.

        Raises `ProcessLookupError` if it has ended already.
        """
        self._live_process()
        self._expected_codes |= frozenset(codes)

    def terminate(self, grace_s: float = 15.0) -> int:
        """Stops the process cleanly by SIGTERM, or by SIGKILL after `grace_s` seconds.

        On SIGTERM Kafka transfers its leaderships. Returns the return code (negative: the signal),
        also of a process that has already ended.
        """
        if self._process is None:
            raise ProcessLookupError(f"{self.name} was never started")
        with suppress(ProcessLookupError):  # it has ended already
            self.expect_end(128 + signal.SIGTERM, -signal.SIGTERM, -signal.SIGKILL)
        return processes.end(self._process, grace_s)

    def tail(self, lines: int = 20) -> str:
        """Returns the last lines of its log."""
        try:
            return "\n".join(self.log.read_text("utf-8", "replace").splitlines()[-lines:])
        except FileNotFoundError:
            return ""

    def _signal(self, number: signal.Signals) -> None:
        os.kill(self._live_process().pid, number)

    def _live_process(self) -> subprocess.Popen[bytes]:
        # poll() reaps. Only a process that has not been reaped can be signalled safely: afterwards
        # its id may belong to another process.
        if self._process is None or self._process.poll() is not None:
            raise ProcessLookupError(f"{self.name} is not running")
        return self._process
