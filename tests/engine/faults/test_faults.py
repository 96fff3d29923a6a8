"""Faults, with real processes that stand in for brokers; tests/cluster has real brokers."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import get_args

import pyarrow.parquet as pq
import pytest

from labs.engine.base.processes import ROOT
from labs.engine.base.wait import until
from labs.engine.cluster.broker import Broker
from labs.engine.cluster.nodes import ZOOKEEPER_ID, Layout
from labs.engine.cluster.ports import Ports
from labs.engine.cluster.zookeeper import NAME as ZOOKEEPER
from labs.engine.cluster.zookeeper import RegisteredBroker
from labs.engine.faults.inject import inject
from labs.engine.faults.kill import kill, restart, sigkill_status
from labs.engine.faults.pause import all_threads_stopped, pause, resume
from labs.engine.faults.record import FaultLog, FaultRow
from labs.engine.faults.roles import (
    broker,
    controller,
    coordinator,
    dead,
    dead_controllers,
    followers,
    killed,
    killed_brokers,
    leader,
    leaders_rack,
    majority,
    minority,
    newest_log,
    one_follower,
    other_racks,
    paused,
    running_brokers,
    terminated,
)
from labs.engine.faults.terminate import sigterm_code, terminate
from labs.engine.protocol.topics import PartitionState
from labs.engine.record.fault_words import Fault, sentence
from tests.engine.rigs import rig
from tests.engine.stand_in_cluster import StandInCluster

pytestmark = pytest.mark.process

LISTENER = """
import socket, sys
server = socket.create_server(("127.0.0.1", int(sys.argv[1])))
while True: server.accept()[0].close()
"""


@pytest.fixture
def cluster(tmp_path) -> Iterator[StandInCluster]:
    ports = Ports(3)
    brokers = {
        id_: Broker(
            id_,
            port,
            [sys.executable, "-c", LISTENER, str(port)],
            tmp_path,
            tmp_path / f"{id_}.log",
        )
        for id_, port in enumerate(ports.numbers, 1)
    }
    for node in brokers.values():
        node.start()
    yield StandInCluster(brokers, [PartitionState(0, 2, (1, 2, 3), (), 0)])
    for node in brokers.values():
        node.terminate(0)
    ports.release()


def phases(log: FaultLog) -> list[tuple[str, str, str]]:
    return [(row.fault, row.target, row.phase) for row in log.rows]


def test_kill_ends_the_current_leader_and_records_its_wait_status(cluster):
    log = FaultLog()
    (row,) = kill(rig(cluster, log), leader("orders"))
    pid = cluster.brokers[2].pid
    assert phases(log) == [
        ("kill", "leader: broker 2", "invoke"),
        ("kill", "leader: broker 2", "complete"),
    ]
    assert row.evidence == f"pid {pid} gone: its wait status says signal 9 (SIGKILL)"
    assert [broker.state for broker in cluster.brokers.values()] == ["running", "dead", "running"]
    assert log.proved


def test_faults_on_a_broker_that_is_already_dead_fail(cluster):
    cluster.brokers[2].terminate()
    log = FaultLog()
    (row,) = kill(rig(cluster, log), leader("orders"))
    assert (row.phase, row.evidence) == ("failed", "broker 2 is not running")
    (row,) = pause(rig(cluster, log), broker(2))
    assert row.phase == "failed"
    assert not log.proved


def test_kill_fails_if_the_broker_ends_by_another_signal(cluster):
    log = FaultLog()
    (row,) = inject("kill", rig(cluster, log), broker(3), Broker.terminate, sigkill_status, 5)
    assert row.phase == "failed"
    assert row.evidence == f"pid {cluster.brokers[3].pid} ended with code -15, not by us"
    assert not log.proved


def test_pause_fails_if_the_broker_keeps_running(cluster):
    log = FaultLog()
    (row,) = inject("pause", rig(cluster, log), broker(1), lambda _: None, all_threads_stopped, 0.1)
    assert row.phase == "failed"
    assert "is running" in row.evidence
    assert not log.proved


def test_a_fault_fails_if_no_broker_has_the_role(cluster):
    cluster.partitions = [PartitionState(0, None, (), (), 1)]
    (row,) = kill(rig(cluster, log := FaultLog()), leader("orders"))
    assert (row.target, row.phase) == ("leader", "failed")
    assert not log.proved


def test_pause_stops_all_followers_and_resume_continues_them(cluster):
    log = FaultLog()
    rows = pause(rig(cluster, log), followers("orders"))
    assert [(row.target, row.phase) for row in rows] == [
        ("follower: broker 1", "complete"),
        ("follower: broker 3", "complete"),
    ]
    assert all("state T in all" in row.evidence for row in rows)
    assert [row.phase for row in log.rows] == ["invoke", "invoke", "complete", "complete"]
    assert [broker.state for broker in cluster.brokers.values()] == ["paused", "running", "paused"]
    assert pause(rig(cluster, log), broker(1))[0].phase == "failed"  # it was paused already
    rows = resume(rig(cluster, log), paused())
    assert [row.phase for row in rows] == ["complete", "complete"]
    assert {broker.state for broker in cluster.brokers.values()} == {"running"}
    assert resume(rig(cluster, log), broker(1))[0].phase == "failed"  # it was not paused


def test_restart_starts_dead_brokers_and_waits_until_they_accept_connections(cluster):
    log = FaultLog()
    kill(rig(cluster, log), broker(1))
    killed_pid = cluster.brokers[1].pid
    (row,) = restart(rig(cluster, log), dead(), limit_s=60)
    assert row.phase == "complete", row
    assert cluster.brokers[1].pid != killed_pid
    assert row.evidence.endswith("accepts connections")
    assert restart(rig(cluster, log), broker(1))[0].phase == "failed"  # it is running


def test_terminate_stops_one_follower_and_terminated_and_killed_differ(cluster):
    log = FaultLog()
    (row,) = terminate(rig(cluster, log), one_follower("orders"))
    pid = cluster.brokers[1].pid
    assert (row.target, row.phase) == ("follower: broker 1", "complete")
    assert row.evidence == f"pid {pid} ended by itself upon SIGTERM (code -15)"
    kill(rig(cluster, log), leader("orders"))
    assert log.proved
    assert [target.broker.id for target in terminated().targets(cluster)] == [1]
    assert [target.broker.id for target in killed().targets(cluster)] == [2]
    assert [target.broker.id for target in dead().targets(cluster)] == [1, 2]
    assert [target.broker.id for target in running_brokers().targets(cluster)] == [3]


def test_the_newest_log_has_the_latest_epoch_and_then_the_greatest_length(
    cluster, tmp_path, monkeypatch
):
    monkeypatch.setattr(Broker, "data", property(lambda node: tmp_path / str(node.id)))
    kill(rig(cluster, FaultLog()), one_follower("orders"))
    kill(rig(cluster, FaultLog()), broker(3))

    def write_logs(sizes: tuple[int, int, int], epochs: tuple[int, int, int]) -> None:
        for id_, size, epoch in zip((1, 2, 3), sizes, epochs, strict=True):
            folder = tmp_path / str(id_) / "orders-0"
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "00000000000000000000.log").write_bytes(b"x" * size)
            checkpoint = f"0\n2\n0 0\n{epoch} 5\n"
            (folder / "leader-epoch-checkpoint").write_text(checkpoint, "utf-8")

    def brokers_with_newest_log() -> list[int]:
        return [target.broker.id for target in newest_log("orders").targets(cluster)]

    write_logs(sizes=(10, 90, 30), epochs=(1, 1, 1))
    assert brokers_with_newest_log() == [3], "2 lives"
    write_logs(sizes=(10, 90, 30), epochs=(2, 3, 1))
    assert brokers_with_newest_log() == [1]


def test_terminate_fails_if_the_broker_does_not_end_on_sigterm(cluster):
    cluster.brokers[3].pause()
    until(lambda: cluster.brokers[3].state == "paused", 60, "it did not pause")
    (row,) = terminate(rig(cluster, log := FaultLog()), broker(3), limit_s=0.2)
    assert row.phase == "failed"
    assert "is paused" in row.evidence
    assert not log.proved


def test_terminate_fails_if_the_broker_is_killed_while_it_stops(cluster):
    cluster.brokers[3].pause()
    (row,) = inject("terminate", rig(cluster, FaultLog()), broker(3), Broker.kill, sigterm_code, 5)
    assert row.phase == "failed"
    assert row.evidence == f"pid {cluster.brokers[3].pid} ended with code -9, not by us"


def test_the_active_controller_is_a_broker_or_a_dedicated_node(cluster):
    assert controller().targets(cluster) == []
    cluster.active = 3
    assert [str(broker) for broker in controller().targets(cluster)] == ["controller: broker 3"]
    cluster.controllers = {3: cluster.brokers.pop(3)}
    cluster.controllers[3].name = "node 3"
    assert [str(broker) for broker in controller().targets(cluster)] == ["controller: node 3"]
    (row,) = kill(rig(cluster, FaultLog()), controller())
    assert (row.target, row.phase) == ("controller: node 3", "complete")
    kill(rig(cluster, FaultLog()), broker(1))
    assert [str(broker) for broker in dead().targets(cluster)] == ["dead: node 3", "dead: broker 1"]
    assert [broker.broker.id for broker in running_brokers().targets(cluster)] == [2]


@pytest.mark.parametrize(
    ("brokers", "expected"), [((1, 2, 3), [2]), ((2, 3), []), ((1, 2, 3, 4), [2]), ((1, 2), [])]
)
def test_a_minority_is_fewer_than_half_and_includes_the_leader(cluster, brokers, expected):
    cluster.brokers = {id_: cluster.brokers.get(id_, cluster.brokers[3]) for id_ in brokers}
    assert [broker.broker.id for broker in minority("orders").targets(cluster)] == expected


def test_a_minority_of_five_is_the_leader_and_one_more(cluster):
    cluster.brokers |= dict.fromkeys((4, 5), cluster.brokers[3])
    assert [broker.broker.id for broker in minority("orders").targets(cluster)] == [2, 1]


def test_there_is_no_minority_without_a_leader(cluster):
    cluster.partitions = [PartitionState(0, None, (), (), 1)]
    assert minority("orders").targets(cluster) == []


def test_of_two_racks_one_has_the_leader_and_the_brokers_alternate(cluster):
    cluster.layout = Layout(racks=2)
    assert [broker.broker.id for broker in other_racks("orders").targets(cluster)] == [1, 3]
    cluster.partitions = [PartitionState(0, 1, (1, 2, 3), (), 0)]
    assert [broker.broker.id for broker in leaders_rack("orders").targets(cluster)] == [1, 3]
    cluster.partitions = [PartitionState(0, None, (), (), 1)]
    assert leaders_rack("orders").targets(cluster) == []
    assert other_racks("orders").targets(cluster) == []


def test_a_majority_of_controllers_includes_the_active_one_and_no_broker(cluster):
    cluster.controllers = {3: cluster.brokers.pop(3)}
    assert majority().targets(cluster) == []
    cluster.active = 3
    kill(rig(cluster, FaultLog()), majority())
    kill(rig(cluster, FaultLog()), broker(1))
    assert [str(controller) for controller in dead_controllers().targets(cluster)] == [
        "dead: broker 3"
    ]
    assert [broker.broker.id for broker in killed_brokers().targets(cluster)] == [1]


def test_zookeeper_replaces_the_majority_of_controllers_under_its_own_name(cluster, tmp_path):
    port = Ports(1)
    command = [sys.executable, "-c", LISTENER, str(port.numbers[0])]
    cluster.zookeeper = Broker(
        ZOOKEEPER_ID, port.numbers[0], command, tmp_path, tmp_path / "0.log", name=ZOOKEEPER
    )
    cluster.zookeeper.start()
    log = FaultLog()
    kill(rig(cluster, log), majority())
    restart(rig(cluster, log), dead_controllers())
    cluster.zookeeper.terminate(0)
    port.release()
    target = "ZooKeeper: ZooKeeper"
    expected = [("kill", target, "complete"), ("restart", target, "complete")]
    assert [row for row in phases(log) if row[2] != "invoke"] == expected
    assert sentence("kill", target) == "ZooKeeper was killed"


def test_a_broker_with_a_session_in_zookeeper_is_not_restarted(cluster, tmp_path, monkeypatch):
    monkeypatch.setattr("labs.engine.cluster.zookeeper._SESSION_LIMIT_S", 0.2)
    ports = Ports(2)
    port, nobody = ports.numbers
    command = [sys.executable, "-c", LISTENER, str(port)]
    log_file = tmp_path / "4.log"
    registered = RegisteredBroker(4, port, command, tmp_path, log_file, keeper=nobody)
    cluster.brokers[4] = registered
    registered.start()
    log = FaultLog()
    kill(rig(cluster, log), broker(4))
    restart(rig(cluster, log), killed())
    ports.release()
    assert (log.rows[-1].phase, registered.state) == ("failed", "dead")
    assert "ZooKeeper still holds the session of broker 4" in log.rows[-1].evidence


def test_the_ledgers_page_names_every_fault_and_role():
    page = (ROOT / "docs" / "ledger.md").read_text("utf-8")
    topic = "orders"
    roles = [leader(topic), followers(topic), controller(), coordinator("app"), minority(topic)]
    roles += [leaders_rack(topic), other_racks(topic), majority()]
    names = (role.name for role in [*roles, running_brokers()])
    for name in (*get_args(Fault), *names, ZOOKEEPER):
        assert f"`{name}`" in page


def test_the_fault_log_knows_which_processes_the_run_paused(cluster):
    log = FaultLog()
    assert not log.paused("broker 1")
    pause(rig(cluster, log), followers("orders"))
    assert log.paused("broker 1")
    assert not log.paused("broker 2")
    resume(rig(cluster, log), paused())
    assert not log.paused("broker 1")
    log.record("pause", "executor: consumer-1", "invoke")
    assert log.paused("consumer-1")


def test_a_heal_does_not_prove_a_fault(cluster):
    log = FaultLog()
    cluster.brokers[1].pause()
    until(lambda: cluster.brokers[1].state == "paused", 60, "it did not pause")
    assert resume(rig(cluster, log), paused())[0].phase == "complete"
    assert not log.proved


def test_rows_reach_the_listener_immediately_and_the_ledger_in_order(cluster, tmp_path):
    reported: list[FaultRow] = []
    log = FaultLog(reported.append)
    pause(rig(cluster, log), followers("orders"))
    assert reported == log.rows
    log.write(tmp_path)
    table = pq.read_table(tmp_path / "faults.parquet").to_pylist()
    assert [row["phase"] for row in table] == ["invoke", "invoke", "complete", "complete"]
    times = [row["time_ns"] for row in table]
    assert times == sorted(times)
    assert table[2]["evidence"].startswith("pid ")
