"""Strikes the processes of a house as drawn, and undoes what can be undone."""

from __future__ import annotations

import os
import random
import resource
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from benchmarks.survival.draw import Blow
from tests.stack.house import House, processes_of

COMMANDS = {
    "supervisor": "manage.py up ",
    "worker": "-m celery",
    "web": "config.web",
    "redis": "redis.sock",
    "judge": "spark_jobs/serve.py",
    "spark": "org.apache.spark.deploy.SparkSubmit",
    "keeper": "labs.engine.run.keeper ",
    "runner": "labs.engine.run.experiment",
    "broker": "kafka.Kafka",
    "client": "labs.engine.clients.",
}
"""A part of the command line of each part."""

RUN_PARTS = ("keeper", "runner", "broker", "client")
SERVE_ONLY = ("web", "redis", "judge", "spark")
"""Parts without which a run continues."""

_FILLER = "filler"


def pids_of(up: House, part: str) -> list[int]:
    """The ids of the running processes of a part."""
    mark = COMMANDS[part]
    return sorted(pid for pid, command in processes_of(up.data).items() if mark in command)


def strike(up: House, blow: Blow) -> str:
    """Strikes for as long as was drawn, then stops; returns the struck parts, empty if none was."""
    if blow.deed == "disk full":
        return fill(up.data, blow.for_s)
    if blow.deed == "sleep":
        return stop(list(processes_of(up.data)), blow.for_s)
    dice = random.Random(blow.number)  # noqa: S311 - the choice of a process is repeatable, too
    chosen = {part: dice.choice(pids) for part in blow.parts if (pids := pids_of(up, part))}
    pids = list(chosen.values())
    if blow.deed == "stop":
        stop(pids, blow.for_s)
    elif blow.deed == "few files":
        _starve(pids, blow.for_s)
    else:
        for pid in pids:
            _send(pid, signal.SIGKILL)
    return ", ".join(chosen)


def _send(pid: int, number: int) -> None:
    with suppress(ProcessLookupError):  # it has already ended
        os.kill(pid, number)


def stop(pids: list[int], seconds: float) -> str:
    try:
        for pid in pids:
            _send(pid, signal.SIGSTOP)
        time.sleep(seconds)
    finally:
        for pid in pids:
            _send(pid, signal.SIGCONT)
    return f"{len(pids)} processes"


def _starve(pids: list[int], seconds: float) -> None:
    with suppress(ProcessLookupError), few_files(pids):
        time.sleep(seconds)


@contextmanager
def few_files(pids: list[int]) -> Iterator[None]:
    before = {}
    try:
        for pid in pids:
            soft, hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)
            opened = len(list(Path(f"/proc/{pid}/fd").iterdir()))
            resource.prlimit(pid, resource.RLIMIT_NOFILE, (opened, hard))
            before[pid] = soft, hard
        yield
    finally:
        for pid, limits in before.items():
            with suppress(ProcessLookupError):
                resource.prlimit(pid, resource.RLIMIT_NOFILE, limits)


def fill(data: Path, seconds: float) -> str:
    """Fills the file system of the house, if it has one of its own; returns what was struck."""
    if not os.path.ismount(data):
        return ""
    filler = data / _FILLER
    try:
        with filler.open("wb") as file, suppress(OSError):
            while True:
                file.write(bytes(1 << 20))
        time.sleep(seconds)
    finally:
        filler.unlink(missing_ok=True)
    return "the disk"
