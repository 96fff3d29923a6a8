"""Programs that a play runs: one of Kafka's own tools, or one that an incident brought along."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from labs.engine.base.processes import end, spawn
from labs.engine.cluster.jvm import OPTIONS
from labs.engine.distributions.java import Java

COMPLAINTS = "complaints.log"
"""What programs write to standard error: their log, and why they ended."""
_LIMIT_S = 90.0
_SHOWN = 1500


class ProgramFailed(Exception):
    """A program ended badly, did not end, or left what its incident does not expect."""


def run_java(java: Java, class_path: str, folder: Path, main: str, *arguments: str | Path) -> str:
    """What a Java program printed, as `run`."""
    command = (java.path, *OPTIONS, "-cp", class_path, main, *arguments)
    return run(command, folder, main)


def run(
    command: Sequence[str | Path], folder: Path, name: str, env: Mapping[str, str] | None = None
) -> str:
    """What a program printed. It is killed with us, and after 90 seconds.

    `folder` is where it runs. Raises `ProgramFailed` with the end of what it complained of.
    """
    complaints = folder / COMPLAINTS
    child = spawn(command, log=complaints, cwd=folder, env=env, stdout=subprocess.PIPE)
    try:
        printed = child.communicate(timeout=_LIMIT_S)[0].decode("utf-8", "replace")
    except subprocess.TimeoutExpired as late:
        raise ProgramFailed(f"{name} did not end within {_LIMIT_S:.0f} s") from late
    finally:
        end(child, 0)
    if child.returncode != 0:
        text = complaints.read_text("utf-8", "replace")
        raise ProgramFailed(f"{name}: {(printed + text)[-_SHOWN:].strip()}")
    return printed


def rows(printed: str) -> list[dict[str, Any]]:
    """The lines of JSON among what a program printed."""
    return [json.loads(line) for line in printed.splitlines() if line.startswith("{")]
