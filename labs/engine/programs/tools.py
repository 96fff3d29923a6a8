"""Java clients of one release, ready to run in a JVM of their own: `ClientApplication.java`.

Behind the brokers' jars, whose class archive they map, stands the jar `kafka-tools` of the same
release, which has Kafka's own tools. A release is offered when that is locked
(`locks/tools-*.txt`).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from advisor.catalog import kafka_line
from labs.engine.cluster.jvm import OPTIONS, archive_options, has_archive
from labs.engine.distributions import distribution, ivy
from labs.engine.distributions.distribution import LOCKS, UnknownVersion
from labs.engine.distributions.java import Java
from labs.engine.programs import source as programs


@dataclass(frozen=True, slots=True)
class Tools:
    """The clients of one release; `java` is the command of its JVM, without the class path."""

    version: str
    java: tuple[str, ...]
    class_path: str

    def command(self, arguments: Sequence[str], folder: Path) -> tuple[str, ...]:
        """The command of our application; `folder` receives its files."""
        return programs.command(self.java, self.class_path, "ClientApplication", arguments, folder)


def tool_versions() -> tuple[str, ...]:
    """The releases whose clients can be run here, newest first."""
    return tuple(
        version
        for version in distribution.kafka_versions()
        if (LOCKS / f"tools-{version}.txt").exists()
    )


def tool_release(line: str) -> str | None:
    """The release that runs here for a line of Java clients (`3.9` → `3.9.2`), if one does."""
    return next(
        (tool_version for tool_version in tool_versions() if kafka_line(tool_version) == line), None
    )


def tools(version: str, java: Java, progress: ivy.Progress | None = None) -> Tools:
    """The clients of a release, their jars fetched at the first call and verified.

    Raises what `distribution.kafka` does.
    """
    if version not in tool_versions():
        name = ", ".join(tool_versions())
        raise UnknownVersion(f"Java clients {version!r} cannot be run here; these can: {name}.")
    kafka = distribution.kafka(version, progress)
    own = distribution.install(f"tools-{version}", progress)
    options = (*OPTIONS, *(archive_options(kafka, java) if has_archive(kafka, java) else ()))
    class_path = os.pathsep.join(str(jar) for jar in (*kafka.jars, *own, *programs.compiler()))
    return Tools(version, (str(java.path), *options), class_path)
