"""Kafka Streams of one release, ready to run the lab's application in a JVM of its own.

The application is `labs/engine/clients/StreamsApplication.java`. Janino, whose jars pyspark brings,
compiles it as the JVM starts, so that a Java without a compiler will do. It stands behind the
brokers' class path and maps their class archive.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from advisor.catalog import kafka_line
from advisor.catalog.versions import at_least
from labs.engine.kafka import distribution, ivy
from labs.engine.kafka.distribution import LOCKS
from labs.engine.kafka.java import Java
from labs.engine.kafka.jvm import LOG4J_1, LOG4J_2, OPTIONS, archive_options, has_archive
from labs.engine.processes import ROOT

_PROGRAM = ROOT / "labs" / "engine" / "clients" / "StreamsApplication.java"
_COMPILER = ("janino", "commons-compiler")


@dataclass(frozen=True, slots=True)
class Streams:
    """One release; `java` is the command of its JVM, without the class path."""

    version: str
    java: tuple[str, ...]
    class_path: str

    def command(self, arguments: Sequence[str], folder: Path) -> tuple[str, ...]:
        """The command of the application; `folder` receives its logging configuration."""
        one, two = folder / "streams-log4j.properties", folder / "streams-log4j2.properties"
        one.write_text(LOG4J_1, "ascii")
        two.write_text(LOG4J_2, "ascii")
        logging = (f"-Dlog4j.configuration=file:{one}", f"-Dlog4j2.configurationFile={two}")
        compiled = ("org.codehaus.janino.SimpleCompiler", str(_PROGRAM), _PROGRAM.stem)
        return (*self.java, *logging, "-cp", self.class_path, *compiled, *arguments)


def streams_versions() -> tuple[str, ...]:
    """The releases that can be run here, newest first."""
    known = distribution.kafka_versions()
    return tuple(version for version in known if (LOCKS / f"streams-{version}.txt").exists())


def streams_release(line: str) -> str:
    """The release that runs here for a line of Kafka Streams: its own, or the nearest one."""
    known = streams_versions()
    own = (version for version in known if kafka_line(version) == line)
    return next(own, known[0] if at_least(line, kafka_line(known[0])) else known[-1])


def streams(version: str, java: Java, progress: ivy.Progress | None = None) -> Streams:
    """A release, its jars fetched at the first call and verified.

    Raises what `distribution.kafka` does.
    """
    kafka = distribution.kafka(version, progress)
    own = distribution.install(f"streams-{version}", progress)
    brought = ivy.ivy_jar().parent
    compiler = [jar for name in _COMPILER for jar in brought.glob(f"{name}-[0-9]*.jar")]
    archive = archive_options(kafka, java) if has_archive(kafka, java) else ()
    class_path = os.pathsep.join(str(jar) for jar in (*kafka.jars, *own, *compiler))
    return Streams(version, (str(java.path), *OPTIONS, *archive), class_path)
