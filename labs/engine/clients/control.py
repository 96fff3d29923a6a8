"""The protocol between a client process and its owner: commands in, reports as JSON lines out.

`hold POINT` stops the client as soon as it reaches that point of its work, so that a fault can be
injected there without a race. `go` lets it continue, and `fail` makes its work fail at that point.
`spoil` also lets it continue, but the first message in hand cannot be processed until `cure`,
however often the client retries. Between `pause` and `resume` one executor of a query is stopped.
A client stops when its standard input ends; a signal ends it immediately. It reports in JSON lines
on standard output; standard error is its log.
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
"""Flushes the ledger and returns the fields to report about the client's position."""

_OUTPUT_LOCK = threading.Lock()


class FailureRequested(Exception):
    """The work of the application fails here because the owner requested it.

    `value` is the message that cannot be processed; None if none of the messages in hand can.
    """

    def __init__(self, why: str, value: int | None = None) -> None:
        super().__init__(why)
        self.value = value


class Control:
    """The owner's commands to this process, which a thread reads."""

    def __init__(self) -> None:
        self.stop = threading.Event()
        self.spoil_requested = threading.Event()
        self.pause_requested = threading.Event()
        self._failure_requested = False
        self._gates: dict[str, threading.Event] = {}

    def reach(self, point: str, facts: Facts) -> None:
        """Reports `facts` and waits if the owner holds this point; otherwise returns immediately.

        Raises `FailureRequested` if the owner requests a failure at this point.
        """
        gate = self._gates.get(point)
        if gate is not None:
            report(**facts(), standing=point)
            gate.wait()
            report(standing=None, written=False)
            if self._failure_requested:
                self._failure_requested = False
                raise FailureRequested(f"the work failed at {point}")

    def failure_requested(self) -> bool:
        """Whether the owner requested a failure while no point was held; true once per request."""
        failing, self._failure_requested = self._failure_requested, False
        return failing

    def listen(self) -> None:
        """Handles the owner's lines until standard input ends, which stops the client."""
        buffer = b""
        # Not sys.stdin: its lock, held by this thread, would hang the interpreter's exit.
        while data := os.read(0, 4096):
            *lines, buffer = (buffer + data).split(b"\n")
            for line in lines:
                self.handle(line.decode())
        self.end()

    def end(self) -> None:
        """Stops the client; held threads continue so that they notice."""
        self.stop.set()
        self._open_gates()

    def handle(self, line: str) -> None:
        """Executes one command line from the owner."""
        command, _, point = line.partition(" ")
        if command == "hold":
            # An existing gate is kept: a client that waits at it would never continue otherwise.
            self._gates.setdefault(point, threading.Event())
        elif command == "cure":
            self.spoil_requested.clear()
        elif command == "pause":
            self.pause_requested.set()
        elif command == "resume":
            self.pause_requested.clear()
        elif command in ("go", "fail", "spoil"):
            if command == "spoil":
                self.spoil_requested.set()
            self._failure_requested = command == "fail"
            self._open_gates()

    def _open_gates(self) -> None:
        gates, self._gates = self._gates, {}
        for gate in gates.values():
            gate.set()


def listen(control: Control | None = None) -> Control:
    """Starts a thread that reads the owner's commands; returns the control that it updates."""
    control = control or Control()
    threading.Thread(target=control.listen, name="control", daemon=True).start()
    return control


def report(**fields: Any) -> None:
    """Writes one report to the owner, as a line of JSON. Thread-safe."""
    with _OUTPUT_LOCK:
        print(json.dumps(fields), flush=True)


def read_config(kind: type[Config], file: str) -> Config:
    """Returns the configuration that the owner wrote for this process (`ClientProcess`)."""
    return kind(**json.loads(Path(file).read_text("utf-8")))
