"""A past librdkafka, in Python, on a broker of today.

A play runs a program of the incident's folder in a separate interpreter, which has the
confluent-kafka of that release and none of our other packages. Its output has the format of
`past_client`.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from labs.incidents.programs import rows, run
from labs.incidents.timeline import Timeline


class PastPython:
    """Runs programs against the broker at `bootstrap`.

    `modules` is the folder with the past release; without it, the program uses the release of
    Delivery Lab.
    """

    def __init__(self, bootstrap: str, folder: Path, modules: Path | None) -> None:
        self.bootstrap, self.timeline = bootstrap, Timeline()
        self._folder, self._modules = folder, modules

    def run(self, source: Path, *arguments: str) -> list[dict[str, Any]]:
        """Runs a program and returns its rows, one JSON object per line. Raises `ProgramFailed`."""
        alone = ["-S"] if self._modules else []  # -S: without the packages of our own environment
        env = {**os.environ, **({"PYTHONPATH": str(self._modules)} if self._modules else {})}
        command: tuple[str | Path, ...] = (
            sys.executable,
            *alone,
            source,
            self.bootstrap,
            *arguments,
        )
        self.timeline.add(" ".join(["the application starts:", source.name, *arguments]))
        printed = run(command, self._folder, source.name, env, self.timeline.add)
        self.timeline.add("the application has ended")
        return rows(printed)
