"""A Java client of a release of the past, on a broker of today.

A play runs a Java program of the incident's folder beside the jars of that release. The program
prints a line of JSON for each thing that it saw. Kafka's clients of 2.1 and later speak to brokers
of 4.x (KIP-896).
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from labs.engine.cluster.jvm import LOG4J_1
from labs.engine.distributions.distribution import Distribution
from labs.engine.distributions.java import Java
from labs.engine.programs.source import compiler
from labs.engine.programs.tools import Tools
from labs.incidents.java_program import run
from labs.incidents.past_broker import segments

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
        class_path = os.pathsep.join(map(str, (self._folder, *self._clients.jars, *compiler())))
        printed = run(
            self._java, class_path, self._folder, "org.codehaus.janino.SimpleCompiler",
            str(source), source.stem, self.bootstrap, *arguments,
        )  # fmt: skip
        return [json.loads(line) for line in printed.splitlines() if line.startswith("{")]

    def dump(self, topic: str) -> str:
        """The log of a topic's only partition, as DumpLogSegments prints it."""
        partition = self._data / f"{topic}-0"
        words = ("--print-data-log", "--files", segments(partition))
        return run(self._java, self._tools.class_path, self._folder, _DUMP, *words)
