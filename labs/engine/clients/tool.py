"""A program in a JVM of its own, such as one of Kafka's tools: what it prints, and its end."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, Generic, TypeVar

from labs.engine.base import processes
from labs.engine.base.wait import until
from labs.engine.clients.control import Control, report

Fact = TypeVar("Fact")
_MOST = 10_000  # lines at once, so that a stop is heard while catching up
_CHATTER = re.compile(r"^\d+ (TRACE|DEBUG) ")
_FREEZE_S = 5.0


class ToolFailed(Exception):
    """The tool ended without being asked to; the end of its output is in the log."""


class Tool(Generic[Fact]):
    """It dies with us; what it prints that is no fact goes to our standard error.

    `fact` makes one of a line, or None. `ended` is true once it is gone and all that it printed
    was heard.
    """

    def __init__(self, command: Sequence[str], fact: Callable[[str], Fact | None]) -> None:
        self._process = processes.spawn(
            command, log=None, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._fact = fact
        self._lines = SimpleQueue[str | None]()
        self._killed_by_us = self._asked_to_end = False
        self.ended = False
        Thread(target=self._read, name="tool", daemon=True).start()

    def _read(self) -> None:
        for line in self._process.stdout or ():
            if line.endswith(b"\n"):  # a kill may tear the last one
                self._lines.put(line[:-1].decode("utf-8", "replace"))
        self._process.wait()
        self._lines.put(None)

    def hear(self, wait_s: float) -> Iterator[Fact]:
        """The facts of what it printed since this was last asked; waits for the first line."""
        with suppress(Empty):
            for number in range(_MOST):
                yield from self._next(0 if number else wait_s)
                if self.ended:
                    return

    def hear_out(self, wait_s: float) -> Iterator[Fact]:
        """The facts of all that it prints until it is silent for so long, as a frozen one is."""
        with suppress(Empty):
            while not self.ended:
                yield from self._next(wait_s)

    def _next(self, wait_s: float) -> Iterator[Fact]:
        line = self._lines.get(timeout=wait_s)
        if line is None:
            self.ended = True
            return
        data = self._fact(line)
        if data is not None:
            yield data
        elif not line.startswith("{") and not _CHATTER.search(line):
            print(line, file=sys.stderr, flush=True)

    def tell(self, line: str) -> None:
        """Says one line on its standard input; one that has died hears nothing."""
        if self._process.stdin:
            with suppress(BrokenPipeError):
                self._process.stdin.write(f"{line}\n".encode())
                self._process.stdin.flush()

    def ask_to_end(self) -> None:
        """SIGTERM: its shutdown hook closes the client, which may take as long as its timeouts."""
        if self._process.poll() is None:
            self._asked_to_end = True
            self._process.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """Ends it at once by SIGKILL, if it is still there.

        Raises `ToolFailed` if somebody else's signal has ended it.
        """
        self._killed_by_us = self._killed_by_us or self._process.poll() is None
        self._refuse_kill(processes.end(self._process, grace_s=0))

    @property
    def code(self) -> int:
        """How it ended: 0 in order, less than 0 by a signal. Waits for that."""
        return self._process.wait()

    def freeze(self) -> None:
        """Stops all of its threads by SIGSTOP; returns when they are, or it is gone.

        Raises `WaitTimeout`.
        """
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGSTOP)
            until(
                lambda: {*self._threads()} <= set("TZX"), _FREEZE_S, "not all threads were stopped"
            )

    def thaw(self) -> None:
        """Lets it go on."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGCONT)

    def _threads(self) -> list[str]:
        return processes.thread_states(self._process.pid)

    def refuse_its_end(self) -> None:
        """For a tool that ended by itself: raises `ToolFailed`.

        Where somebody else's signal was the end of it, our owner is told.
        """
        self._refuse_kill(self.code)
        raise ToolFailed(f"the tool ended by itself, with code {self.code}")

    def _refuse_kill(self, code: int) -> None:
        ours = {-signal.SIGKILL} if self._killed_by_us else set()
        if self._asked_to_end:  # a JVM runs its hooks and exits with 143
            ours |= {-signal.SIGTERM, 128 + signal.SIGTERM}
        if processes.by_signal(code) and code not in ours:
            report(lost=("the JVM", processes.ending(code)))
            raise ToolFailed(f"the tool {processes.ending(code)}, and not by us")


class Passed(Control):
    """The owner's wishes, passed on to a program that hears them (`Owner.java`)."""

    def __init__(self, tool: Tool[Any]) -> None:
        super().__init__()
        self._tool = tool

    def obey(self, line: str) -> None:
        self._tool.tell(line)

    def end(self) -> None:
        self._tool.tell("go")
        super().end()
