"""Clusters other than three brokers of the newest release: old releases, separate controllers."""

from __future__ import annotations

from pathlib import Path

import pytest

from labs.engine.base import processes
from labs.engine.base.slots import slot
from labs.engine.base.wait import until
from labs.engine.cluster.cluster import Cluster
from labs.engine.cluster.nodes import Layout
from labs.engine.cluster.storage import checkpoint
from labs.engine.distributions.distribution import kafka, kafka_versions
from labs.engine.distributions.java import Java
from tests.cluster.test_cluster import send

pytestmark = pytest.mark.cluster
ELR = "eligible.leader.replicas.version"


def test_the_oldest_release_serves_and_describes_its_leaders(java: Java, tmp_path: Path) -> None:
    oldest = kafka(kafka_versions()[-1])
    with slot(), Cluster(oldest, java, tmp_path, Layout(1), share_classes=False) as cluster:
        cluster.create_topic("orders", partitions=2, replication_factor=1)
        states = cluster.describe("orders")
        assert [(state.partition, state.leader, state.isr) for state in states] == [
            (0, 1, (1,)), (1, 1, (1,)),
        ]  # fmt: skip
        assert {(state.leader_epoch, state.elr) for state in states} == {(0, None)}
        assert cluster.describe("no-such-topic") == []
        send(cluster.bootstrap, "orders")
    text = (tmp_path / "broker-1.log").read_text()
    assert f"Kafka version: {oldest.version}" in text
    assert "share.coordinator" not in text
    assert "share.coordinator.state.topic.num.partitions" not in cluster.shortened


@pytest.mark.thorough
@pytest.mark.parametrize("version", ["2.8.2", "3.9.2"])
def test_brokers_with_zookeeper_serve_and_rejoin_after_a_kill(
    java: Java, tmp_path: Path, version: str
) -> None:
    with slot(), Cluster(kafka(version), java, tmp_path, Layout(zookeeper=True)) as cluster:
        assert [*cluster.nodes] == [0, 1, 2, 3]
        cluster.create_topic("orders")
        send(cluster.bootstrap, "orders")
        [before] = cluster.describe("orders")
        assert before.leader
        killed = cluster.brokers[before.leader]
        killed.kill()
        until(lambda: cluster.describe("orders")[0].leader not in (None, killed.id), 30,
              "a new leader")  # fmt: skip
        killed.start()
        cluster.wait_in_sync("orders", 1, 3, limit_s=30)
        assert not cluster.lost
        pids = [node.pid for node in cluster.nodes.values() if node.pid]
    assert len(pids) == 4
    assert all(processes.state(pid) in (None, "Z", "X") for pid in pids)
    assert f"Kafka version: {version}" in (tmp_path / "broker-1.log").read_text()


def test_a_dedicated_controller_is_reached_through_links_like_a_broker(
    java: Java, tmp_path: Path
) -> None:
    with slot(), Cluster(kafka(), java, tmp_path, Layout(1, 1, linked=True)) as cluster:
        assert (set(cluster.states()), set(cluster.controllers)) == ({1}, {2})
        cluster.create_topic("orders", replication_factor=1)
        send(cluster.bootstrap, "orders")
        assert cluster.links
        assert cluster.links.counts([("clients", "1", "CLIENTS")]).bytes
        assert cluster.links.counts([("1", "2", "QUORUM")]).bytes


def test_a_cluster_is_formatted_with_the_requested_feature_levels(java: Java) -> None:
    default, without_elr = checkpoint(kafka(), java), checkpoint(kafka(), java, {ELR: 0})
    assert ELR.encode() in default.read_bytes()  # on in new clusters since 4.1
    assert ELR.encode() not in without_elr.read_bytes()
