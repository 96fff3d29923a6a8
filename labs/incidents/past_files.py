"""The files that processes of a past release need in their folders, and the logs that they write.

Releases before 3.0 have a ZooKeeper, which came with their jars; later ones have a controller
(KRaft). For releases before 3.3, one file makes a folder formatted (`meta.properties` version 1,
KIP-631).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from advisor.catalog.versions import at_least
from labs.engine.cluster.properties import Settings
from labs.engine.cluster.storage import checkpoint, format_storage
from labs.engine.distributions.distribution import Distribution
from labs.engine.distributions.java import Java

CONTROLLER = 100
"""The node id of the controller; brokers are numbered from 1."""
_RECORD = re.compile(r"^(?:\| )?offset: (\d+) .* payload: (.*)$", re.MULTILINE)


def has_zookeeper(version: str) -> bool:
    return not at_least(version, "3.0")


def format_data(
    distribution: Distribution, java: Java, data: Path, cluster_id: str, node: int
) -> None:
    """Formats the log folder of a broker or controller in KRaft mode."""
    if at_least(distribution.version, "3.3"):
        format_storage(checkpoint(distribution, java), data, cluster_id, node)
        return
    data.mkdir(parents=True)
    content = f"version=1\ncluster.id={cluster_id}\nnode.id={node}\n"
    (data / "meta.properties").write_text(content, "ascii")


def controller(port: int) -> Settings:
    return {
        "process.roles": "controller",
        "listeners": f"CONTROLLER://127.0.0.1:{port}",
        **_quorum(CONTROLLER, port),
    }


def broker(version: str, node: int, port: int, keeper: int) -> Settings:
    """Returns the settings of a broker; `keeper` is the port of ZooKeeper or the controller."""
    common: Settings = {"listeners": f"PLAINTEXT://127.0.0.1:{port}"}
    if has_zookeeper(version):
        return {**common, "broker.id": node, "zookeeper.connect": f"127.0.0.1:{keeper}",
                "log.dirs": "data"}  # fmt: skip
    return {**common, "process.roles": "broker", **_quorum(node, keeper)}


def _quorum(node: int, controller_port: int) -> Settings:
    return {
        "node.id": node,
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "controller.listener.names": "CONTROLLER",
        "controller.quorum.voters": f"{CONTROLLER}@127.0.0.1:{controller_port}",
        "log.dirs": "data",
    }


def dump_tool(version: str) -> str:
    """Returns the class of DumpLogSegments; 4.0 moved it to kafka-tools."""
    package = "org.apache.kafka.tools" if at_least(version, "4.0") else "kafka.tools"
    return f"{package}.DumpLogSegments"


def segments(partition: Path) -> str:
    """Returns the files of a log as an argument for DumpLogSegments."""
    return ",".join(str(segment) for segment in sorted(partition.glob("*.log")))


def records(dump: str) -> Iterator[tuple[int, str]]:
    """Yields (offset, value) of each record of a dump, in the order of the log."""
    for record in _RECORD.finditer(dump):
        yield int(record[1]), record[2]


def by_broker(dump: str) -> dict[int, str]:
    """Returns a dump of the logs of several brokers, split by broker number."""
    parts = re.split(r"^Dumping .*?/broker-(\d+)/.*$", dump, flags=re.MULTILINE)
    dumps: dict[int, str] = {}
    for number, text in zip(parts[1::2], parts[2::2], strict=True):
        dumps[int(number)] = dumps.get(int(number), "") + text
    return dumps
