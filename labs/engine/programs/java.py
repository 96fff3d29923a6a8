"""Java programs of ours, compiled when their JVM starts, so that no Java compiler is needed.

Janino, whose jars pyspark brings, does it. It takes one file: what every program has in common
(`Owner.java`) is appended to its own. A program's log goes to standard error.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from labs.engine.base.processes import ROOT
from labs.engine.cluster.jvm import LOG4J_1, LOG4J_2, OPTIONS, archive_options, has_archive
from labs.engine.distributions import distribution
from labs.engine.distributions.download import Progress
from labs.engine.distributions.java import Java
from labs.engine.distributions.spark_java import pyspark_jars

_SOURCES = ROOT / "labs" / "engine" / "clients"
_COMMON = "Owner.java"
_COMPILER = ("janino", "commons-compiler")


@dataclass(frozen=True, slots=True)
class JavaProgram:
    """A class of `labs/engine/clients/` on the jars of one release of Kafka.

    `java` is the command of its JVM, without the class path.
    """

    name: str
    version: str
    java: tuple[str, ...]
    class_path: str

    def command(self, arguments: Sequence[str], folder: Path) -> tuple[str, ...]:
        """The command that runs it; `folder` receives its source and the files of its log."""
        source = folder / f"{self.name}.java"
        files = [folder / "java-log4j.properties", folder / "java-log4j2.properties"]
        texts = ((_SOURCES / name).read_text("utf-8") for name in (source.name, _COMMON))
        source.write_text("".join(texts), "utf-8")
        for file, text in zip(files, (LOG4J_1, LOG4J_2), strict=True):
            file.write_text(text, "ascii")
        return (
            *self.java, f"-Dlog4j.configuration=file:{files[0]}",
            f"-Dlog4j2.configurationFile={files[1]}", "-cp", self.class_path,
            "org.codehaus.janino.SimpleCompiler", str(source), self.name, *arguments,
        )  # fmt: skip


def java_clients(version: str, java: Java, progress: Progress | None = None) -> JavaProgram:
    """The program with Kafka's producer and consumer of a release.

    Its jars are fetched at the first call and verified. Raises as `distribution.kafka`.
    """
    return _program("ClientApplication", version, java, (), progress)


def kafka_streams(version: str, java: Java, progress: Progress | None = None) -> JavaProgram:
    """The Kafka Streams application of a release. Raises as `distribution.kafka`."""
    return _program("StreamsApplication", version, java, (f"streams-{version}",), progress)


def compiler() -> Iterator[Path]:
    """The jars that must stand behind those which a program is compiled against."""
    brought = pyspark_jars()
    for name in _COMPILER:
        yield from brought.glob(f"{name}-[0-9]*.jar")


def _program(
    name: str, version: str, java: Java, locks: Sequence[str], progress: Progress | None
) -> JavaProgram:
    """The brokers' jars come first on its class path, so that their class archive fits it."""
    kafka = distribution.kafka(version, progress)
    own = [jar for lock in locks for jar in distribution.install(lock, progress)]
    archive = archive_options(kafka, java) if has_archive(kafka, java) else ()
    class_path = os.pathsep.join(str(jar) for jar in (*kafka.jars, *own, *compiler()))
    return JavaProgram(name, version, (str(java.path), *OPTIONS, *archive), class_path)
