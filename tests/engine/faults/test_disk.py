"""Disk faults, with small processes and data folders that stand in for brokers."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from labs.engine.base.wait import until
from labs.engine.cluster.broker import Broker
from labs.engine.cluster.storage import directory_id
from labs.engine.faults.cut_tail import cut_tail
from labs.engine.faults.detach import attach, detach, detached
from labs.engine.faults.read_only import read_only
from labs.engine.faults.record import FaultLog
from labs.engine.faults.roles import broker, failed
from labs.engine.faults.wipe import wipe
from labs.engine.scenarios.model import NEVER
from tests.engine.disks import batch, formatted, write_log
from tests.engine.rigs import rig
from tests.engine.stand_in_cluster import StandInCluster

pytestmark = pytest.mark.process

WRITER = """
import sys, time
with open("written", "ab", buffering=0) as out:
    while True:
        try:
            out.write(b"r")
        except OSError:
            sys.exit({code})
        time.sleep(0.01)
"""
"""Stands in for a broker that writes continuously, and exits when a write fails."""


TWO_FOLDERS = """
import pathlib, sys, time
folder = pathlib.Path("data-2").absolute()
print("served", flush=True)
while True:
    try:
        (folder / "checkpoint").write_text("0")
    except OSError:
        print(f"WARN {said} {{folder}} (kafka.server.ReplicaManager)", flush=True)
        if {ends}:
            sys.exit(1)
        time.sleep(600)
    time.sleep(0.01)
"""
"""Stands in for a broker with two log folders, which logs when one of them fails."""


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[StandInCluster]:
    """A running broker, whose data folder has a log of five records in two batches."""
    write_log(formatted(tmp_path / "broker"), "orders-0", (batch(0, 3), batch(3, 2)))
    sleeper = [sys.executable, "-c", "import signal; signal.pause()"]
    node = Broker(3, 0, sleeper, tmp_path / "broker", tmp_path / "log")
    node.start()
    yield StandInCluster({3: node})
    node.terminate(0)


def kill(cluster: StandInCluster) -> None:
    cluster.brokers[3].kill()
    until(lambda: cluster.brokers[3].state == "dead", 60, "it lives")


def test_a_wiped_disk_is_formatted_for_the_same_node_with_a_new_directory_id(cluster, tmp_path):
    kill(cluster)
    before = (tmp_path / "broker/data" / "meta.properties").read_text().splitlines()
    (row,) = wipe(rig(cluster, log := FaultLog()), broker(3))
    assert row.evidence == "1 log segments of 200 bytes removed; the folder is formatted anew"
    assert log.proved
    after = (tmp_path / "broker/data" / "meta.properties").read_text().splitlines()
    assert after[:3] == before[:3]
    assert after[3] != before[3]
    assert sorted(item.name for item in (tmp_path / "broker/data").iterdir()) == [
        "bootstrap.checkpoint", "meta.properties",
    ]  # fmt: skip


def test_a_wiped_disk_of_a_broker_with_zookeeper_is_empty(cluster, tmp_path):
    data = tmp_path / "broker/data"
    (data / "bootstrap.checkpoint").unlink()
    (data / "meta.properties").write_text("version=0\nbroker.id=3\ncluster.id=x\n", "ascii")
    kill(cluster)
    (row,) = wipe(rig(cluster, log := FaultLog()), broker(3))
    assert row.evidence == "1 log segments of 200 bytes removed; the folder is empty"
    assert log.proved
    assert not list(data.iterdir())


def test_a_disk_in_use_is_neither_wiped_nor_cut(cluster, tmp_path):
    log = FaultLog()
    old = directory_id(tmp_path / "broker/data")
    (wiped,) = wipe(rig(cluster, log), broker(3))
    (cut,) = cut_tail(rig(cluster, log), broker(3), {"orders": NEVER})
    assert (wiped.phase, cut.phase) == ("failed", "failed")
    assert "is in use" in wiped.evidence
    assert directory_id(tmp_path / "broker/data") == old
    assert not log.proved


def test_a_simulated_power_cut_removes_what_was_never_flushed(cluster):
    kill(cluster)
    (row,) = cut_tail(rig(cluster, FaultLog()), broker(3), {"orders": NEVER})
    assert row.phase == "complete"
    assert row.evidence == (
        "simulated power cut: orders-0 was cut from 200 to 0 bytes and ends at offset 0"
    )


def test_a_simulated_power_cut_keeps_what_was_flushed(cluster, tmp_path):
    kill(cluster)
    (row,) = cut_tail(rig(cluster, FaultLog()), broker(3), {"orders": 1})
    assert row.evidence == (
        "simulated power cut: orders-0: all 200 bytes were flushed, none were cut"
    )
    assert (tmp_path / "broker/data/orders-0/00000000000000000000.log").stat().st_size == 200


def test_a_power_cut_of_a_broker_without_the_topic_reports_that(cluster):
    kill(cluster)
    (row,) = cut_tail(rig(cluster, FaultLog()), broker(3), {"other": NEVER})
    assert row.evidence == "simulated power cut: no log of other is here"


def test_a_broker_that_was_stopped_cleanly_has_flushed_and_cannot_be_cut(cluster):
    cluster.brokers[3].terminate()
    (row,) = cut_tail(rig(cluster, FaultLog()), broker(3), {"orders": NEVER})
    assert row.phase == "failed"
    assert "it flushed at its end" in row.evidence


@contextmanager
def writer(folder: Path, code: int) -> Iterator[Any]:
    """A cluster of one broker that writes to the file `written`."""
    node = Broker(4, 0, [sys.executable, "-c", WRITER.format(code=code)], folder, folder / "log")
    node.start()
    until((folder / "written").exists, 60, "it does not write")
    yield StandInCluster({4: node})
    node.terminate(0)


def test_a_broker_on_a_read_only_disk_exits_and_has_failed_until_it_is_restarted(tmp_path):
    with writer(tmp_path, code=1) as cluster:
        (row,) = read_only(rig(cluster, log := FaultLog()), broker(4))
        pid = cluster.brokers[4].pid
        assert row.evidence == (
            f"simulated read-only disk: pid {pid} could write files of 0 bytes at most, and ended "
            "itself with code 1"
        )
        assert log.proved
        assert [str(broker) for broker in failed().targets(cluster)] == ["failed: broker 4"]
        (second,) = read_only(rig(cluster, log), broker(4))
        assert (second.phase, second.evidence) == ("failed", "broker 4 is not running")
        cluster.brokers[4].start()  # the next process can write again: a restart heals the fault
        size = (tmp_path / "written").stat().st_size
        until(lambda: (tmp_path / "written").stat().st_size > size, 60, "it does not write")
        assert failed().targets(cluster) == []


def test_read_only_fails_if_the_broker_exits_with_another_code(tmp_path):
    with writer(tmp_path, code=3) as cluster:
        (row,) = read_only(rig(cluster, log := FaultLog()), broker(4))
        assert (row.phase, row.evidence) == (
            "failed", f"pid {cluster.brokers[4].pid} ended with code 3"
        )  # fmt: skip
        assert failed().targets(cluster) == []
        assert not log.proved


def test_read_only_fails_if_the_broker_keeps_running(cluster):
    (row,) = read_only(rig(cluster, log := FaultLog()), broker(3), limit_s=0.1)
    assert row.phase == "failed"
    assert "is running" in row.evidence
    assert not log.proved


@contextmanager
def two_folders(folder: Path, message: str = "Stopping serving logs in dir", ends: bool = False):
    """A cluster of one broker with `orders-0` in the second of its two log folders."""
    (folder / "data").mkdir(parents=True)
    (folder / "data-2" / "orders-0").mkdir(parents=True)
    script = TWO_FOLDERS.format(said=message, ends=ends)
    node = Broker(5, 0, [sys.executable, "-c", script], folder, folder / "log")
    node.start()
    until(lambda: "served" in node.tail(), 60, "it does not serve")
    yield StandInCluster({5: node})
    node.terminate(0)


def test_a_detached_folder_is_noticed_by_its_broker_and_attached_unchanged(tmp_path):
    with two_folders(tmp_path / "broker") as cluster:
        (row,) = detach(rig(cluster, log := FaultLog()), broker(5), "orders-0")
        pid = cluster.brokers[5].pid
        assert row.evidence == (
            f"simulated: folder data-2 was removed; pid {pid} serves nothing from it"
        )
        assert [str(broker) for broker in detached().targets(cluster)] == ["detached: broker 5"]
        assert not (tmp_path / "broker/data-2").exists()
        (too_early,) = attach(rig(cluster, FaultLog()), detached())
        assert (too_early.phase, too_early.evidence) == (
            "failed", "broker 5 is running: it would not use the folder"
        )  # fmt: skip
        cluster.brokers[5].terminate()
        (back,) = attach(rig(cluster, log), detached())
        assert (back.fault, back.evidence) == ("mend", "folder data-2 is back, unchanged")
        assert (tmp_path / "broker/data-2" / "orders-0").is_dir()
        assert detached().targets(cluster) == []
        assert log.proved


def test_detach_fails_if_the_broker_does_not_have_the_log(tmp_path):
    with two_folders(tmp_path / "broker") as cluster:
        (row,) = detach(rig(cluster, log := FaultLog()), broker(5), "payments-0")
        assert (row.phase, row.evidence) == ("failed", "broker 5 has no log payments-0")
        assert (tmp_path / "broker/data-2").exists()
        assert not log.proved


def test_detach_fails_if_the_broker_does_not_report_the_folder(tmp_path):
    with two_folders(tmp_path / "broker", message="Something else about") as cluster:
        (row,) = detach(rig(cluster, log := FaultLog()), broker(5), "orders-0", limit_s=0.5)
        assert row.phase == "failed"
        assert "is running" in row.evidence
        assert not log.proved


def test_detach_fails_if_the_broker_exits(tmp_path):
    with two_folders(tmp_path / "broker", message="Something else about", ends=True) as cluster:
        (row,) = detach(rig(cluster, log := FaultLog()), broker(5), "orders-0")
        assert (row.phase, row.evidence) == (
            "failed", f"pid {cluster.brokers[5].pid} ended with code 1"
        )  # fmt: skip
        assert not log.proved
