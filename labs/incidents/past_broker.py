"""One broker of a release of the past, on loopback, gone with its owner.

Releases before 3.0 have it beside a ZooKeeper of their own, which came with their jars; later ones
keep their metadata themselves (KRaft; `meta.properties` version 1, KIP-631). Such a release serves
an incident and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from confluent_kafka import KafkaException

from advisor.catalog.versions import at_least
from labs.engine.base.wait import until
from labs.engine.cluster.broker import Broker
from labs.engine.cluster.jvm import LOG4J_1, OPTIONS, broker_command
from labs.engine.cluster.ports import Ports
from labs.engine.cluster.properties import Settings, properties
from labs.engine.cluster.storage import new_id
from labs.engine.distributions.distribution import Distribution
from labs.engine.distributions.java import Java
from labs.engine.protocol.admin import quiet_admin
from labs.incidents.java_program import run

_BOOT_LIMIT_S = 90.0
_ZOOKEEPER = "org.apache.zookeeper.server.quorum.QuorumPeerMain"
_ALONE: Settings = {
    "offsets.topic.replication.factor": 1,
    "offsets.topic.num.partitions": 1,
    "transaction.state.log.replication.factor": 1,
    "transaction.state.log.min.isr": 1,
    "transaction.state.log.num.partitions": 1,
    "group.initial.rebalance.delay.ms": 0,
}


class PastBroker:
    """A broker in `folder`, and its ZooKeeper if the release needs one; for a `with` block.

    `settings` are the broker's beside those that let one broker stand alone. Raises `WaitTimeout`
    if it does not serve, `ChildProcessError` if a process ends by itself while it boots.
    """

    def __init__(
        self, distribution: Distribution, java: Java, folder: Path, settings: Settings
    ) -> None:
        self._distribution, self._java = distribution, java
        self._ports = Ports(2)
        serves, other = self._ports.numbers
        self._keeper: Broker | None = None
        home = folder / "broker"
        if at_least(distribution.version, "3.0"):
            told = _by_itself(serves, other)
        else:
            told = _with_zookeeper(serves, other)
            self._keeper = self._zookeeper(folder / "zookeeper", other)
        _write(home, {**told, **_ALONE, **settings})
        if self._keeper is None:
            _format(home / "data")
        command = broker_command(distribution, java)
        self.broker = Broker(1, serves, command, home, folder / "broker-1.log")

    def __enter__(self) -> Self:
        try:
            if self._keeper:
                self._keeper.start()
            self.start()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end()

    @property
    def bootstrap(self) -> str:
        return self.broker.address

    def partition(self, topic: str, number: int = 0) -> Path:
        """The folder of a partition's log."""
        return self.broker.data / f"{topic}-{number}"

    def start(self) -> None:
        """Starts the broker on whatever its folder holds, and waits until it serves."""
        self.broker.start()
        until(self._serves, _BOOT_LIMIT_S, f"Kafka {self._distribution.version} does not serve")

    def kill(self) -> None:
        """SIGKILL, and waits until the process is gone."""
        self.broker.kill()
        until(lambda: self.broker.state == "dead", 10, "the broker that was killed lives")

    def tool(self, main: str, *arguments: str) -> str:
        """What one of the release's own tools prints. Raises `ProgramFailed`."""
        class_path, folder = self._distribution.class_path, self.broker.data.parent
        return run(self._java, class_path, folder, main, *arguments)

    def dump(self, topic: str) -> str:
        """The log of a partition as DumpLogSegments prints it, all segments in order."""
        return dump(self._distribution, self._java, self.partition(topic))

    def cleaned_up_to(self, topic: str) -> int:
        """The offset up to which the cleaner has read a partition; 0 before it did."""
        file = self.broker.data / "cleaner-offset-checkpoint"
        rows = file.read_text("ascii").splitlines()[2:] if file.exists() else []
        offsets = {row.rpartition(" ")[0]: int(row.rpartition(" ")[2]) for row in rows}
        return offsets.get(f"{topic} 0", 0)

    def _serves(self) -> bool:
        for each in filter(None, (self._keeper, self.broker)):
            if each.state == "dead":
                raise ChildProcessError(f"{each.name} ended by itself: {each.tail(8)}")
        with quiet_admin(self.bootstrap) as admin:
            try:
                return bool(admin.list_topics(timeout=1).brokers)
            except KafkaException:
                return False

    def _zookeeper(self, home: Path, port: int) -> Broker:
        home.mkdir(parents=True)
        (home / "log4j.properties").write_text(LOG4J_1, "ascii")
        told: Settings = {"dataDir": "data", "clientPort": port, "clientPortAddress": "127.0.0.1"}
        (home / "zoo.cfg").write_text(properties(told), "ascii")
        command: Sequence[str | Path] = (
            self._java.path, *OPTIONS, "-Dzookeeper.admin.enableServer=false",
            "-Dlog4j.configuration=file:log4j.properties", "-cp", self._distribution.class_path,
            _ZOOKEEPER, "zoo.cfg",
        )  # fmt: skip
        return Broker(0, port, command, home, home.parent / "zookeeper.log", name="ZooKeeper")

    def _end(self) -> None:
        for each in filter(None, (self.broker, self._keeper)):
            if each.state != "dead":
                each.terminate(grace_s=5)
        self._ports.release()


def dump(distribution: Distribution, java: Java, partition: Path) -> str:
    """The log in a partition's folder, all segments in order. Raises `ProgramFailed`."""
    words = ("--print-data-log", "--files", segments(partition))
    main, folder = "kafka.tools.DumpLogSegments", partition.parent.parent
    return run(java, distribution.class_path, folder, main, *words)


def segments(partition: Path) -> str:
    """The files of a log, as DumpLogSegments takes them."""
    return ",".join(str(each) for each in sorted(partition.glob("*.log")))


def _by_itself(port: int, quorum: int) -> Settings:
    return {
        "process.roles": "broker,controller",
        "node.id": 1,
        "listeners": f"PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{quorum}",
        "advertised.listeners": f"PLAINTEXT://127.0.0.1:{port}",
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "controller.listener.names": "CONTROLLER",
        "controller.quorum.voters": f"1@127.0.0.1:{quorum}",
        "log.dirs": "data",
    }


def _with_zookeeper(port: int, keeper: int) -> Settings:
    return {
        "broker.id": 1,
        "listeners": f"PLAINTEXT://127.0.0.1:{port}",
        "zookeeper.connect": f"127.0.0.1:{keeper}",
        "log.dirs": "data",
    }


def _write(home: Path, told: Mapping[str, str | int | bool]) -> None:
    home.mkdir(parents=True)
    (home / "server.properties").write_text(properties(told), "ascii")
    (home / "log4j.properties").write_text(LOG4J_1, "ascii")


def _format(data: Path) -> None:
    """Before 3.3 a formatted folder holds one file."""
    data.mkdir(parents=True)
    (data / "meta.properties").write_text(f"version=1\ncluster.id={new_id()}\nnode.id=1\n", "ascii")
