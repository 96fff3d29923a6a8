"""A disposable Kafka cluster on this machine: real brokers, loopback only, ended with its owner."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from pathlib import Path
from typing import Self

from confluent_kafka import KafkaException

from advisor.catalog.versions import at_least
from labs.engine.base import processes
from labs.engine.base.wait import Disturbed, WaitTimeout, until
from labs.engine.cluster.broker import Broker, BrokerState
from labs.engine.cluster.jvm import (
    BROKER_FILE,
    archive_options,
    broker_command,
    lay_out,
    working_folder,
)
from labs.engine.cluster.nodes import (
    METADATA,
    Address,
    Layout,
    Node,
    address,
    log_folders,
    nodes,
    proxy_ports,
    rack_setting,
)
from labs.engine.cluster.ports import Ports
from labs.engine.cluster.properties import Settings, check, node_properties, shortened
from labs.engine.cluster.storage import checkpoint, new_id
from labs.engine.cluster.zookeeper import RegisteredBroker, server
from labs.engine.distributions.distribution import Distribution
from labs.engine.distributions.java import Java
from labs.engine.network.links import Links
from labs.engine.protocol import quorum, topics
from labs.engine.protocol.admin import create_topic, quiet_admin
from labs.engine.protocol.topics import PartitionState

_BOOT_LIMIT_S = 90.0
_ATTEMPTS = 3
_QUICK_RESPONSE_S, _RESPONSE_S = 0.25, 1.0
_THREE_BROKERS = Layout()


class BootFailed(Exception):
    """The cluster did not start; the message includes the end of a broker's log."""


class _PortTaken(Exception):
    pass


class Cluster:
    """The processes of a `layout`, in `folder`.

    `settings` are broker settings of the caller, which override the settings that the lab shortens.
    `shortened` holds the remaining ones: name → (value here, the product's default). `features` are
    feature levels of a new cluster that differ from the release's defaults (kafka-features.sh).
    Each log is `<logs>/broker-N.log` or `controller-N.log`, by default in `folder`. No process of
    the cluster can outlive this process, however it ends (`processes.spawn`).

    Use it as a context manager, or call `start` and `stop`. `start` raises `BootFailed` and
    `wait.Disturbed`; the constructor raises `properties.RefusedSetting`.
    """

    def __init__(
        self,
        distribution: Distribution,
        java: Java,
        folder: Path,
        layout: Layout = _THREE_BROKERS,
        settings: Settings | None = None,
        *,
        features: Mapping[str, int] | None = None,
        logs: Path | None = None,
        share_classes: bool = True,
    ) -> None:
        self.layout = layout
        self.settings: Settings = dict(settings or {})
        check(self.settings)
        self.shortened = shortened(self.settings, distribution.version, zookeeper=layout.zookeeper)
        self.brokers: dict[int, Broker] = {}
        self.controllers: dict[int, Broker] = {}
        self.zookeeper: Broker | None = None
        self._addresses: Addresses | None = None
        eligible = at_least(distribution.version, "3.8") and not layout.zookeeper
        self._describe = partial(topics.describe, eligible=eligible)
        self._distribution = distribution
        self._features = features
        self._java = java
        self._folder = folder
        self._logs = logs or folder
        self._share_classes = share_classes
        self._executor = ThreadPoolExecutor(4 * layout.brokers, thread_name_prefix="describe")

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def release(self) -> str:
        """The Kafka release of its brokers."""
        return self._distribution.version

    @property
    def bootstrap(self) -> str:
        """The advertised addresses of all brokers, for `bootstrap.servers`."""
        return self.addresses.bootstrap

    @property
    def links(self) -> Links | None:
        """The links that can be cut; None if nodes connect directly."""
        return self.addresses.links

    @property
    def addresses(self) -> Addresses:
        """The addresses of its nodes. Raises `RuntimeError` before `start`."""
        if self._addresses is None:
            raise RuntimeError("a cluster that was not started has no addresses")
        return self._addresses

    def start(self) -> None:
        """Boots all brokers in parallel; returns when all are registered and serve requests.

        If another process takes a port before a broker binds it, the boot is tried again with other
        ports. A broker that exits fails the boot immediately.
        """
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                self._boot(self._folder / f"boot-{attempt}")
                return
            except _PortTaken as error:
                self._end()
                if attempt == _ATTEMPTS:
                    raise BootFailed(f"ports were taken {attempt} times: {error}") from error
            except BaseException:
                self.stop()
                raise

    def _boot(self, home: Path) -> None:
        self._logs.mkdir(parents=True, exist_ok=True)
        self._addresses = Addresses(home, self.layout, self._logs / "links.log")
        if (zookeeper := self._addresses.zookeeper) is not None:
            self._prepare_with_zookeeper(self._addresses, home, zookeeper)
        else:
            self._prepare(self._addresses)
        for process in self.nodes.values():
            process.start()
        self.wait_ready(_BOOT_LIMIT_S)

    def _prepare(self, addresses: Addresses) -> None:
        """Lays out each node's working folder."""
        options = archive_options(self._distribution, self._java) if self._share_classes else ()
        command = broker_command(self._distribution, self._java, options)
        prepared = checkpoint(self._distribution, self._java, self._features)
        cluster_id, version = new_id(), self._distribution.version
        for node, home in addresses.homes.items():
            folders = log_folders(node, self.layout.log_dirs)
            settings = self._node_settings(node)
            properties = node_properties(node, addresses.nodes, settings, version, folders)
            lay_out(home, properties, prepared, cluster_id, node.id, folders)
            group = self.brokers if node.clients else self.controllers
            group[node.id] = Broker(
                node.id, node.port, command, home, self._logs / f"{node.name}.log",
                name=f"{'broker' if node.clients else 'node'} {node.id}",
            )  # fmt: skip

    def _prepare_with_zookeeper(self, addresses: Addresses, home: Path, zookeeper: Address) -> None:
        """Lays out the folders of brokers with ZooKeeper, which format their storage themselves."""
        log, port = self._logs / "zookeeper.log", zookeeper.at[1]
        self.zookeeper = server(self._distribution, self._java, home / "zookeeper", port, log)
        command = broker_command(self._distribution, self._java)
        for node, folder in addresses.homes.items():
            folders = [name for name in log_folders(node, self.layout.log_dirs) if name != METADATA]
            text = node_properties(
                node, addresses.nodes, self._node_settings(node), self._distribution.version,
                folders, zookeeper=zookeeper,
            )  # fmt: skip
            working_folder(folder, BROKER_FILE, text)
            log = self._logs / f"{node.name}.log"
            self.brokers[node.id] = RegisteredBroker(
                node.id, node.port, command, folder, log, keeper=port
            )

    def _node_settings(self, node: Node) -> Settings:
        """Returns the caller's settings for one node, with its rack."""
        return {**self.settings, **rack_setting(node, self.layout.racks)}

    def move_logs(self, folder: Path) -> None:
        """Moves the log files of its processes, open ones too, to a folder on the same disk."""
        folder.mkdir(parents=True, exist_ok=True)
        for process in self.nodes.values():
            process.log = process.log.rename(folder / process.log.name)

    def wait_ready(self, limit_s: float) -> None:
        """Waits until every broker answers and is registered and unfenced.

        A fenced broker is not in the metadata for clients (KIP-631), hence the count. A broker that
        was just killed stays there until its session ends, hence a request to each. Raises
        `BootFailed`, and `Disturbed` if a signal from outside ended one of the processes.
        """

        def all_serve() -> bool:
            self._fail_if_dead()
            try:
                for broker in self.brokers.values():
                    self._describe(broker.port, "any", 0.5)
                return len(admin.list_topics(timeout=0.5).brokers) == self.layout.brokers
            except (OSError, KafkaException):
                return False

        with quiet_admin(self.bootstrap) as admin:
            try:
                until(all_serve, limit_s, f"{self.layout.brokers} brokers did not register",
                      awaits="for the brokers to serve")  # fmt: skip
            except WaitTimeout as late:
                tails = "\n".join(broker.tail(5) for broker in self.brokers.values())
                raise BootFailed(f"{late}. The ends of their logs:\n{tails}") from late

    def _fail_if_dead(self) -> None:
        if self._addresses and self._addresses.links and self._addresses.links.lost:
            raise Disturbed(self._addresses.links.lost)
        for broker in self.nodes.values():
            if broker.state == "dead":
                if processes.ended_by_signal(broker.returncode or 0):
                    raise Disturbed(broker.lost)
                # The shutdown may fail as well, and each stack trace has some 50 lines.
                if "Address already in use" in broker.tail(1000):
                    raise _PortTaken(broker.address)
                raise BootFailed(
                    f"{broker.name} ended by itself (code {broker.returncode}) while the "
                    f"cluster booted. The end of its log:\n{broker.tail(40)}"
                )

    def create_topic(
        self,
        name: str,
        partitions: int = 1,
        replication_factor: int = 3,
        config: Mapping[str, str] | None = None,
        limit_s: float = 20,
    ) -> None:
        """Creates a topic and waits until each partition has a leader and all its replicas.

        Raises `KafkaException` like `admin.create_topic`, and `WaitTimeout` like `wait_in_sync`.
        """
        create_topic(self.bootstrap, name, partitions, replication_factor, config or {}, limit_s)
        self.wait_in_sync(name, partitions, replication_factor, limit_s=30)

    def wait_in_sync(self, topic: str, partitions: int, replicas: int, limit_s: float) -> None:
        """Waits until each partition has a leader and `replicas` in-sync replicas.

        Raises `WaitTimeout`.
        """

        until(lambda: self.is_in_sync(topic, partitions, replicas), limit_s,
              f"topic {topic!r} does not have {replicas} replicas in sync",
              awaits=f"for topic {topic} to have {replicas} replicas in sync")  # fmt: skip

    def is_in_sync(self, topic: str, partitions: int, replicas: int) -> bool:
        """Whether each of its partitions has a leader and `replicas` in-sync replicas."""
        states = self.describe(topic)
        return len(states) == partitions and all(
            state.leader and len(state.isr) == replicas for state in states
        )

    def describe(self, topic: str, limit_s: float = 1.0) -> list[PartitionState]:
        """Returns the leader and ISR of each partition, according to the best informed broker.

        All running brokers are queried in parallel; paused and dead brokers are not. The first
        responses decide; if there are none, all brokers get `limit_s` seconds. The list is empty if
        no broker responds. Of several responses the one with the highest leader epoch counts, then
        that of the leader: a broker that was just resumed may still have old metadata.
        """
        futures = {
            self._executor.submit(self._describe, broker.port, topic, limit_s): broker.id
            for broker in self.brokers.values()
            if broker.state == "running"
        }
        answers: list[tuple[int, tuple[PartitionState, ...]]] = []
        for timeout_s in (_QUICK_RESPONSE_S, limit_s):
            done, _ = wait(futures, timeout=timeout_s)
            answers = [(futures[item], item.result()) for item in done if not item.exception()]
            if answers:
                break
        best: dict[int, tuple[tuple[int, bool], PartitionState]] = {}
        for id_, states in answers:
            for state in states:
                rank = (state.leader_epoch or 0, state.leader == id_)
                if state.partition not in best or rank > best[state.partition][0]:
                    best[state.partition] = (rank, state)
        return [best[partition][1] for partition in sorted(best)]

    def active_controller(self) -> int | None:
        """Returns the id of the node that leads the metadata quorum; None if it is unknown.

        All running brokers are queried. They forward the request to the active controller.
        """
        futures = [
            self._executor.submit(quorum.active_controller, broker.port, _RESPONSE_S)
            for broker in self.brokers.values()
            if broker.state == "running"
        ]
        done, _ = wait(futures, timeout=_RESPONSE_S)
        return next(
            (item.result() for item in done if not item.exception() and item.result()), None
        )

    @property
    def nodes(self) -> dict[int, Broker]:
        """Id → process, 0 for ZooKeeper; processes that brokers need at their start come first."""
        zookeeper = {self.zookeeper.id: self.zookeeper} if self.zookeeper else {}
        return {**zookeeper, **self.controllers, **self.brokers}

    @property
    def lost(self) -> str:
        """The node or the proxy that ended and was not ended by the run, in words; otherwise ''."""
        if self._addresses and self._addresses.links and self._addresses.links.lost:
            return self._addresses.links.lost
        return next((node.lost for node in self.nodes.values() if node.lost), "")

    def states(self) -> dict[int, BrokerState]:
        """Returns broker id → state according to the kernel: running, paused or dead."""
        return {id_: broker.state for id_, broker in self.brokers.items()}

    def stop(self) -> None:
        """Ends all processes by SIGKILL (their data is not needed) and releases the ports."""
        self._end()
        self._executor.shutdown(wait=False, cancel_futures=True)

    def _end(self) -> None:
        for process in self.nodes.values():
            if process.state != "dead":
                process.kill()
        for process in self.nodes.values():
            process.terminate(grace_s=0)
        self.brokers.clear()
        self.controllers.clear()
        self.zookeeper = None
        if self._addresses:
            self._addresses.end()


class Addresses:
    """The addresses and folders of a cluster's nodes in `home`, and the links between them.

    `links` is None if the nodes connect directly, on loopback. Otherwise every connection goes
    through a proxy, where it can be cut, and `note` says so. `zookeeper` is the address of their
    ZooKeeper, or None. Raises `LinksFailed`.
    """

    def __init__(self, home: Path, layout: Layout, log: Path) -> None:
        self._ports = Ports(layout.ports)
        numbers = iter(self._ports.numbers)
        self.nodes = nodes(numbers, layout)
        self.zookeeper = address(numbers, linked=layout.linked) if layout.zookeeper else None
        self.homes = {node: home / node.name for node in self.nodes}
        self.links: Links | None = None
        self.note = ""
        if layout.linked:
            self.note = "links: every connection between nodes goes through a proxy"
            ids = {folder: node.id for node, folder in self.homes.items()}
            self.links = Links(proxy_ports(self.nodes, self.zookeeper), ids, log)

    @property
    def bootstrap(self) -> str:
        """The advertised addresses of all brokers, for `bootstrap.servers`."""
        addresses = (node.clients.advertised for node in self.nodes if node.clients)
        return ",".join(f"{host}:{port}" for host, port in addresses)

    def end(self) -> None:
        """Ends the links and releases the ports."""
        if self.links:
            self.links.stop()
        self._ports.release()
