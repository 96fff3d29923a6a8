"""The ZooKeeper that stores the metadata of brokers that are not in KRaft mode.

It is part of the jars of these brokers, listens on loopback and is a single server. A broker is
alive as long as its session is (`/brokers/ids/N`, an ephemeral node).
"""

from __future__ import annotations

import re
import socket
from collections.abc import Sequence
from pathlib import Path

from labs.engine.base.wait import until
from labs.engine.cluster.broker import Broker
from labs.engine.cluster.jvm import OPTIONS, working_folder
from labs.engine.cluster.nodes import ZOOKEEPER_ID
from labs.engine.cluster.properties import Settings, properties
from labs.engine.distributions.distribution import Distribution
from labs.engine.distributions.java import Java

NAME = "ZooKeeper"
_MAIN = "org.apache.zookeeper.server.quorum.QuorumPeerMain"
_SESSION_LIMIT_S = 40
_SERVING = "Sessions with Ephemerals ("
"""In each response of a server that serves (DataTree.dumpEphemerals). A server that has just been
started responds with nothing, or that it does not serve."""
_REGISTERED = re.compile(r"/brokers/ids/(\d+)\b")


def server(distribution: Distribution, java: Java, home: Path, port: int, log: Path) -> Broker:
    """Returns the server as a process to start, with its working folder prepared at `home`."""
    working_folder(home, "zoo.cfg", properties(_settings(port)))
    command: Sequence[str | Path] = (
        java.path, *OPTIONS, "-Dzookeeper.admin.enableServer=false",
        "-Dzookeeper.jmx.log4j.disable=true",  # 3.4 requires a class that reload4j lacks
        "-Dlog4j.configuration=file:log4j.properties", "-cp", distribution.class_path,
        _MAIN, "zoo.cfg",
    )  # fmt: skip
    return Broker(ZOOKEEPER_ID, port, command, home, log, name=NAME)


def registered(port: int) -> frozenset[int]:
    """Returns the ids of the brokers with a session at the server on this loopback port.

    Raises `OSError` if the server cannot be reached or does not serve yet.
    """
    with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
        connection.sendall(b"dump")
        with connection.makefile("rb") as answer:
            dump = answer.read().decode("utf-8", "replace")
    if _SERVING not in dump:
        raise ConnectionError(f"{NAME} at port {port} does not serve yet")
    return frozenset(int(match[1]) for match in _REGISTERED.finditer(dump))


class RegisteredBroker(Broker):
    """A broker that registers with the ZooKeeper at the loopback port `keeper`."""

    def __init__(
        self, id_: int, port: int, command: Sequence[str | Path], folder: Path, log: Path, *,
        keeper: int,
    ) -> None:  # fmt: skip
        super().__init__(id_, port, command, folder, log)
        self._keeper = keeper

    def start(self) -> None:
        """Starts the process once the session of its last process has ended.

        A broker that restarts earlier finds its old registration and exits
        (`KafkaZkClient.registerBroker`, NodeExistsException). Raises the errors of `Broker.start`,
        and `WaitTimeout`, also if ZooKeeper is dead.
        """
        if self.pid is not None:
            until(self._is_session_over, _SESSION_LIMIT_S,
                  f"{NAME} still holds the session of {self.name}",
                  awaits=f"for the old session of {self.name} to end")  # fmt: skip
        super().start()

    def _is_session_over(self) -> bool:
        try:
            return self.id not in registered(self._keeper)
        except OSError:  # it has just been started
            return False


def _settings(port: int) -> Settings:
    """Returns its settings: sessions as short as brokers request; `dump` is opt-in since 3.5."""
    return {
        "dataDir": "data",
        "clientPort": port,
        "clientPortAddress": "127.0.0.1",
        "tickTime": 500,
        "maxSessionTimeout": 60_000,
        "4lw.commands.whitelist": "dump",
    }
