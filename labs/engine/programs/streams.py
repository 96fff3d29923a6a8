"""Kafka Streams of one release, ready to run the lab's application in a JVM of its own.

The application is `labs/engine/clients/StreamsApplication.java`. It stands behind the brokers'
class path and maps their class archive.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from labs.engine.cluster.jvm import OPTIONS, archive_options, has_archive
from labs.engine.distributions import distribution, ivy
from labs.engine.distributions.distribution import LOCKS
from labs.engine.distributions.java import Java
from labs.engine.programs import source as programs


@dataclass(frozen=True, slots=True)
class Streams:
    """One release; `java` is the command of its JVM, without the class path."""

    version: str
    java: tuple[str, ...]
    class_path: str

    def command(self, arguments: Sequence[str], folder: Path) -> tuple[str, ...]:
        """The command of the application; `folder` receives its files."""
        return programs.command(self.java, self.class_path, "StreamsApplication", arguments, folder)


def streams_versions() -> tuple[str, ...]:
    """The releases that can be run here, newest first."""
    names = distribution.kafka_versions()
    return tuple(version for version in names if (LOCKS / f"streams-{version}.txt").exists())


def streams_release(line: str) -> str:
    """The release that runs here for a line of Kafka Streams: its own, or the nearest one."""
    return distribution.nearest(line, streams_versions())


def streams(version: str, java: Java, progress: ivy.Progress | None = None) -> Streams:
    """A release, its jars fetched at the first call and verified.

    Raises what `distribution.kafka` does.
    """
    kafka = distribution.kafka(version, progress)
    own = distribution.install(f"streams-{version}", progress)
    archive = archive_options(kafka, java) if has_archive(kafka, java) else ()
    class_path = os.pathsep.join(str(jar) for jar in (*kafka.jars, *own, *programs.compiler()))
    return Streams(version, (str(java.path), *OPTIONS, *archive), class_path)
