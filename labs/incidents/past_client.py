"""A Java client of a past release, on a broker of today or of its own time.

A play runs a Java program of the incident's folder with the jars of that release. The program
prints a line of JSON for each observation, and `{"moment": "words"}` for each action that belongs
on the timeline. Kafka's clients of 2.1 and later can connect to brokers of 4.x (KIP-896); older
ones need older brokers (`brokers` in incident.toml).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labs.engine.cluster.broker import Broker
from labs.engine.cluster.jvm import LOG4J_1, LOG4J_2
from labs.engine.distributions.distribution import Distribution
from labs.engine.distributions.java import Java
from labs.engine.programs.java import compiler
from labs.incidents.past_files import dump_tool, segments
from labs.incidents.programs import COMPLAINTS, rows, run_java
from labs.incidents.timeline import Timeline


@dataclass(frozen=True, slots=True)
class Server:
    """The brokers that a client connects to, with their release.

    `tools_path` is the class path of Kafka's own tools of that release.
    """

    bootstrap: str
    version: str
    brokers: Mapping[int, Broker]
    tools_path: str

    @property
    def data(self) -> Path:
        """The folder of the logs of the first broker."""
        return self.brokers[1].data


class PastClient:
    """Runs programs with the clients of a release against a broker."""

    def __init__(self, clients: Distribution, java: Java, folder: Path, server: Server) -> None:
        self.bootstrap, self.timeline = server.bootstrap, Timeline()
        self._clients, self._java, self._folder, self._server = clients, java, folder, server

    def run(self, source: Path, *arguments: str) -> list[dict[str, Any]]:
        """Runs a program and returns its rows, one per line; the class is named like the file.

        Raises `ProgramFailed`, with the end of its output, if it fails.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        (self._folder / "log4j.properties").write_text(LOG4J_1, "ascii")
        (self._folder / "log4j2.properties").write_text(LOG4J_2, "ascii")
        class_path = os.pathsep.join(map(str, (self._folder, *self._clients.jars, *compiler())))
        self.timeline.add(" ".join(["the application starts:", source.stem, *arguments]))
        printed = run_java(
            self._java, class_path, self._folder, "org.codehaus.janino.SimpleCompiler",
            str(source), source.stem, self.bootstrap, *arguments, note=self.timeline.add,
        )  # fmt: skip
        self.timeline.add("the application has ended")
        return rows(printed)

    def log(self) -> str:
        """Returns the logs of the programs and their clients."""
        return (self._folder / COMPLAINTS).read_text("utf-8", "replace")

    def dump(self, topic: str, number: int = 0, *decoding: str) -> str:
        """Returns the log of a partition from DumpLogSegments; `decoding` has options for it."""
        server = self._server
        files = segments(server.data / f"{topic}-{number}")
        words = ("--print-data-log", *decoding, "--files", files)
        tool = dump_tool(server.version)
        return run_java(self._java, server.tools_path, self._folder, tool, *words)
