"""The lab's Java programs, compiled when their JVM starts, so that no Java compiler is needed.

Janino, whose jars are part of pyspark, compiles them. It accepts a single file, so the common part
(`Owner.java`) is appended to each program. The log of a program goes to standard error.
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
    """A class of `labs/engine/clients/` with the jars of one release of Kafka.

    `java` is the command of its JVM, without the class path.
    """

    name: str
    version: str
    java: tuple[str, ...]
    class_path: str

    def command(self, arguments: Sequence[str], folder: Path) -> tuple[str, ...]:
        """Returns the command that runs it; writes its source and log configuration to `folder`."""
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
    """Returns the program with Kafka's producer and consumer of a release.

    Its jars are downloaded at the first call and verified. Raises the errors of
    `distribution.kafka`.
    """
    return _program("ClientApplication", version, java, (), progress)


def kafka_streams(version: str, java: Java, progress: Progress | None = None) -> JavaProgram:
    """Returns the Kafka Streams application of a release. Raises like `distribution.kafka`."""
    return _program("StreamsApplication", version, java, (f"streams-{version}",), progress)


def compiler() -> Iterator[Path]:
    """Yields the compiler's jars, which must come after the jars of a program."""
    jars = pyspark_jars()
    for name in _COMPILER:
        yield from jars.glob(f"{name}-[0-9]*.jar")


def _program(
    name: str, version: str, java: Java, locks: Sequence[str], progress: Progress | None
) -> JavaProgram:
    """Returns a program; the brokers' jars come first, so that their class archive applies."""
    kafka = distribution.kafka(version, progress)
    program_jars = [jar for lock in locks for jar in distribution.install(lock, progress)]
    archive = archive_options(kafka, java) if has_archive(kafka, java) else ()
    class_path = os.pathsep.join(str(jar) for jar in (*kafka.jars, *program_jars, *compiler()))
    return JavaProgram(name, version, (str(java.path), *OPTIONS, *archive), class_path)
