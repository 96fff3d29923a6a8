"""A runner that waits: started ahead of its run, with its clusters up, for a folder to be named."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from labs.engine import ahead, processes
from labs.engine.shape import Shape

PREFIX = "ahead-"
"""How the names of their folders begin."""

_LOGS = ("runner.log", "experiment.log")


class Waiting:
    """One such runner, in a folder of its own below `above`. It dies with us, as any runner."""

    def __init__(
        self, shapes: tuple[Shape, ...], above: Path, judge_socket: Path | None = None
    ) -> None:
        self.shapes = shapes
        above.mkdir(parents=True, exist_ok=True)
        self.home = Path(tempfile.mkdtemp(prefix=PREFIX, dir=above)).resolve()
        told = self.home / "shapes.json"
        told.write_text(ahead.to_json(shapes), "utf-8")
        socket: list[str | Path] = ["--judge-socket", judge_socket] if judge_socket else []
        self.process = processes.spawn(
            [sys.executable, "-m", "labs.engine.run", told, "--ahead", self.home, *socket],
            log=self.home / _LOGS[0], cwd=processes.ROOT,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip

    def hand_over(self, folder: Path) -> bool:
        """Makes it the runner of the run whose `spec.json` is in the folder; False if it died."""
        if self.process.poll() is not None or self.process.stdin is None:
            return False
        try:
            self.process.stdin.write(os.fsencode(folder) + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            return False
        for log in _LOGS:
            with suppress(FileNotFoundError):  # it has hardly been started
                (self.home / log).rename(folder / log)
        return True

    @property
    def booted(self) -> bool:
        """Whether its clusters serve."""
        log = self.home / _LOGS[1]
        return log.exists() and ahead.WAITS in log.read_text("utf-8", "replace")

    def end(self) -> None:
        """Ends it and its brokers, and removes its folder."""
        processes.end(self.process, grace_s=10)
        self.close()

    def close(self) -> None:
        """Tidies up after one that has ended."""
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe:
                with suppress(BrokenPipeError):
                    pipe.close()
        shutil.rmtree(self.home, ignore_errors=True)
