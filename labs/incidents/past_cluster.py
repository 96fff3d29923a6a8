"""Brokers of one release, often a past one, on loopback; they end with the process that owns them.

For releases before 3.0 ZooKeeper has their metadata, otherwise a KRaft controller has it. Past
releases are used only for incidents.
"""

from __future__ import annotations

from pathlib import Path
from typing import Self

from confluent_kafka import KafkaException
from confluent_kafka.admin._metadata import PartitionMetadata

from labs.engine.base.wait import until
from labs.engine.cluster import zookeeper
from labs.engine.cluster.broker import Broker
from labs.engine.cluster.jvm import BROKER_FILE, broker_command, working_folder
from labs.engine.cluster.ports import Ports
from labs.engine.cluster.properties import Settings, properties
from labs.engine.cluster.storage import new_id
from labs.engine.cluster.tails import checkpointed
from labs.engine.distributions.distribution import Distribution, tools_path
from labs.engine.distributions.java import Java
from labs.engine.protocol.admin import quiet_admin
from labs.incidents import past_files
from labs.incidents.programs import run_java
from labs.incidents.timeline import Timeline

_BOOT_LIMIT_S = 90.0
_STOP_LIMIT_S = _IN_SYNC_LIMIT_S = 60.0
_SMALL: Settings = {
    "offsets.topic.replication.factor": 1,
    "offsets.topic.num.partitions": 1,
    "transaction.state.log.replication.factor": 1,
    "transaction.state.log.min.isr": 1,
    "transaction.state.log.num.partitions": 1,
    "group.initial.rebalance.delay.ms": 0,
}


class PastCluster:
    """Brokers numbered from 1 in `folder`; for a `with` block.

    `settings` are added to those that let a single broker work. Raises `WaitTimeout` if a broker
    does not serve, and `ChildProcessError` if a process ends by itself while it boots.
    """

    def __init__(
        self, distribution: Distribution, java: Java, folder: Path, settings: Settings, size: int
    ) -> None:
        self._distribution, self._java, self._folder = distribution, java, folder
        self._ports = Ports(size + 1)
        self.timeline = Timeline()
        self._settings, self._cluster_id = {**_SMALL, **settings}, new_id()
        *serving, keeper = self._ports.numbers
        self._keeper = self._zookeeper(keeper) if self.has_zookeeper else self._controller(keeper)
        self.brokers = {
            number: self._broker(number, port, keeper) for number, port in enumerate(serving, 1)
        }

    def __enter__(self) -> Self:
        try:
            self._keeper.start()
            self.start(*self.brokers)
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    @property
    def has_zookeeper(self) -> bool:
        return past_files.has_zookeeper(self.version)

    @property
    def bootstrap(self) -> str:
        return ",".join(broker.address for broker in self.brokers.values())

    @property
    def version(self) -> str:
        """The release of the brokers."""
        return self._distribution.version

    @property
    def tools_path(self) -> str:
        """The class path of the release's own tools."""
        return tools_path(self._distribution)

    def partition(self, topic: str, broker: int = 1) -> Path:
        """Returns the folder of a topic's only partition on a broker."""
        return self.brokers[broker].data / f"{topic}-0"

    def start(self, *brokers: int) -> None:
        """Starts brokers on whatever their folders hold, and waits until they serve."""
        for number in brokers:
            self.brokers[number].start()
        until(lambda: all(map(self.serves, brokers)), _BOOT_LIMIT_S,
              f"Kafka {self.version} does not serve")  # fmt: skip
        self.timeline.add(f"{_broker_words(brokers)} serving")

    def kill(self, *brokers: int) -> None:
        """Kills brokers by SIGKILL; waits until they have ended, and until ZooKeeper notices.

        A broker that comes back before its session with ZooKeeper is over is refused.
        """
        killed = [self.brokers[number] for number in brokers]
        for node in killed:
            node.kill()
        until(lambda: {node.state for node in killed} == {"dead"}, 10, "a killed broker lives")
        if self.has_zookeeper:
            port = self._keeper.port
            until(lambda: not zookeeper.registered(port) & {*brokers}, 30,
                  "ZooKeeper does not miss the brokers")  # fmt: skip
        self.timeline.add(f"{_broker_words(brokers)} killed (kill -9)")

    def stop(self, *brokers: int) -> None:
        """Shuts brokers down by SIGTERM, and waits until they have ended.

        Raises `WaitTimeout` if one does not end.
        """
        stopped = [self.brokers[number] for number in brokers]
        for node in stopped:
            node.ask_to_stop()
        until(lambda: all(node.ended_by_sigterm for node in stopped), _STOP_LIMIT_S,
              "a broker that was asked to stop lives")  # fmt: skip
        self.timeline.add(f"{_broker_words(brokers)} shut down in order (SIGTERM)")

    def tell(self, broker: int, setting: str, value: str | int) -> None:
        """Adds a line to a broker's properties for its next start; the last line wins."""
        with (self.brokers[broker].data.parent / BROKER_FILE).open("a") as file:
            file.write(f"{setting}={value}\n")

    def serves(self, broker: int) -> bool:
        """Whether a broker answers. Raises `ChildProcessError` if it ended by itself."""
        for node in (self._keeper, self.brokers[broker]):
            if node.state == "dead":
                raise ChildProcessError(f"{node.name} ended by itself: {node.tail(8)}")
        with quiet_admin(self.brokers[broker].address) as admin:
            try:
                return broker in admin.list_topics(timeout=1).brokers
            except KafkaException:
                return False

    def described(self, topic: str) -> PartitionMetadata | None:
        """Returns leader and ISR of a topic's only partition; None without an answer."""
        with quiet_admin(self.bootstrap) as admin:
            try:
                return admin.list_topics(topic, timeout=2).topics[topic].partitions.get(0)
            except KafkaException:
                return None

    def leader(self, topic: str) -> int:
        """Returns the leader of a topic's only partition; 0 if there is none, or no answer."""
        state = self.described(topic)
        return max(state.leader, 0) if state else 0

    def in_sync(self, topic: str) -> set[int]:
        """Returns the in-sync replicas of a topic's only partition; empty without an answer."""
        state = self.described(topic)
        return {*state.isrs} if state else set()

    def await_in_sync(self, topic: str, *brokers: int) -> None:
        """Waits until these brokers are in sync, and no other; without any, until all are.

        Raises `WaitTimeout`.
        """
        wanted = {*(brokers or self.brokers)}
        until(lambda: self.in_sync(topic) == wanted, _IN_SYNC_LIMIT_S,
              f"the replicas in sync did not become {sorted(wanted)}")  # fmt: skip

    def tool(self, main: str, *arguments: str) -> str:
        """Returns the output of one of the release's tools. Raises `ProgramFailed`."""
        return run_java(self._java, self._distribution.class_path, self._folder, main, *arguments)

    def dump(self, topic: str, *brokers: int) -> str:
        """Returns the log of a topic's only partition on brokers, by default the first.

        It is the output of DumpLogSegments; `Dumping` and a file begin each segment.
        """
        files = (past_files.segments(self.partition(topic, number)) for number in brokers or (1,))
        words = ("--deep-iteration", "--print-data-log", "--files", ",".join(files))
        return run_java(
            self._java, self.tools_path, self._folder, past_files.dump_tool(self.version), *words
        )

    def checkpointed(self, kind: str, topic: str, broker: int = 1) -> int:
        """Returns `tails.checkpointed` of a topic's only partition; 0 if there is none yet."""
        return checkpointed(self.brokers[broker].data, kind).get(f"{topic}-0", 0)

    def _broker(self, number: int, port: int, keeper: int) -> Broker:
        home, version = self._folder / f"broker-{number}", self._distribution.version
        settings = past_files.broker(version, number, port, keeper)
        working_folder(home, BROKER_FILE, properties({**settings, **self._settings}))
        if not self.has_zookeeper:
            self._format(home, number)
        command = broker_command(self._distribution, self._java)
        return Broker(number, port, command, home, self._folder / f"broker-{number}.log")

    def _controller(self, port: int) -> Broker:
        home, node = self._folder / "controller", past_files.CONTROLLER
        settings = {**past_files.controller(port), **self._settings}
        working_folder(home, BROKER_FILE, properties(settings))
        self._format(home, node)
        command = broker_command(self._distribution, self._java)
        log = self._folder / "controller.log"
        return Broker(node, port, command, home, log, name="the controller")

    def _format(self, home: Path, node: int) -> None:
        past_files.format_data(
            self._distribution, self._java, home / "data", self._cluster_id, node
        )

    def _zookeeper(self, port: int) -> Broker:
        home, log = self._folder / "zookeeper", self._folder / "zookeeper.log"
        return zookeeper.server(self._distribution, self._java, home, port, log)

    def _end(self) -> None:
        for node in (*self.brokers.values(), self._keeper):
            if node.state != "dead":
                node.terminate(grace_s=5)
        self._ports.release()


def _broker_words(brokers: tuple[int, ...]) -> str:
    words = "broker" if len(brokers) == 1 else "brokers"
    return f"{words} {', '.join(map(str, brokers))}:"
