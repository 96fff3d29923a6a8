"""A Java program of ours as a child process: its lines, and its end."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread

from labs.engine.base import processes
from labs.engine.clients.control import Control, report

Words = Sequence[str]
_MOST = 10_000  # lines at once, so that a stop is heard while catching up


class JavaProcessFailed(Exception):
    """The program ended without being asked to; the end of its output is in the log."""


def parse_line(line: str, lengths: Mapping[str, int]) -> Words | None:
    """The words of a line; None for a line that is not in the program's protocol.

    `lengths` maps a first word to how many words follow it; the last is the rest of the line.
    Raises `ValueError` for a line with fewer.
    """
    count = lengths.get(line.partition(" ")[0])
    if count is None:
        return None
    parts = line.split(" ", count)
    if len(parts) <= count:
        raise ValueError(f"{line!r} is no whole line: {count} words follow {parts[0]!r}")
    return parts


class JavaProcess:
    """A program that ends with us. Lines outside its protocol go to our standard error.

    `lengths` is as for `words`. `ended` is true once it is gone and all its output was read.
    """

    def __init__(self, command: Sequence[str], lengths: Mapping[str, int]) -> None:
        self._process = processes.spawn(
            command, log=None, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._lengths = lengths
        self._lines = SimpleQueue[str | None]()
        self._killed_by_us = False
        self.ended = False
        Thread(target=self._read, name="tool", daemon=True).start()

    def _read(self) -> None:
        for line in self._process.stdout or ():
            if line.endswith(b"\n"):  # a kill may tear the last one
                self._lines.put(line[:-1].decode("utf-8", "replace"))
        self._process.wait()
        self._lines.put(None)

    def read_lines(self, wait_s: float) -> Iterator[Words]:
        """The lines since the last call; waits for a first one if there is none.

        Raises `ValueError` for a line that is not whole.
        """
        with suppress(Empty):
            for number in range(_MOST):
                line = self._lines.get(timeout=0 if number else wait_s)
                if line is None:
                    self.ended = True
                    return
                if (parts := parse_line(line, self._lengths)) is not None:
                    yield parts
                else:
                    print(line, file=sys.stderr, flush=True)

    def write_line(self, line: str) -> None:
        """Writes one line to its standard input; does nothing if it has died."""
        if self._process.stdin:
            with suppress(BrokenPipeError):
                self._process.stdin.write(f"{line}\n".encode())
                self._process.stdin.flush()

    def kill(self) -> None:
        """Ends it at once by SIGKILL, if it still runs.

        Raises `JavaProcessFailed` if a signal from outside has ended it.
        """
        self._killed_by_us = self._killed_by_us or self._process.poll() is None
        self._refuse_kill(processes.end(self._process, grace_s=0))

    def raise_exit_failure(self) -> None:
        """Raises `JavaProcessFailed` if the program ended by itself.

        Reports to our owner if a signal from outside ended it.
        """
        code = self._process.wait()
        self._refuse_kill(code)
        raise JavaProcessFailed(f"the program ended by itself, with code {code}")

    def _refuse_kill(self, code: int) -> None:
        ours = {-signal.SIGKILL} if self._killed_by_us else set()
        if processes.ended_by_signal(code) and code not in ours:
            report(lost=("the JVM", processes.describe_exit(code)))
            raise JavaProcessFailed(f"the program {processes.describe_exit(code)}, and not by us")


class ForwardingControl(Control):
    """Passes the owner's commands on to a program that reads them by `Owner.java`."""

    def __init__(self, process: JavaProcess) -> None:
        super().__init__()
        self._process = process

    def handle(self, line: str) -> None:
        self._process.write_line(line)

    def end(self) -> None:
        self._process.write_line("go")
        super().end()
