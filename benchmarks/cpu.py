"""CPU-seconds by kind of process, sampled several times a second from /proc (proc(5))."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Self

_EVERY_S = 0.1
_TICKS = os.sysconf("SC_CLK_TCK")
_JUDGE = "judge"
_KINDS = {
    "kafka.Kafka": "brokers",
    "labs.engine.clients.": "clients",
    "SparkSubmit": _JUDGE,
    "serve.py": _JUDGE,
    "labs.engine.": "runner",
}
"""A part of the command line → what it is; the first that is there counts."""


class CpuBy:
    """What the processes of a folder use within the block, by kind; `total()` at any time.

    A process is of the folder if its command names it or its working folder is below it; a judge's
    JVM, which is neither, counts whoever's it is. What one used in the tenth of a second before
    its end is missed.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = str(folder.resolve())
        self._used: dict[tuple[str, str], tuple[str, float]] = {}  # (pid, start) → kind, seconds
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)
        self._before = self._sums()

    def __enter__(self) -> Self:
        self._look()
        self._before = self._sums()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def total(self) -> dict[str, float]:
        """Seconds since the block began, by kind."""
        return {kind: used - self._before[kind] for kind, used in self._sums().items()}

    def _sums(self) -> dict[str, float]:
        sums = dict.fromkeys(_KINDS.values(), 0.0)
        for kind, used in list(self._used.values()):
            sums[kind] += used
        return sums

    def _sample(self) -> None:
        while not self._over.wait(_EVERY_S):
            self._look()
        self._look()

    def _look(self) -> None:
        for process in Path("/proc").glob("[0-9]*"):
            try:
                fields = (process / "stat").read_text().rpartition(")")[2].split()
                kind = self._kind(process)
            except (OSError, IndexError):
                continue  # it ended while we looked, or is not ours to look at
            if kind:
                used = (int(fields[11]) + int(fields[12])) / _TICKS
                self._used[process.name, fields[19]] = kind, used

    def _kind(self, process: Path) -> str | None:
        # Asked anew each time: between fork and exec a child still looks like its parent.
        command = (process / "cmdline").read_bytes().decode("utf-8", "replace")
        kind = next((kind for part, kind in _KINDS.items() if part in command), None)
        ours = self._folder in command or self._folder in str((process / "cwd").readlink())
        return kind if ours or kind == _JUDGE else None
