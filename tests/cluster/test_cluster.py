"""Disposable clusters of real brokers."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from confluent_kafka import KafkaException, Producer
from confluent_kafka.admin._config import ConfigEntry, ConfigResource, ConfigSource
from confluent_kafka.admin._resource import ResourceType

from labs.engine.base import processes
from labs.engine.base.slots import slot
from labs.engine.base.wait import until
from labs.engine.cluster import cluster as clusters
from labs.engine.cluster.cluster import BootFailed, Cluster
from labs.engine.cluster.nodes import Layout
from labs.engine.cluster.ports import Ports
from labs.engine.cluster.properties import SHORTENED, RefusedSetting, Settings
from labs.engine.protocol.admin import quiet_admin

pytestmark = pytest.mark.cluster

OWNER = """
import sys, time
from pathlib import Path
from labs.engine.cluster.cluster import Cluster
from labs.engine.distributions.distribution import kafka
from labs.engine.distributions.java import find_java
cluster = Cluster(kafka(), find_java(), Path(sys.argv[1]))
cluster.start()
print(*(broker.pid for broker in cluster.brokers.values()), flush=True)
time.sleep(600)
"""


def listening(pid: int) -> list[str]:
    """The addresses at which a process listens, as the kernel's tables have them in hex."""
    sockets = set()
    for descriptor in Path(f"/proc/{pid}/fd").iterdir():
        try:
            sockets.add(str(descriptor.readlink()))
        except FileNotFoundError:
            continue
    listened = []
    for table in ("tcp", "tcp6"):
        for row in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            fields = row.split()
            if fields[3] == "0A" and f"socket:[{fields[9]}]" in sockets:
                listened.append(fields[1].rpartition(":")[0])
    return listened


def send(bootstrap: str, topic: str, acks: str = "all") -> None:
    """Sends one message; raises unless it is acknowledged within 60 s."""
    errors: list[object] = []
    producer = Producer({"bootstrap.servers": bootstrap, "acks": acks})
    producer.produce(topic, b"1", on_delivery=lambda error, _: errors.append(error))
    producer.flush(60)
    assert errors == [None]


def broker_config(cluster: Cluster) -> dict[str, ConfigEntry]:
    """The configuration that broker 1 reports."""
    resource = ConfigResource(ResourceType.BROKER, "1")
    with quiet_admin(cluster.bootstrap) as admin:
        entries: dict[str, ConfigEntry] = admin.describe_configs([resource])[resource].result(60)
    return entries


def cluster_id(cluster: Cluster) -> str | None:
    with quiet_admin(cluster.bootstrap) as admin:
        return admin.list_topics(timeout=60).cluster_id


def test_three_brokers_serve_a_topic_with_all_replicas_in_sync(cluster):
    cluster.create_topic("orders", partitions=2, config={"min.insync.replicas": "2"})
    states = cluster.describe("orders")
    assert [state.partition for state in states] == [0, 1]
    assert all(state.isr == (1, 2, 3) and state.leader in (1, 2, 3) for state in states)
    assert all(state.elr == () and state.leader_epoch == 0 for state in states)
    assert cluster.states() == {1: "running", 2: "running", 3: "running"}
    send(cluster.bootstrap, "orders")


def test_a_refused_topic_raises_with_the_brokers_message(cluster):
    with pytest.raises(KafkaException, match="Unable to replicate the partition 4 time"):
        cluster.create_topic("wide", replication_factor=4, limit_s=1)
    with pytest.raises(KafkaException, match="INVALID_CONFIG"):
        cluster.create_topic("bad", config={"min.insync.replicas": "0"})


def test_an_unknown_topic_has_no_partitions(cluster):
    assert cluster.describe("no-such-topic") == []


def test_brokers_listen_at_two_ports_on_loopback_only(cluster):
    for broker in cluster.brokers.values():
        listened = listening(broker.pid)
        assert len(listened) == 2
        assert set(listened) <= {"0100007F", "0000000000000000FFFF00000100007F"}


def test_the_log_of_each_broker_shows_its_own_start_and_settings(cluster):
    for broker in cluster.brokers.values():
        text = broker.log.read_text()
        assert set(re.findall(r"\[KafkaRaftServer nodeId=(\d+)\]", text)) == {str(broker.id)}
        assert f"[KafkaRaftServer nodeId={broker.id}] Kafka Server started" in text
        assert set(re.findall(r"\bnode\.id = (\d+)", text)) == {str(broker.id)}
        assert f"127.0.0.1:{broker.port}" in text
        assert broker.tail(3).splitlines() == text.splitlines()[-3:]


def test_shortened_settings_are_in_force_and_their_stated_defaults_are_right(cluster):
    entries = broker_config(cluster)
    assert set(cluster.shortened) == set(SHORTENED) - {"zookeeper.session.timeout.ms"}
    for name, (lab_value, product_default) in cluster.shortened.items():
        assert entries[name].value == str(lab_value), name
        defaults = [
            other.value
            for other in entries[name].synonyms.values()
            if ConfigSource(other.source) is ConfigSource.DEFAULT_CONFIG
        ]
        assert defaults == [str(product_default)], name
    assert entries["replica.lag.time.max.ms"].value == "30000"


def test_brokers_map_the_class_archive(cluster):
    for broker in cluster.brokers.values():
        assert "classes/kafka-4.3.1-java-" in Path(f"/proc/{broker.pid}/maps").read_text()


def test_a_topic_is_described_quickly_while_brokers_are_paused(cluster):
    cluster.create_topic("paused")
    (before,) = cluster.describe("paused")
    followers = [id_ for id_ in before.isr if id_ != before.leader]
    for id_ in followers:
        cluster.brokers[id_].pause()
    until(lambda: list(cluster.states().values()).count("paused") == 2, 60, "no pause")
    described = cluster.describe("paused", limit_s=10)  # the running broker may be slow, too
    assert described == [before], "paused, and still in sync"
    cluster.brokers[before.leader].pause()
    until(lambda: set(cluster.states().values()) == {"paused"}, 60, "no pause")
    assert cluster.describe("paused") == []


def test_a_killed_leader_is_replaced_and_restarts_at_its_port(cluster):
    cluster.create_topic("failover")
    (before,) = cluster.describe("failover")
    old = cluster.brokers[before.leader]
    port = old.port
    old.kill()
    until(lambda: old.state == "dead", 60, "the leader lives")
    assert old.returncode == -signal.SIGKILL

    def replaced() -> bool:
        return any(s.leader not in (None, old.id) for s in cluster.describe("failover"))

    until(replaced, 60, "no other broker became leader")
    (after,) = cluster.describe("failover")
    assert after.leader_epoch > before.leader_epoch
    send(cluster.bootstrap, "failover")
    before_the_restart = old.log.read_text()
    old.start()
    cluster.wait_in_sync("failover", 1, 3, limit_s=60)
    assert old.log.read_text().startswith(before_the_restart)  # what explains the kill is kept
    socket.create_connection(("127.0.0.1", port), 5).close()


def test_two_clusters_booted_at_the_same_time_are_independent(distribution, java, tmp_path):
    clusters = [Cluster(distribution, java, tmp_path / name, Layout(1)) for name in ("a", "b")]
    try:
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(Cluster.start, clusters))
        assert [cluster.states() for cluster in clusters] == [{1: "running"}, {1: "running"}]
        pids = [broker.pid for cluster in clusters for broker in cluster.brokers.values()]
        one, other = clusters
        assert one.brokers[1].port != other.brokers[1].port
        assert cluster_id(one) != cluster_id(other)
        other.create_topic("only-here", replication_factor=1)
        assert other.describe("only-here")
        assert one.describe("only-here") == []
    finally:
        for cluster in clusters:
            cluster.stop()
    assert all(pid and processes.state(pid) is None for pid in pids)


@pytest.mark.parametrize("pause_one", [pytest.param(False, marks=pytest.mark.thorough), True])
def test_no_broker_outlives_its_owner(tmp_path, pause_one, distribution, java):
    with slot():
        owner = subprocess.Popen(
            [sys.executable, "-c", OWNER, str(tmp_path)], stdout=subprocess.PIPE, text=True
        )
        assert owner.stdout is not None
        pids = [int(pid) for pid in owner.stdout.readline().split()]
        assert len(pids) == 3
        if pause_one:
            os.kill(pids[1], signal.SIGSTOP)
            until(lambda: processes.state(pids[1]) == "T", 60, "the broker did not pause")
        owner.kill()
        owner.wait()
        until(
            lambda: all(processes.state(pid) in (None, "Z") for pid in pids),
            60,
            "brokers outlived their owner",
        )


def test_a_port_that_was_taken_meanwhile_is_replaced_by_another(
    distribution, java, tmp_path, monkeypatch
):
    other_sockets: list[socket.socket] = []

    class TakenOnce(Ports):
        def __init__(self, count: int) -> None:
            super().__init__(count)
            if not other_sockets:
                other_socket = socket.socket()
                other_socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                other_socket.bind(("127.0.0.1", self.numbers[0]))
                other_socket.listen()
                other_sockets.append(other_socket)

    monkeypatch.setattr(clusters, "Ports", TakenOnce)
    with Cluster(distribution, java, tmp_path, Layout(1)) as cluster:
        assert cluster.states() == {1: "running"}
        assert cluster.brokers[1].port != other_sockets[0].getsockname()[1]
    other_sockets[0].close()
    assert "Address already in use" in (tmp_path / "broker-1.log").read_text()


def test_a_broker_that_exits_fails_the_boot_immediately_with_its_message(
    distribution, java, tmp_path
):
    cluster = Cluster(distribution, java, tmp_path, Layout(1), settings={"num.io.threads": -3})
    with pytest.raises(BootFailed, match=r"broker 1 ended by itself[\s\S]*num\.io\.threads"):
        cluster.start()
    assert cluster.brokers == {}


def test_a_line_break_in_a_setting_never_reaches_a_broker(distribution, java, tmp_path):
    with pytest.raises(RefusedSetting):
        Cluster(distribution, java, tmp_path, settings={"min.insync.replicas": "1\nlog.dirs=/"})


def test_settings_reach_the_broker_character_by_character(distribution, java, tmp_path):
    special_characters = r"a\tb=c:#! ü€"
    settings: Settings = {"auto.create.topics.enable": False, "broker.rack": special_characters}
    with Cluster(distribution, java, tmp_path, Layout(1), settings=settings) as cluster:
        entries = broker_config(cluster)
    assert entries["auto.create.topics.enable"].value == "false"
    assert entries["broker.rack"].value == special_characters
