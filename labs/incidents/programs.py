"""Programs that a play runs: Kafka's tools, and programs in the folder of an incident."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from threading import Event, Timer
from typing import Any

from labs.engine.base.processes import end, spawn
from labs.engine.cluster.jvm import OPTIONS
from labs.engine.distributions.java import Java

COMPLAINTS = "complaints.log"
"""The file with the standard error of programs: their log, and the reason of a failure."""
_MOMENT = "moment"
_LIMIT_S = 90.0
_SHOWN = 1500


class ProgramFailed(Exception):
    """A program failed, did not end, or had an unexpected result."""


def _ignore(_: str) -> None:
    """The default `note`: ignores moments."""


def run_java(
    java: Java,
    class_path: str,
    folder: Path,
    main: str,
    *arguments: str | Path,
    note: Callable[[str], None] = _ignore,
) -> str:
    """Runs a Java program and returns its output, like `run`."""
    command = (java.path, *OPTIONS, "-cp", class_path, main, *arguments)
    return run(command, folder, main, note=note)


def run(
    command: Sequence[str | Path],
    folder: Path,
    name: str,
    env: Mapping[str, str] | None = None,
    note: Callable[[str], None] = _ignore,
) -> str:
    """Runs a program and returns its output. It is killed with this process, or after 90 s.

    `folder` is its working folder. `note` is called with the words of each line
    `{"moment": "words"}` when the program prints it. Raises `ProgramFailed` with the end of its
    output and its standard error.
    """
    complaints = folder / COMPLAINTS
    child = spawn(command, log=complaints, cwd=folder, env=env, stdout=subprocess.PIPE)
    is_late = Event()

    def expire() -> None:
        is_late.set()
        child.kill()

    limit = Timer(_LIMIT_S, expire)
    limit.start()
    try:
        printed = "".join(_read_lines(child.stdout or (), note))
        code = child.wait()
    finally:
        limit.cancel()
        end(child, 0)
    if is_late.is_set():
        raise ProgramFailed(f"{name} did not end within {_LIMIT_S:.0f} s")
    if code != 0:
        text = complaints.read_text("utf-8", "replace")
        raise ProgramFailed(f"{name}: {(printed + text)[-_SHOWN:].strip()}")
    return printed


def rows(printed: str) -> list[dict[str, Any]]:
    """Returns the JSON lines of a program's output, without its moments."""
    lines = (json.loads(line) for line in printed.splitlines() if line.startswith("{"))
    return [row for row in lines if _MOMENT not in row]


def _read_lines(lines: Iterable[bytes], note: Callable[[str], None]) -> Iterator[str]:
    for raw in lines:
        line = raw.decode("utf-8", "replace")
        if line.startswith(f'{{"{_MOMENT}"'):
            note(json.loads(line)[_MOMENT])
        yield line
