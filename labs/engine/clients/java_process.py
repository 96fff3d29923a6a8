"""A Java program of the lab as a child process that communicates in lines."""

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
_MAX_LINES = 10_000  # per call, so that a stop is noticed while catching up


class JavaProcessFailed(Exception):
    """The program ended without a stop command; the end of its output is in the log."""


def parse_line(line: str, word_counts: Mapping[str, int]) -> Words | None:
    """Returns the words of a line, or None if the line is not part of the program's protocol.

    `word_counts` maps a first word to the number of words after it; the last one is the rest of the
    line. Raises `ValueError` if the line has fewer words.
    """
    count = word_counts.get(line.partition(" ")[0])
    if count is None:
        return None
    parts = line.split(" ", count)
    if len(parts) <= count:
        raise ValueError(f"{line!r} is incomplete: {count} words must follow {parts[0]!r}")
    return parts


class JavaProcess:
    """A program that ends with this process. Lines outside its protocol go to standard error.

    `word_counts` is as for `parse_line`. `ended` becomes true once the program has ended and all
    its output was read.
    """

    def __init__(self, command: Sequence[str], word_counts: Mapping[str, int]) -> None:
        self._process = processes.spawn(
            command, log=None, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._word_counts = word_counts
        self._lines = SimpleQueue[str | None]()
        self._killed_by_us = False
        self.ended = False
        Thread(target=self._read, name="tool", daemon=True).start()

    def _read(self) -> None:
        for line in self._process.stdout or ():
            if line.endswith(b"\n"):  # a kill may cut off the last line
                self._lines.put(line[:-1].decode("utf-8", "replace"))
        self._process.wait()
        self._lines.put(None)

    def read_lines(self, wait_s: float) -> Iterator[Words]:
        """Yields the words of the lines since the last call; waits up to `wait_s` for the first.

        Raises `ValueError` for an incomplete line.
        """
        with suppress(Empty):
            for number in range(_MAX_LINES):
                line = self._lines.get(timeout=0 if number else wait_s)
                if line is None:
                    self.ended = True
                    return
                if (parts := parse_line(line, self._word_counts)) is not None:
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
        """Ends it immediately by SIGKILL, if it is still running.

        Raises `JavaProcessFailed` if a signal from outside has ended it.
        """
        self._killed_by_us = self._killed_by_us or self._process.poll() is None
        self._raise_if_killed(processes.end(self._process, grace_s=0))

    def raise_exit_failure(self) -> None:
        """Raises `JavaProcessFailed` for a program that ended without a stop command.

        Reports the loss to the owner if a signal from outside ended it.
        """
        code = self._process.wait()
        self._raise_if_killed(code)
        raise JavaProcessFailed(f"the program ended by itself, with code {code}")

    def _raise_if_killed(self, code: int) -> None:
        own_kill = {-signal.SIGKILL} if self._killed_by_us else set()
        if processes.ended_by_signal(code) and code not in own_kill:
            report(lost=("the JVM", processes.describe_exit(code)))
            raise JavaProcessFailed(f"the program {processes.describe_exit(code)}, and not by us")


class ForwardingControl(Control):
    """Forwards the owner's commands to a program, where `Owner.java` reads them."""

    def __init__(self, process: JavaProcess) -> None:
        super().__init__()
        self._process = process

    def handle(self, line: str) -> None:
        self._process.write_line(line)

    def end(self) -> None:
        self._process.write_line("go")
        super().end()
