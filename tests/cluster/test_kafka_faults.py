"""The recipe of the first scenario on real brokers: every step proved, in the ledger's words."""

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
from labs.engine.faults import admin as by_hand
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
    """Sends messages; how many were acknowledged within 60 s."""
    errors: list[object] = []
    for value in range(count):
        producer.produce(topic, str(value), on_delivery=lambda error, _: errors.append(error))
    producer.flush(60)
    return sum(error is None for error in errors)  # a KafkaError cannot be compared with None


def commits(consumer: Consumer, place: TopicPartition) -> bool:
    """Whether it can; a new coordinator says that it is none until it has read what it keeps."""
    try:
        return bool(consumer.commit(offsets=[place], asynchronous=False))
    except KafkaException as passing:
        if passing.args[0].code() != KafkaError.NOT_COORDINATOR:
            raise
        return False


def end_of(cluster: Cluster, topic: str) -> int:
    """The log end that the partition's leader tells, once it has caught up after its election."""
    consumer = Consumer({"bootstrap.servers": cluster.bootstrap, "group.id": "reader"})
    ends: list[int] = []

    def is_known() -> bool:
        try:
            ends.append(consumer.get_watermark_offsets(TopicPartition(topic, 0), timeout=5)[1])
        except KafkaException as passing:
            if passing.args[0].code() != KafkaError.OFFSET_NOT_AVAILABLE:
                raise
        return bool(ends)

    until(is_known, 60, "the new leader does not tell its log end")
    consumer.close()
    return ends[0]


def test_followers_behind_and_a_killed_leader_lose_what_was_acknowledged(cluster):
    cluster.create_topic("orders")
    log = FaultLog()
    (state,) = cluster.describe("orders")
    first = cluster.brokers[state.leader]
    producer = Producer({"bootstrap.servers": cluster.bootstrap, "acks": 1, "log_level": 0})
    assert send(producer, "orders", 1) == 1

    pause(rig(cluster, log), followers("orders"))
    # Each follower has a fetch waiting at the leader, which is answered with what comes next.
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
    assert end_of(cluster, "orders") <= 2
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


def test_a_commit_that_the_coordinator_names_later_is_written(cluster, tmp_path, monkeypatch):
    cluster.create_topic("later")
    at, asked, ask = cluster.bootstrap, Event(), group.committed_positions

    def committed_positions(bootstrap: str, topic: str) -> dict[int, int]:
        named = ask(bootstrap, topic)
        asked.set()
        return named

    monkeypatch.setattr(group, "committed_positions", committed_positions)
    consumer = Consumer({"bootstrap.servers": at, "group.id": group.GROUP})
    with ThreadPoolExecutor() as pool:
        written = pool.submit(group.write_committed, at, "later", tmp_path, "consumer-1")
        assert asked.wait(60), "the coordinator was not asked"
        until(lambda: commits(consumer, TopicPartition("later", 0, 7)), 60, "no commit was taken")
        written.result(60)
    consumer.close()
    (row,) = parquet.read_table(tmp_path / "commits.parquet").to_pylist()
    assert (row["consumer"], row["offset"], row["outcome"]) == ("consumer-1", 7, "ok")


def test_records_positions_and_a_partition_by_the_admin_client(cluster):
    cluster.create_topic("kept")
    log, at = FaultLog(), cluster.bootstrap
    producer = Producer({"bootstrap.servers": at, "log_level": 0})
    assert send(producer, "kept", 10) == 10
    consumer = Consumer({"bootstrap.servers": at, "group.id": "app", "enable.auto.commit": False})
    place = TopicPartition("kept", 0, 7)
    assert group.committed_positions(at, "kept") == {}, "of a coordinator that has just begun"
    until(lambda: commits(consumer, place), 60, "no coordinator took the commit")
    assert group.committed_positions(at, "kept") == {0: 7}

    deleted = by_hand.delete(rig(cluster, log), "kept", {0: 4})[0]
    assert deleted.evidence == "partition 0 starts at 4 now"
    assert consumer.get_watermark_offsets(place, timeout=60) == (4, 10)

    assert by_hand.forget_group(rig(cluster, log), "app")[0].phase == "complete"
    assert consumer.committed([place], timeout=60)[0].offset < 0

    assert by_hand.widen(rig(cluster, log), "kept")[0].evidence == "kept has 2 partitions"
    assert len(cluster.describe("kept")) == 2
    made = by_hand.create(rig(cluster, log), "newer")[0].evidence
    assert made == "newer has 1 copy, the cluster's default.replication.factor"
    text = "retention.ms and retention.bytes of kept are -1 now"
    assert by_hand.disable_retention(rig(cluster, log), "kept")[0].evidence == text
    until(
        lambda: not by_hand.disable_retention(rig(cluster, log), "kept"), 30, "it is not left alone"
    )

    assert (
        by_hand.refuse(rig(cluster, log), "kept")[0].evidence
        == "max.message.bytes of kept is 0 now"
    )
    until(lambda: send(producer, "kept", 1) == 0, 30, "the topic still takes records")
    assert by_hand.accept(rig(cluster, log), "kept")[0].phase == "complete"
    until(lambda: send(producer, "kept", 1) == 1, 30, "the topic still refuses records")
    consumer.close()
    assert log.proved
    assert by_hand.delete(rig(cluster, log), "kept", {})[0].phase == "failed", "nobody said how far"


def test_a_throttle_keeps_a_follower_out_until_it_is_released(cluster):
    cluster.create_topic("narrow")
    log, at = FaultLog(), cluster.bootstrap
    producer = Producer({"bootstrap.servers": at, "log_level": 0})
    assert throttle(rig(cluster, log), "narrow", 1)[0].evidence == (
        "leader.replication.throttled.rate=1 on brokers 1, 2, 3, for all replicas of narrow"
    )
    assert send(producer, "narrow", MESSAGES) == MESSAGES
    (row,) = terminate(rig(cluster, log), one_follower("narrow"))
    cluster.wait_in_sync("narrow", 1, 2, limit_s=60)
    assert send(producer, "narrow", MESSAGES) == MESSAGES
    (back,) = restart(rig(cluster, log), terminated())
    assert back.phase == "complete"
    cluster.wait_ready(60)
    # The high watermark may wait for one that has just come back; the leader alone does not.
    alone = Producer({"bootstrap.servers": at, "log_level": 0, "acks": 1})
    assert send(alone, "narrow", MESSAGES) == MESSAGES
    (state,) = cluster.describe("narrow")
    assert f"follower: broker {({1, 2, 3} - {*state.isr}).pop()}" == row.target
    assert release(rig(cluster, log), "narrow")[0].phase == "complete"
    cluster.wait_in_sync("narrow", 1, 3, limit_s=60)
    assert log.proved


def test_a_broker_without_a_disk_ends_itself_and_another_controls_the_cluster(cluster):
    cluster.create_topic("kept-well")
    log = FaultLog()
    first = cluster.active_controller()
    (row,) = read_only(rig(cluster, log), controller())
    assert (row.target, row.phase) == (f"controller: broker {first}", "complete")
    assert [broker.broker.id for broker in failed().targets(cluster)] == [first]
    until(lambda: cluster.active_controller() not in (None, first), 60, "nobody follows it")
    (back,) = restart(rig(cluster, log), dead())
    assert back.phase == "complete"
    cluster.wait_in_sync("kept-well", 1, 3, limit_s=60)
    assert log.proved


def test_longer_values_are_so_on_the_wire_and_a_group_has_a_coordinator(cluster, tmp_path):
    cluster.create_topic("long")
    client = {"bootstrap.servers": cluster.bootstrap, "log_level": 0}
    config = ProducerConfig(str(tmp_path), "producer-1", "long", 500, client, value_bytes=500)
    sender = ClientProcess("producer", config, tmp_path, tmp_path)
    reader = Consumer({**client, "group.id": "readers", "auto.offset.reset": "earliest"})
    reader.subscribe(["long"])
    results: list[bytes] = []

    def five() -> bool:
        results.extend(
            message.value() or b"" for message in reader.consume(5, 1) if not message.error()
        )
        return len(results) >= 5

    until(five, 60, "nothing was read")
    assert [len(value) for value in results[:5]] == [500] * 5
    assert [int(value) for value in results[:5]] == [0, 1, 2, 3, 4]
    (target,) = coordinator("readers").targets(cluster)
    assert target.broker.id in cluster.brokers
    reader.close()
    sender.kill()


def test_a_transaction_that_nobody_goes_on_with_is_aborted_and_no_other(cluster):
    cluster.create_topic("hanging")
    port = cluster.brokers[cluster.describe("hanging")[0].leader].port

    def begin(name: str) -> Producer:
        producer = Producer({"bootstrap.servers": cluster.bootstrap, "transactional.id": name})
        producer.init_transactions(60)
        producer.begin_transaction()
        assert send(producer, "hanging", 5) == 5
        return producer

    silent = begin("silent")
    (first,) = hanging.open_transactions(port, "hanging", 0, 10)
    until(lambda: time.time() * 1000 - first.wrote_ms > 2000, 60, "time stands still")
    at_work = begin("at-work")
    (row,) = abort_hanging(rig(cluster, log := FaultLog()), "hanging")
    assert row.phase == "complete", row.evidence
    assert row.evidence.endswith("open since offset 0 of partition 0")
    assert [
        transaction.start for transaction in hanging.open_transactions(port, "hanging", 0, 10)
    ] == [5]
    at_work.commit_transaction(60)
    assert abort_hanging(rig(cluster, log), "hanging")[0].evidence == "no transaction hangs"
    assert not log.proved, "a heal is no fault"
    del silent


def test_nobody_is_elected_while_the_only_replica_is_away(cluster):
    cluster.create_topic("alone", replication_factor=1)
    log = FaultLog()
    assert by_hand.elect(rig(cluster, log), "alone", 20)[0].phase == "complete"
    kill(rig(cluster, log), leader("alone"))
    until(lambda: not cluster.describe("alone")[0].leader, 60, "the dead broker leads")
    row = by_hand.elect(rig(cluster, log), "alone", 2)[0]
    assert row.phase == "failed"
    assert "a partition of alone has no leader" in row.evidence
    restart(rig(cluster, log), dead())
    assert by_hand.elect(rig(cluster, log), "alone", 60)[0].phase == "complete"
