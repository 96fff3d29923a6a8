"""A Java program of an incident: one of Kafka's own tools, or one that its steps brought along."""

from __future__ import annotations

import subprocess
from pathlib import Path

from labs.engine.base.processes import end, spawn
from labs.engine.cluster.jvm import OPTIONS
from labs.engine.distributions.java import Java

_LIMIT_S = 90.0
_SHOWN = 1500


class ProgramFailed(Exception):
    """A program ended badly, did not end, or left what its incident does not expect."""


def run(java: Java, class_path: str, folder: Path, main: str, *arguments: str | Path) -> str:
    """What the program printed. It is killed with us, and after 90 seconds.

    `folder` is where it runs. Raises `ProgramFailed` with the end of what it complained of.
    """
    complaints = folder / "complaints.log"
    command = (java.path, *OPTIONS, "-cp", class_path, main, *arguments)
    child = spawn(command, log=complaints, cwd=folder, stdout=subprocess.PIPE)
    try:
        printed = child.communicate(timeout=_LIMIT_S)[0].decode("utf-8", "replace")
    except subprocess.TimeoutExpired as late:
        raise ProgramFailed(f"{main} did not end within {_LIMIT_S:.0f} s") from late
    finally:
        end(child, 0)
    if child.returncode != 0:
        said = complaints.read_text("utf-8", "replace")
        raise ProgramFailed(f"{main}: {(printed + said)[-_SHOWN:].strip()}")
    return printed
