"""The command of a broker's JVM: small heap, quick compiler, class-data archive."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from confluent_kafka import KafkaException

from labs.engine.base.wait import WaitTimeout, until
from labs.engine.cluster.broker import Broker
from labs.engine.cluster.nodes import DATA, Layout, nodes
from labs.engine.cluster.ports import Ports
from labs.engine.cluster.properties import node_properties
from labs.engine.cluster.storage import checkpoint, format_storage, new_id
from labs.engine.distributions import classes
from labs.engine.distributions.distribution import Distribution
from labs.engine.distributions.java import Java
from labs.engine.protocol.admin import create_topic, quiet_admin

# One C1 compiler and the serial collector: six such JVMs share two cores (docs/decisions/0002).
OPTIONS = (
    "-Xmx256m",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-XX:-UsePerfData",
)

# The Maven jars include no log4j configuration; without one a broker logs nothing below ERROR.
# Kafka 4.0 moved from log4j 1 (now reload4j) to log4j 2 (KIP-653); slf4j finds one or the other.
# Logs go to standard error, because applications use standard output.
LOG4J_1 = """\
log4j.rootLogger = INFO, err
log4j.appender.err = org.apache.log4j.ConsoleAppender
log4j.appender.err.target = System.err
log4j.appender.err.layout = org.apache.log4j.PatternLayout
log4j.appender.err.layout.ConversionPattern = [%d] %p %m (%c{1})%n
"""
LOG4J_2 = """\
appender.err.type = Console
appender.err.name = err
appender.err.target = SYSTEM_ERR
appender.err.layout.type = PatternLayout
appender.err.layout.pattern = [%d] %p %m (%c{1})%n
rootLogger.level = INFO
rootLogger.appenderRef.err.ref = err
"""

BROKER_FILE = "server.properties"
_ARCHIVE_TROUBLE = (WaitTimeout, KafkaException)


def broker_command(
    distribution: Distribution, java: Java, options: Sequence[str] = ()
) -> tuple[str | Path, ...]:
    """Returns the command of a broker whose working folder was prepared by `lay_out`."""
    return (
        java.path, *OPTIONS, *options, "-Dlog4j.configuration=file:log4j.properties",
        "-Dlog4j2.configurationFile=log4j2.properties", "-cp", distribution.class_path,
        "kafka.Kafka", BROKER_FILE,
    )  # fmt: skip


def lay_out(
    folder: Path, properties: str, checkpoint: Path, cluster_id: str, node: int,
    folders: Sequence[str] = (DATA,),
) -> None:  # fmt: skip
    """Makes `folder` the working folder of a broker, with its files and formatted storage."""
    working_folder(folder, BROKER_FILE, properties)
    for name in folders:
        format_storage(checkpoint, folder / name, cluster_id, node)


def working_folder(folder: Path, file: str, settings: str) -> None:
    """Creates the working folder of a JVM, with its settings file and its log configuration."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / file).write_text(settings, "ascii")
    (folder / "log4j.properties").write_text(LOG4J_1, "ascii")
    (folder / "log4j2.properties").write_text(LOG4J_2, "ascii")


def has_archive(distribution: Distribution, java: Java) -> bool:
    """Whether the class-data archive exists or a recent attempt to create it failed."""
    return _archive(distribution, java).settled(distribution.jars)


def archive_options(distribution: Distribution, java: Java) -> tuple[str, ...]:
    """Returns the options for the class-data archive, created at the first call (some 15 s)."""
    archive = _archive(distribution, java)
    archive.make(distribution.jars, partial(_train, distribution, java), _ARCHIVE_TROUBLE)
    return archive.options


def _archive(distribution: Distribution, java: Java) -> classes.Archive:
    return classes.archive(f"kafka-{distribution.version}", java, distribution.class_path)


def _train(distribution: Distribution, java: Java, folder: Path) -> Path:
    """Runs one broker briefly, then archives the classes that it loaded; returns the archive."""
    ports = Ports(2)
    (node,) = nodes(iter(ports.numbers), Layout(1))
    home = folder / "broker"
    properties = node_properties(node, (node,), {}, distribution.version)
    lay_out(home, properties, checkpoint(distribution, java), new_id(), 1)
    loaded = folder / "classes.txt"
    command = broker_command(distribution, java, (f"-XX:DumpLoadedClassList={loaded}",))
    broker = Broker(1, ports.numbers[0], command, home, folder / "broker.log")
    broker.start()
    try:
        _exercise(broker)
        broker.terminate(grace_s=60)
    finally:
        if broker.state != "dead":
            broker.kill()
        ports.release()
    return classes.dump(java, loaded, distribution.class_path)


def _exercise(broker: Broker) -> None:
    def serves() -> bool:
        if broker.state == "dead":
            raise ChildProcessError(f"the broker ended by itself: {broker.tail(5)}")
        try:
            return bool(admin.list_topics(timeout=1).brokers)
        except KafkaException:
            return False

    with quiet_admin(broker.address) as admin:
        until(serves, 60, "the broker that trains the class archive did not start")
    create_topic(broker.address, "training", partitions=1, replication_factor=1, limit_s=30)
