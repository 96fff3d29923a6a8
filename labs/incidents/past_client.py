"""A Java client of a past release, on a broker of today.

A play runs a Java program of the incident's folder with the jars of that release. The program
prints a line of JSON for each thing that it saw. Kafka's clients of 2.1 and later speak to brokers
of 4.x (KIP-896).
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from labs.engine.cluster.jvm import LOG4J_1, LOG4J_2
from labs.engine.distributions.distribution import Distribution
from labs.engine.distributions.java import Java
from labs.engine.programs.source import compiler
from labs.engine.programs.tools import Tools
from labs.incidents.past_files import segments
from labs.incidents.programs import COMPLAINTS, rows, run_java

_DUMP = "org.apache.kafka.tools.DumpLogSegments"
"""Where it is since Kafka 4.0."""


class PastClient:
    """Runs programs with the clients of a release against the broker at `bootstrap`.

    `tools` are of the release of that broker, and `data` is the folder of its logs.
    """

    def __init__(
        self,
        clients: Distribution,
        java: Java,
        folder: Path,
        bootstrap: str,
        tools: Tools,
        data: Path,
    ) -> None:
        self.bootstrap = bootstrap
        self._clients, self._java, self._folder = clients, java, folder
        self._tools, self._data = tools, data

    def run(self, source: Path, *arguments: str) -> list[dict[str, Any]]:
        """What a program printed, a row a line; its class is named like its file.

        Raises `ProgramFailed` with what it said if it ended badly.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        (self._folder / "log4j.properties").write_text(LOG4J_1, "ascii")
        (self._folder / "log4j2.properties").write_text(LOG4J_2, "ascii")
        class_path = os.pathsep.join(map(str, (self._folder, *self._clients.jars, *compiler())))
        printed = run_java(
            self._java, class_path, self._folder, "org.codehaus.janino.SimpleCompiler",
            str(source), source.stem, self.bootstrap, *arguments,
        )  # fmt: skip
        return rows(printed)

    def log(self) -> str:
        """What the programs and their clients have logged."""
        return (self._folder / COMPLAINTS).read_text("utf-8", "replace")

    def dump(self, topic: str, number: int = 0, *decoding: str) -> str:
        """The log of a partition, as DumpLogSegments prints it; `decoding` are words for it."""
        files = segments(self._data / f"{topic}-{number}")
        words = ("--print-data-log", *decoding, "--files", files)
        return run_java(self._java, self._tools.class_path, self._folder, _DUMP, *words)
