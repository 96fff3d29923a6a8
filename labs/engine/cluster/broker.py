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

    `port` is where it listens. `name` is what people read. `started_at` is when it started last,
    in seconds of the monotonic clock.
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
        self._ends_with: frozenset[int] = frozenset()

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def data(self) -> Path:
        """The folder of its logs and metadata; the first, if it has several (`log.dirs`)."""
        return self._folder / "data"

    def disk_of(self, log: str) -> Path | None:
        """Which of its log folders has a log (`orders-0`); None if none has."""
        paths = (path for path in sorted(self._folder.glob("data*")) if (path / log).is_dir())
        return next(paths, None)

    @property
    def pid(self) -> int | None:
        """The process id of the last start, also after its end; None before the first start."""
        return self._process.pid if self._process else None

    @property
    def returncode(self) -> int | None:
        """Return code of the last process (negative: the signal); None while one is running."""
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
        """Whether the last process gave up by itself, without a signal (Kafka's `Exit`: 1)."""
        return self.returncode == 1

    @property
    def lost(self) -> str:
        """How the last process ended, in words, if the run did not cause that; else ''.

        A caller that ends it says so before the signal, and only if the process lives: what died
        a moment earlier died by something else.
        """
        code = self.returncode
        if code is None or code in self._ends_with:
            return ""
        return f"{self.name} {processes.describe_exit(code)}, and not by this run"

    @property
    def state(self) -> BrokerState:
        """The state according to the kernel (wait(2), proc(5)): running, paused or dead.

        A killed process shows as a zombie as soon as its first thread is gone; only when it can
        be waited for are all of them, and with them its ports and the lock of its folder.
        """
        if self._process is None or self._process.poll() is not None:
            return "dead"
        letter = processes.state(self._process.pid)
        return "paused" if letter and letter in "Tt" else "running"

    def start(self) -> None:
        """Starts the process on whatever its folder holds.

        Raises `RuntimeError` if it lives, or if it was `lost`: that is nothing to heal.
        """
        if self.state != "dead":
            raise RuntimeError(f"{self.name} is {self.state}; it cannot be started twice")
        if self.lost:
            raise RuntimeError(self.lost)
        self._ends_with = frozenset()
        self._process = processes.spawn(self._command, log=self.log, cwd=self._folder)
        self.started_at = time.monotonic()

    def kill(self) -> None:
        """SIGKILL: the broker flushes and announces nothing. The page cache stays."""
        self.expect_end(-signal.SIGKILL)
        self._signal(signal.SIGKILL)

    def pause(self) -> None:
        """SIGSTOP: the process does nothing, and keeps its memory and its connections."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        """SIGCONT: the process continues."""
        self._signal(signal.SIGCONT)

    def ask_to_stop(self) -> None:
        """SIGTERM, without waiting: Kafka hands its leaderships over, flushes and ends."""
        self.expect_end(128 + signal.SIGTERM, -signal.SIGTERM)
        self._signal(signal.SIGTERM)

    def expect_end(self, *codes: int) -> None:
        """Says that the process is about to be made to end with one of these codes.

        Raises `ProcessLookupError` if it has ended already.
        """
        self._living()
        self._ends_with |= frozenset(codes)

    def terminate(self, grace_s: float = 15.0) -> int:
        """A clean stop: SIGTERM, on which Kafka hands its leaderships over; SIGKILL after grace.

        Returns the return code (negative: the signal), also of a process that is gone already.
        """
        if self._process is None:
            raise ProcessLookupError(f"{self.name} was never started")
        with suppress(ProcessLookupError):  # it has ended already
            self.expect_end(128 + signal.SIGTERM, -signal.SIGTERM, -signal.SIGKILL)
        return processes.end(self._process, grace_s)

    def tail(self, lines: int = 20) -> str:
        """The last lines of its log."""
        try:
            return "\n".join(self.log.read_text("utf-8", "replace").splitlines()[-lines:])
        except FileNotFoundError:
            return ""

    def _signal(self, number: signal.Signals) -> None:
        os.kill(self._living().pid, number)

    def _living(self) -> subprocess.Popen[bytes]:
        # poll() reaps: only a process that has not been reaped can be signalled by its id
        # without the risk that the id belongs to another process by now.
        if self._process is None or self._process.poll() is not None:
            raise ProcessLookupError(f"{self.name} is not running")
        return self._process
