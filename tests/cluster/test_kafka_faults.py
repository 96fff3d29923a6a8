"""Faults on real brokers: the steps of the first scenario and others, each with its evidence."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition
from pyarrow import parquet

from labs.engine.base.wait import until
from labs.engine.clients.process import ClientProcess
from labs.engine.clients.producer import ProducerConfig
from labs.engine.cluster.cluster import Cluster
from labs.engine.faults import admin as admin_faults
from labs.engine.faults.hanging import abort_hanging
from labs.engine.faults.kill import kill, restart
from labs.engine.faults.pause import pause, resume
from labs.engine.faults.read_only import read_only
from labs.engine.faults.record import FaultLog
from labs.engine.faults.roles import (
    controller,
    coordinator,
    dead,
    failed,
    followers,
    leader,
    one_follower,
    paused,
    terminated,
)
from labs.engine.faults.terminate import terminate
from labs.engine.faults.throttle import release, throttle
from labs.engine.protocol import hanging
from labs.engine.workloads import group
from tests.engine.rigs import rig

pytestmark = pytest.mark.cluster
MESSAGES = 500


def send(producer: Producer, topic: str, count: int) -> int:
    """Sends messages and returns how many were acknowledged within 60 s."""
    errors: list[object] = []
    for value in range(count):
        producer.produce(topic, str(value), on_delivery=lambda error, _: errors.append(error))
    producer.flush(60)
    return sum(error is None for error in errors)  # a KafkaError cannot be compared with None


def commit_succeeds(consumer: Consumer, place: TopicPartition) -> bool:
    """Whether the commit succeeded; a new coordinator refuses it until it has read its log."""
    try:
        return bool(consumer.commit(offsets=[place], asynchronous=False))
    except KafkaException as temporary:
        if temporary.args[0].code() != KafkaError.NOT_COORDINATOR:
            raise
        return False


def log_end(cluster: Cluster, topic: str) -> int:
    """The log end that the leader reports, once it has caught up after its election."""
    consumer = Consumer({"bootstrap.servers": cluster.bootstrap, "group.id": "reader"})
    ends: list[int] = []

    def is_known() -> bool:
        try:
            ends.append(consumer.get_watermark_offsets(TopicPartition(topic, 0), timeout=5)[1])
        except KafkaException as temporary:
            if temporary.args[0].code() != KafkaError.OFFSET_NOT_AVAILABLE:
                raise
        return bool(ends)

    until(is_known, 60, "the new leader does not tell its log end")
    consumer.close()
    return ends[0]


def test_killing_the_leader_while_followers_are_behind_loses_messages(cluster):
    cluster.create_topic("orders")
    log = FaultLog()
    (state,) = cluster.describe("orders")
    first = cluster.brokers[state.leader]
    producer = Producer({"bootstrap.servers": cluster.bootstrap, "acks": 1, "log_level": 0})
    assert send(producer, "orders", 1) == 1

    pause(rig(cluster, log), followers("orders"))
    # Each follower has a fetch waiting at the leader, which answers it with the next record.
    assert send(producer, "orders", 1) == 1
    assert send(producer, "orders", MESSAGES) == MESSAGES
    kill(rig(cluster, log), leader("orders"))
    resume(rig(cluster, log), paused())
    assert log.proved, log.rows
    restart(rig(cluster, log), dead())
    cluster.wait_in_sync("orders", 1, 3, limit_s=60)

    (after,) = cluster.describe("orders")
    assert after.leader_epoch > state.leader_epoch
    assert after.leader != first.id
    assert log_end(cluster, "orders") <= 2
    assert {row.phase for row in log.rows} == {"invoke", "complete"}
    completed = [(row.fault, row.target) for row in log.rows if row.phase == "complete"]
    others = sorted({1, 2, 3} - {first.id})
    assert completed == [
        *(("pause", f"follower: broker {id_}") for id_ in others),
        ("kill", f"leader: broker {first.id}"),
        *(("resume", f"paused: broker {id_}") for id_ in others),
        ("restart", f"dead: broker {first.id}"),
    ]


def test_a_leader_that_is_dead_already_cannot_be_killed(cluster):
    cluster.create_topic("gone")
    (state,) = cluster.describe("gone")
    for broker in cluster.brokers.values():
        if broker.id != state.leader:
            broker.pause()
    old = cluster.brokers[state.leader]
    old.kill()
    until(lambda: old.state == "dead", 60, "the leader lives")
    (row,) = kill(rig(cluster, log := FaultLog()), leader("gone"))
    assert row.phase == "failed"
    assert not log.proved


def test_a_commit_that_the_coordinator_reports_late_is_recorded(cluster, tmp_path, monkeypatch):
    cluster.create_topic("later")
    servers, asked, committed = cluster.bootstrap, Event(), group.committed_positions

    def committed_positions(bootstrap: str, topic: str) -> dict[int, int]:
        positions = committed(bootstrap, topic)
        asked.set()
        return positions

    monkeypatch.setattr(group, "committed_positions", committed_positions)
    consumer = Consumer({"bootstrap.servers": servers, "group.id": group.GROUP})
    with ThreadPoolExecutor() as pool:
        written = pool.submit(group.write_committed, servers, "later", tmp_path, "consumer-1")
        assert asked.wait(60), "the coordinator was not asked"
        until(
            lambda: commit_succeeds(consumer, TopicPartition("later", 0, 7)),
            60,
            "no commit was taken",
        )
        written.result(60)
    consumer.close()
    (row,) = parquet.read_table(tmp_path / "commits.parquet").to_pylist()
    assert (row["consumer"], row["offset"], row["outcome"]) == ("consumer-1", 7, "ok")


def test_faults_by_the_admin_client(cluster):
    cluster.create_topic("kept")
    log, bootstrap = FaultLog(), cluster.bootstrap
    target = rig(cluster, log)
    producer = Producer({"bootstrap.servers": bootstrap, "log_level": 0})
    assert send(producer, "kept", 10) == 10
    consumer = Consumer(
        {"bootstrap.servers": bootstrap, "group.id": "app", "enable.auto.commit": False}
    )
    place = TopicPartition("kept", 0, 7)
    assert group.committed_positions(bootstrap, "kept") == {}, "the coordinator is new"
    until(lambda: commit_succeeds(consumer, place), 60, "no coordinator took the commit")
    assert group.committed_positions(bootstrap, "kept") == {0: 7}

    deleted = admin_faults.delete(target, "kept", {0: 4})[0]
    assert deleted.evidence == "partition 0 starts at 4 now"
    assert consumer.get_watermark_offsets(place, timeout=60) == (4, 10)

    assert admin_faults.forget_group(target, "app")[0].phase == "complete"
    assert consumer.committed([place], timeout=60)[0].offset < 0

    assert admin_faults.widen(target, "kept")[0].evidence == "kept has 2 partitions"
    assert len(cluster.describe("kept")) == 2
    created = admin_faults.create(target, "newer")[0].evidence
    assert created == "newer has 1 copy, the cluster's default.replication.factor"
    text = "retention.ms and retention.bytes of kept are -1 now"
    assert admin_faults.disable_retention(target, "kept")[0].evidence == text
    until(lambda: not admin_faults.disable_retention(target, "kept"), 30, "it is set again")

    refused = admin_faults.refuse(target, "kept")[0].evidence
    assert refused == "max.message.bytes of kept is 0 now"
    until(lambda: send(producer, "kept", 1) == 0, 30, "the topic still takes records")
    assert admin_faults.accept(target, "kept")[0].phase == "complete"
    until(lambda: send(producer, "kept", 1) == 1, 30, "the topic still refuses records")
    consumer.close()
    assert log.proved
    assert admin_faults.delete(target, "kept", {})[0].phase == "failed", "no offsets are given"


def test_a_throttle_keeps_a_follower_out_of_sync_until_it_is_released(cluster):
    cluster.create_topic("narrow")
    log, bootstrap = FaultLog(), cluster.bootstrap
    producer = Producer({"bootstrap.servers": bootstrap, "log_level": 0})
    assert throttle(rig(cluster, log), "narrow", 1)[0].evidence == (
        "leader.replication.throttled.rate=1 on brokers 1, 2, 3, for all replicas of narrow"
    )
    assert send(producer, "narrow", MESSAGES) == MESSAGES
    (row,) = terminate(rig(cluster, log), one_follower("narrow"))
    cluster.wait_in_sync("narrow", 1, 2, limit_s=60)
    assert send(producer, "narrow", MESSAGES) == MESSAGES
    (restarted,) = restart(rig(cluster, log), terminated())
    assert restarted.phase == "complete"
    cluster.wait_ready(60)
    # With acks=all the send may wait for the restarted follower; with acks=1 it does not.
    acks_one = Producer({"bootstrap.servers": bootstrap, "log_level": 0, "acks": 1})
    assert send(acks_one, "narrow", MESSAGES) == MESSAGES
    (state,) = cluster.describe("narrow")
    assert f"follower: broker {({1, 2, 3} - {*state.isr}).pop()}" == row.target
    assert release(rig(cluster, log), "narrow")[0].phase == "complete"
    cluster.wait_in_sync("narrow", 1, 3, limit_s=60)
    assert log.proved


def test_a_broker_without_a_disk_exits_and_another_becomes_controller(cluster):
    cluster.create_topic("kept-well")
    log = FaultLog()
    first = cluster.active_controller()
    (row,) = read_only(rig(cluster, log), controller())
    assert (row.target, row.phase) == (f"controller: broker {first}", "complete")
    assert [broker.broker.id for broker in failed().targets(cluster)] == [first]
    until(lambda: cluster.active_controller() not in (None, first), 60, "nobody follows it")
    (restarted,) = restart(rig(cluster, log), dead())
    assert restarted.phase == "complete"
    cluster.wait_in_sync("kept-well", 1, 3, limit_s=60)
    assert log.proved


def test_padded_values_are_sent_and_a_group_has_a_coordinator(cluster, tmp_path):
    cluster.create_topic("long")
    client = {"bootstrap.servers": cluster.bootstrap, "log_level": 0}
    config = ProducerConfig(str(tmp_path), "producer-1", "long", 500, client, value_bytes=500)
    sender = ClientProcess("producer", config, tmp_path, tmp_path)
    reader = Consumer({**client, "group.id": "readers", "auto.offset.reset": "earliest"})
    reader.subscribe(["long"])
    results: list[bytes] = []

    def has_five() -> bool:
        results.extend(
            message.value() or b"" for message in reader.consume(5, 1) if not message.error()
        )
        return len(results) >= 5

    until(has_five, 60, "nothing was read")
    assert [len(value) for value in results[:5]] == [500] * 5
    assert [int(value) for value in results[:5]] == [0, 1, 2, 3, 4]
    (target,) = coordinator("readers").targets(cluster)
    assert target.broker.id in cluster.brokers
    reader.close()
    sender.kill()


def test_only_the_hanging_transaction_is_aborted(cluster):
    cluster.create_topic("hanging")
    port = cluster.brokers[cluster.describe("hanging")[0].leader].port

    def begin(name: str) -> Producer:
        producer = Producer({"bootstrap.servers": cluster.bootstrap, "transactional.id": name})
        producer.init_transactions(60)
        producer.begin_transaction()
        assert send(producer, "hanging", 5) == 5
        return producer

    hanging_producer = begin("silent")
    (first,) = hanging.open_transactions(port, "hanging", 0, 10)
    until(lambda: time.time() * 1000 - first.wrote_ms > 2000, 60, "time stands still")
    active = begin("at-work")
    (row,) = abort_hanging(rig(cluster, log := FaultLog()), "hanging")
    assert row.phase == "complete", row.evidence
    assert row.evidence.endswith("open since offset 0 of partition 0")
    assert [
        transaction.start for transaction in hanging.open_transactions(port, "hanging", 0, 10)
    ] == [5]
    active.commit_transaction(60)
    assert abort_hanging(rig(cluster, log), "hanging")[0].evidence == "no transaction hangs"
    assert not log.proved, "a heal is no fault"
    del hanging_producer


def test_no_leader_is_elected_while_the_only_replica_is_down(cluster):
    cluster.create_topic("alone", replication_factor=1)
    log = FaultLog()
    assert admin_faults.elect(rig(cluster, log), "alone", 20)[0].phase == "complete"
    kill(rig(cluster, log), leader("alone"))
    until(lambda: not cluster.describe("alone")[0].leader, 60, "the dead broker leads")
    row = admin_faults.elect(rig(cluster, log), "alone", 2)[0]
    assert row.phase == "failed"
    assert "a partition of alone has no leader" in row.evidence
    restart(rig(cluster, log), dead())
    assert admin_faults.elect(rig(cluster, log), "alone", 60)[0].phase == "complete"
