"""The protocol between a client process and its owner: commands in, reports as JSON lines out.

`hold POINT` stops the client as soon as it reaches that point of its work, so that a fault can be
placed there without a race; `go` lets it continue, and `fail` makes its work fail there. `spoil`
lets it continue too, but the first message that it holds cannot be processed until `cure`, however
often it is tried. From `pause` to `resume` one of a query's executors is stopped. A client stops
when its standard input ends; a signal from outside ends it at once. It reports in JSON lines on
standard output; standard error is its log.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

Config = TypeVar("Config")

Facts = Callable[[], Mapping[str, Any]]
"""Flushes the ledger, and returns what is reported about the client's position."""

_SPEAKING = threading.Lock()


class FailureRequested(Exception):
    """The work of the application fails here, because the owner wants that.

    `value` is the message that cannot be processed, where it is one and not all in hand.
    """

    def __init__(self, why: str, value: int | None = None) -> None:
        super().__init__(why)
        self.value = value


class Control:
    """The owner's commands to this process, read by a thread."""

    def __init__(self) -> None:
        self.stop = threading.Event()
        self.spoil_requested = threading.Event()
        self.pause_requested = threading.Event()
        self._failing = False
        self._gates: dict[str, threading.Event] = {}

    def reach(self, point: str, facts: Facts) -> None:
        """Reports `facts` and waits here if the owner holds this point; else returns at once.

        Raises `FailureRequested` if the owner wants the work to fail here.
        """
        gate = self._gates.get(point)
        if gate is not None:
            report(**facts(), standing=point)
            gate.wait()
            report(standing=None, written=False)
            if self._failing:
                self._failing = False
                raise FailureRequested(f"the work failed at {point}")

    def failure_requested(self) -> bool:
        """Whether the owner wants work to fail that is held at no point; true once."""
        failing, self._failing = self._failing, False
        return failing

    def listen(self) -> None:
        """Obeys the owner's lines until standard input ends, which means stop."""
        heard = b""
        # Not sys.stdin: its lock, held by this thread, would hang the interpreter's exit.
        while read := os.read(0, 4096):
            *lines, heard = (heard + read).split(b"\n")
            for line in lines:
                self.handle(line.decode())
        self.end()

    def end(self) -> None:
        """Stops the client; a thread that is held continues, so that it learns of it."""
        self.stop.set()
        self._let_go()

    def handle(self, line: str) -> None:
        """Carries out one line from the owner."""
        word, _, point = line.partition(" ")
        if word == "hold":
            # Not a new one each time: a client that stands at the old one would never go on.
            self._gates.setdefault(point, threading.Event())
        elif word == "cure":
            self.spoil_requested.clear()
        elif word == "pause":
            self.pause_requested.set()
        elif word == "resume":
            self.pause_requested.clear()
        elif word in ("go", "fail", "spoil"):
            if word == "spoil":
                self.spoil_requested.set()
            self._failing = word == "fail"
            self._let_go()

    def _let_go(self) -> None:
        gates, self._gates = self._gates, {}
        for gate in gates.values():
            gate.set()


def listen(control: Control | None = None) -> Control:
    """Starts a thread that reads the owner's commands into `control`."""
    control = control or Control()
    threading.Thread(target=control.listen, name="control", daemon=True).start()
    return control


def report(**fields: Any) -> None:
    """Writes one report to the owner, as a line of JSON; may be called from any thread."""
    with _SPEAKING:
        print(json.dumps(fields), flush=True)


def read_config(kind: type[Config], file: str) -> Config:
    """The configuration of this process, as its owner wrote it (`process.ClientProcess`)."""
    return kind(**json.loads(Path(file).read_text("utf-8")))
