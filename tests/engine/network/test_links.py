"""Links and their faults, with small processes that stand in for brokers and clients."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from labs.engine.base import processes
from labs.engine.base.wait import until
from labs.engine.cluster.broker import Broker
from labs.engine.cluster.cluster import Addresses
from labs.engine.cluster.nodes import HostPort, Layout, Node, nodes, proxy_ports
from labs.engine.cluster.ports import Ports
from labs.engine.faults.links import cut, mend, sever, slow
from labs.engine.faults.record import FaultLog
from labs.engine.faults.roles import broker, impaired
from labs.engine.network import links
from labs.engine.network.links import Links, LinksFailed
from labs.engine.network.sources import Sources
from tests.engine.rigs import rig
from tests.engine.stand_in_cluster import StandInCluster

pytestmark = pytest.mark.process

# Listens and echoes, and sends to the other peers continuously, as brokers do.
PEER = """
import socket, sys, threading, time
own, *others = [[(host, int(port)) for host, port in (at.split(":") for at in each.split(","))]
                for each in sys.argv[1:]]
def echo(wire):
    while data := wire.recv(65536):
        wire.sendall(data)
def talk(at):
    while True:
        try:
            with socket.create_connection(at) as wire:
                while wire.sendall(b".") or wire.recv(64):
                    time.sleep(0.02)
        except OSError:
            time.sleep(0.02)
def serve(server):
    while True:
        threading.Thread(target=echo, args=(server.accept()[0],), daemon=True).start()
servers = [socket.create_server(at) for at in own]
for (at,) in others:
    threading.Thread(target=talk, args=(at,), daemon=True).start()
for server in servers[1:]:
    threading.Thread(target=serve, args=(server,), daemon=True).start()
serve(servers[0])
"""


@dataclass
class LinkedCluster(StandInCluster):
    """A cluster whose connections pass through links."""

    planned: tuple[Node, ...] = ()

    def advertised(self, id_: int) -> HostPort:
        """The advertised address of a node."""
        address = self.planned[id_ - 1].clients
        assert address
        return address.advertised


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[LinkedCluster]:
    layout = Layout(controllers=1, linked=True)
    ports = Ports(layout.ports)
    planned = nodes(iter(ports.numbers), layout)[:3]  # no controller is started
    homes = {tmp_path / f"broker-{node.id}": node.id for node in planned}
    links = Links(proxy_ports(planned), homes, tmp_path / "links.log")
    brokers = {}
    for (home, id_), node in zip(homes.items(), planned, strict=True):
        home.mkdir()
        own_addresses = ",".join(host_port(address.at) for address in node.addresses.values())
        others = [
            host_port(item.clients.advertised)
            for item in planned
            if item.clients and item is not node
        ]
        command = [sys.executable, "-c", PEER, own_addresses, *others]
        assert node.clients
        brokers[id_] = Broker(id_, node.clients.at[1], command, home, tmp_path / f"{id_}.log")
    for peer in brokers.values():
        peer.start()
    cluster = LinkedCluster(brokers, links=links, planned=planned)
    for one in brokers:
        for other in brokers.keys() - {one}:
            until(partial(passed_bytes, cluster, one, other), 60, "the stand-ins do not talk")
    yield cluster
    links.stop()  # again, where a test did
    for peer in brokers.values():
        peer.terminate(0)
    ports.release()


def host_port(address: HostPort) -> str:
    return f"{address[0]}:{address[1]}"


def passed_bytes(cluster: LinkedCluster, one: int, other: int) -> int:
    assert cluster.links
    return cluster.links.counts([(str(one), str(other), "CLIENTS")]).bytes


def client(cluster: LinkedCluster, id_: int) -> socket.socket:
    """A client's connection to a node, which has answered once."""
    wire = socket.create_connection(cluster.advertised(id_), timeout=60)
    wire.sendall(b"hello")
    assert wire.recv(64) == b"hello"
    return wire


@contextmanager
def talking(wire: socket.socket) -> Iterator[bytearray]:
    """Sends a byte every 20 ms, each different from the last; yields all bytes that were sent."""
    sent, stop = bytearray(), threading.Event()

    def talk() -> None:
        while not stop.wait(0.02):
            wire.sendall(bytes([len(sent) % 256]))
            sent.append(len(sent) % 256)

    talker = threading.Thread(target=talk)
    talker.start()
    yield sent
    stop.set()
    talker.join()


def test_the_process_behind_a_connection_is_found():
    mine, elsewhere = Sources({str(Path.cwd()): "me"}), Sources({"/no/such/folder": "them"})
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        for family, address in ((socket.AF_INET, ""), (socket.AF_INET6, "::ffff:")):
            with socket.socket(family) as wire:  # Java connects in the second way
                wire.connect((f"{address}127.0.0.1", port))
                theirs = wire.getsockname()[1]
                assert mine.process_name(theirs, port) == "me"
                assert elsewhere.process_name(theirs, port) is None
        assert mine.process_name(1, port) is None


def test_the_home_of_a_process_is_read_once_because_it_may_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Observed on a busy machine: the home was read twice, and the process ended in between."""
    links_read: set[Path] = set()
    readlink = Path.readlink

    def fail_on_second_read(link: Path) -> Path:
        if link in links_read:
            raise FileNotFoundError(link)
        links_read.add(link)
        return readlink(link)

    monkeypatch.setattr(Path, "readlink", fail_on_second_read)
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(server.getsockname()) as wire,
    ):
        ports = wire.getsockname()[1], server.getsockname()[1]
        assert Sources({str(Path.cwd()): "me"}).process_name(*ports) == "me"


def test_a_cut_holds_all_data_and_closes_no_connection(cluster):
    wire, log = client(cluster, 2), FaultLog()
    (row,) = cut(rig(cluster, log), broker(2, "leader"), "nodes")
    assert (row.target, row.phase) == ("leader: broker 2", "complete")
    assert row.evidence.startswith("nothing passes between broker 2 and nodes 1, 3: ")
    assert log.proved
    assert [target.broker.id for target in impaired().targets(cluster)] == [2]
    before = (
        passed_bytes(cluster, 1, 2),
        passed_bytes(cluster, 3, 2),
        passed_bytes(cluster, 2, 1),
        passed_bytes(cluster, 2, 3),
    )
    others = passed_bytes(cluster, 1, 3)
    until(lambda: passed_bytes(cluster, 1, 3) > others, 60, "broker 1 and 3 are cut off as well")
    wire.sendall(b"again")
    assert wire.recv(64) == b"again"  # clients are not cut off
    after = (
        passed_bytes(cluster, 1, 2),
        passed_bytes(cluster, 3, 2),
        passed_bytes(cluster, 2, 1),
        passed_bytes(cluster, 2, 3),
    )
    assert after == before
    (row,) = mend(rig(cluster, log), impaired())
    assert row.evidence.endswith("bytes have passed since then, none wait")
    assert impaired().targets(cluster) == []


def test_a_one_way_cut_passes_requests_and_holds_responses(cluster):
    wire, log = client(cluster, 1), FaultLog()
    with talking(wire) as sent:
        (row,) = cut(rig(cluster, log), broker(1), "clients", "from")
        assert row.evidence.startswith("nothing passes from broker 1 to its clients: ")
        assert row.phase == "complete"
        assert passed_bytes(cluster, 1, 2)  # brokers are not its clients
    mend(rig(cluster, log), impaired())
    received = b""
    while len(received) < len(sent):  # late, and complete
        received += wire.recv(4096)
    assert received == bytes(sent)


def test_severing_a_connection_loses_the_data_in_it(cluster):
    wire, log = client(cluster, 1), FaultLog()
    cut(rig(cluster, log), broker(1), "clients", "from", limit_s=0.1)  # nothing is sent: it fails
    assert not log.proved
    wire.sendall(b"written")
    until(
        lambda: cut(rig(cluster, log), broker(1), "clients", "from")[0].phase == "complete",
        60,
        "none",
    )
    (row,) = sever(rig(cluster, log), broker(1), "clients")
    assert row.evidence == "1 connections between broker 1 and its clients broken, " \
        "7 bytes in them lost"  # fmt: skip
    with suppress(ConnectionResetError):
        assert wire.recv(64) == b""
    (row,) = sever(rig(cluster, log), broker(1), "clients")
    assert (row.phase, row.evidence) == ("failed", "broker 1 had no connection with clients")


def test_a_slow_link_delays_data_by_the_measured_time(cluster):
    wire, log = client(cluster, 3), FaultLog()
    (row,) = slow(rig(cluster, log), broker(3), delay_s=0.3, bytes_per_s=1000)
    assert row.phase == "complete"
    assert float(row.evidence.split(" took ")[1].split()[0]) >= 0.3
    wire.sendall(b"x" * 4000)  # the link to its clients is not slow
    assert wire.recv(4096)
    cluster.links.impair(3, [("clients", "3", "CLIENTS")], rate=4000)
    began = time.monotonic()
    wire.sendall(b"y" * 2000)
    received = b""
    while received.count(b"y") < 2000:  # in any number of pieces
        received += wire.recv(4096)
    assert time.monotonic() - began >= 0.4
    mend(rig(cluster, log), impaired())


def test_the_proxy_port_of_a_dead_node_closes_connections(cluster):
    cluster.brokers[2].kill()
    until(lambda: cluster.brokers[2].state == "dead", 60, "it lives")
    (proxy, *_) = (port for port in proxy_ports(cluster.planned) if port.node == "2")
    wire = socket.create_connection(("127.0.0.1", proxy.at), timeout=60)
    with suppress(ConnectionResetError):
        assert wire.recv(64) == b""


def test_a_cut_without_a_proxy_fails(cluster):
    cluster.links.stop()
    cluster.links = None
    (row,) = cut(rig(cluster, log := FaultLog()), broker(1), "nodes")
    assert (row.phase, row.evidence) == ("failed", "this cluster's links do not go through a proxy")
    assert not log.proved


def test_a_paused_proxy_is_reported_after_a_limit(cluster, monkeypatch):
    monkeypatch.setattr(links, "ANSWER_S", 0.5)
    for pid in cluster.links.pids:
        os.kill(pid, signal.SIGSTOP)
    with pytest.raises(LinksFailed, match="does not respond"):
        cluster.links.counts([("1", "2", "CLIENTS")])
    for pid in cluster.links.pids:
        os.kill(pid, signal.SIGCONT)


def test_a_stopped_proxy_is_reported(cluster):
    cluster.links.stop()
    with pytest.raises(LinksFailed, match="does not respond"):
        cluster.links.counts([("1", "2", "CLIENTS")])


def test_a_proxy_that_is_killed_is_lost(tmp_path: Path) -> None:
    addresses = Addresses(tmp_path, Layout(1, linked=True), tmp_path / "links.log")
    assert addresses.links
    assert addresses.links.lost == ""
    (pid,) = (
        pid for pid in processes.process_tree(os.getpid())
        if "labs.engine.network.proxy" in Path(f"/proc/{pid}/cmdline").read_text().split("\0")
    )  # fmt: skip
    os.kill(pid, signal.SIGKILL)
    proxied = addresses.links
    until(lambda: proxied.lost, 60, "it outlived its kill")
    assert proxied.lost == "the proxy of the links was killed, and not by this run"
    addresses.end()
