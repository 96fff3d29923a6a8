"""Java clients of one release, ready to run: Kafka's own for tests and a program of ours.

Each runs in a JVM of its own. Kafka's are in the jar `kafka-tools`, which runs beside the jars of
the same release (`org.apache.kafka.tools.VerifiableProducer`, `VerifiableConsumer`). A release is
offered when its jars are locked (`locks/tools-*.txt`); one whose class path is that of the brokers
with the tools behind it maps the brokers' class archive, too.
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

# Everything goes to standard output, the JSON lines of the tools between it. `%nano` is
# System.nanoTime(), which Linux reads from CLOCK_MONOTONIC: the clock of the ledger. At TRACE the
# producer names each record just before it offers it to its buffer (KafkaProducer.doSend), which
# is all that tells of a send before its answer. log4j's own shutdown hook would stop it while the
# tool still sends: of 60,909 records the last had no line (seen on 4.3.1).
_LOG4J_2 = """\
shutdownHook = disable
appender.out.type = Console
appender.out.name = out
appender.out.layout.type = PatternLayout
appender.out.layout.pattern = %nano %p %c{1} %m %ex{1}%n
rootLogger.level = INFO
rootLogger.appenderRef.out.ref = out
logger.sends.name = org.apache.kafka.clients.producer.KafkaProducer
logger.sends.level = TRACE
"""
_MORE = {
    "TransactionalMessageCopier": """\
logger.transactions.name = org.apache.kafka.clients.producer.internals.TransactionManager
logger.transactions.level = DEBUG
"""
}
"""What else a tool's clients must say: of its transactions the tool itself says nothing."""
# slf4j takes the first binding it finds, and reload4j knows no nanoseconds.
_OTHER_BINDING = "slf4j-reload4j-"


@dataclass(frozen=True, slots=True)
class Tools:
    """The clients of one release; `java` is the command of its JVM, without the class path."""

    version: str
    java: tuple[str, ...]
    class_path: str

    def command(self, tool: str, arguments: Sequence[str], folder: Path) -> tuple[str, ...]:
        """The command of a tool; `folder` receives its logging configuration."""
        logging = folder / f"{tool}-log4j2.properties"
        logging.write_text(_LOG4J_2 + _MORE.get(tool, ""), "ascii")
        text = f"-Dlog4j2.configurationFile={logging}"
        main = f"org.apache.kafka.tools.{tool}"
        return (*self.java, text, "-cp", self.class_path, main, *arguments)

    def transformer(self, arguments: Sequence[str], folder: Path) -> tuple[str, ...]:
        """The command of the transforming application; `folder` receives its files."""
        return programs.command(
            self.java, self.class_path, "TransformerApplication", arguments, folder
        )


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
    jars = [jar for jar in kafka.jars if not jar.name.startswith(_OTHER_BINDING)]
    fits = len(jars) == len(kafka.jars) and has_archive(kafka, java)
    options = (*OPTIONS, *(archive_options(kafka, java) if fits else ()))
    class_path = os.pathsep.join(str(jar) for jar in (*jars, *own, *programs.compiler()))
    return Tools(version, (str(java.path), *options), class_path)
