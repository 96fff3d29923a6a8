"""A Spark query as its owner sees it: its checkpoint, and what it is told. No Spark is started."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from labs.calibration.cases import SPARK
from labs.engine.clients import checkpoint
from labs.engine.clients.control import Control
from labs.engine.faults.clients import lose_checkpoint
from labs.engine.faults.record import FaultLog
from labs.engine.scenarios.model import TOPIC
from labs.engine.scenarios.steps import SHORT_FETCH_WAIT
from labs.engine.workloads import ArmContext
from labs.engine.workloads.spark import (
    SparkQuery,
    SparkQueryByTheSecond,
    SparkSink,
    SparkSinkOnWorkers,
)
from tests.engine.arms import arm
from tests.engine.rigs import alone

WORDS = '{"batchWatermarkMs":0,"batchTimestampMs":1,"conf":{}}'


def clients(folder: Path, **stated: Any) -> SparkQuery:
    settings = arm("described", **SPARK | stated).settings
    return SparkQuery(
        ArmContext(
            settings, "127.0.0.1:1", TOPIC, 500, folder, folder, folder, folder, SHORT_FETCH_WAIT
        )
    )


def plan(folder: Path, batch: int, ends: str) -> None:
    (folder / "offsets").mkdir(exist_ok=True)
    (folder / "offsets" / str(batch)).write_text(f'v1\n{WORDS}\n{{"orders":{ends}}}', "utf-8")


def done(folder: Path, batch: int) -> None:
    (folder / "commits").mkdir(exist_ok=True)
    (folder / "commits" / str(batch)).write_text('v1\n{"nextBatchWatermarkMs":0}', "utf-8")


def test_only_a_batch_that_is_done_moves_the_query(tmp_path: Path) -> None:
    assert checkpoint.committed_offsets(tmp_path, TOPIC) == {}
    plan(tmp_path, 9, '{"0":10,"1":12}')
    assert checkpoint.committed_offsets(tmp_path, TOPIC) == {}, "planned, and not done"
    done(tmp_path, 9)
    plan(tmp_path, 10, '{"0":20,"1":22}')
    (tmp_path / "commits" / ".10.2c3.tmp").touch()
    assert checkpoint.committed_offsets(tmp_path, TOPIC) == {0: 10, 1: 12}
    done(tmp_path, 10)
    assert checkpoint.committed_offsets(tmp_path, TOPIC) == {0: 20, 1: 22}


def test_a_query_has_begun_when_its_start_is_written_down(tmp_path: Path) -> None:
    (tmp_path / "sources" / "0").mkdir(parents=True)
    assert not checkpoint.has_offsets(tmp_path)
    (tmp_path / "sources" / "0" / "0").touch()
    assert checkpoint.has_offsets(tmp_path)


def test_the_source_is_told_what_is_described_in_its_own_words(tmp_path: Path) -> None:
    config = clients(
        tmp_path, consumer__failOnDataLoss=False, consumer__group_id="orders",
        consumer__minPartitions=4,
    ).consumer_config()  # fmt: skip
    assert config.options == {
        "subscribe": "orders", "kafka.bootstrap.servers": "127.0.0.1:1",
        "startingOffsets": "earliest", "failOnDataLoss": "false", "minPartitions": "4",
        "kafka.group.id": "orders", "kafka.isolation.level": "read_uncommitted",
        "kafka.fetch.max.wait.ms": "10", "kafka.reconnect.backoff.ms": "50",
        "kafka.reconnect.backoff.max.ms": "500", "kafka.connections.max.idle.ms": "540000",
        "kafka.fetch.min.bytes": "1", "kafka.request.timeout.ms": "30000",
        "kafkaConsumer.pollTimeoutMs": "120000", "maxTriggerDelay": "15m",
    }  # fmt: skip
    assert config.sink == str(tmp_path / "sink.sqlite")


def test_by_the_second_a_query_has_batches_of_a_second_and_time_for_its_lag(tmp_path: Path) -> None:
    usual = clients(tmp_path)
    slow = SparkQueryByTheSecond(usual.arm).consumer_config()
    assert (slow.trigger_ms, slow.drain_limit_s) == (1000, 120.0)
    assert (usual.consumer_config().trigger_ms, usual.consumer_config().drain_limit_s) == (200, 15)


def test_the_sink_is_told_what_is_described_of_the_producer(tmp_path: Path) -> None:
    stated: dict[str, Any] = SPARK | {"producer__acks": "1", "producer__linger_ms": 5}
    settings = arm("described", **stated).settings
    place = ArmContext(settings, "127.0.0.1:1", TOPIC, 500, tmp_path, tmp_path, tmp_path, tmp_path)
    config = SparkSink(place).producer_config()
    assert config.rows == 500
    assert {**config.options, "topic": "orders", "kafka.acks": "1", "kafka.linger.ms": "5"} == (
        config.options
    )
    assert "subscribe" not in config.options


@pytest.mark.parametrize("is_stated", [True, False, None])
def test_on_workers_a_query_speculates_if_the_team_says_so_and_differs_in_nothing_else(
    tmp_path: Path, is_stated: bool | None
) -> None:
    stated: dict[str, Any] = {} if is_stated is None else {"application__speculation": is_stated}
    settings = arm("described", **SPARK | stated).settings
    place = ArmContext(settings, "127.0.0.1:1", TOPIC, 200, tmp_path, tmp_path, tmp_path, tmp_path)
    clients = SparkSinkOnWorkers(place)
    config = clients.producer_config()
    assert config.conf == {"spark.speculation": "true" if is_stated else "false"}
    assert len(set(config.workers)) == 2
    assert (config.tasks, config.rows // config.tasks * config.row_ms) == (10, 400)
    assert "2 executors of one core" in " ".join(clients.differences)
    slow = SparkSinkOnWorkers(replace(place, rate_per_s=10)).producer_config()
    assert (slow.rows, slow.row_ms) == (20, 200)
    plain = SparkSink(place).producer_config()
    assert (plain.workers, plain.tasks, plain.row_ms, plain.conf) == ((), 1, 0, {})


def test_rows_are_planned_before_they_are_sent(tmp_path: Path) -> None:
    assert checkpoint.planned_rows(tmp_path) == 0
    for batch, rows in ((9, 500), (10, 1000)):
        (tmp_path / "offsets").mkdir(exist_ok=True)
        text = f'v1\n{WORDS}\n{{"offset":{rows},"timestamp":0}}'
        (tmp_path / "offsets" / str(batch)).write_text(text, "utf-8")
    assert checkpoint.planned_rows(tmp_path) == 1000


def test_a_successor_goes_on_with_the_checkpoint_of_the_one_before(tmp_path: Path) -> None:
    one = clients(tmp_path)
    assert one.consumer_config().checkpoint == clients(tmp_path).consumer_config().checkpoint
    checkpoint_of = Path(one.consumer_config().checkpoint)
    checkpoint_of.mkdir()
    plan(checkpoint_of, 0, '{"0":7}')
    done(checkpoint_of, 0)
    assert one.committed_positions() == {0: 7}


@pytest.mark.parametrize(("trigger", "is_stated"), [("micro-batch", False), ("continuous", True)])
def test_a_query_that_would_have_no_batches_says_that_it_has(
    tmp_path: Path, trigger: str, is_stated: bool
) -> None:
    text = " ".join(clients(tmp_path, application__trigger=trigger).differences)
    assert ("has micro-batches" in text) == is_stated
    assert "filled by librdkafka" in text
    assert "startingOffsets" not in text


def test_a_checkpoint_that_is_lost_is_gone_and_one_that_was_never_there_is_a_failed_fault(
    tmp_path: Path,
) -> None:
    folder, log = tmp_path / "checkpoint", FaultLog()
    folder.mkdir()
    plan(folder, 0, '{"0":7}')
    done(folder, 0)
    query = alone(None, log, checkpoint=folder)
    (row,) = lose_checkpoint(query)
    assert (row.fault, row.target, row.phase) == ("wipe", "checkpoint", "complete")
    assert "it had 1 finished batches" in row.evidence
    assert not folder.exists()
    assert lose_checkpoint(query)[0].phase == "failed"


@pytest.mark.parametrize(("place", "lost"), [("durable", False), ("local", True), (None, True)])
def test_only_a_checkpoint_that_outlives_every_machine_cannot_be_lost(
    tmp_path: Path, place: str | None, lost: bool
) -> None:
    stated = {} if place is None else {"application__checkpoint": place}
    assert (clients(tmp_path, **stated).checkpoint is not None) == lost


def test_an_executor_stands_still_from_one_word_to_the_other() -> None:
    control = Control()
    assert not control.pause_requested.is_set()
    control.handle("pause")
    assert control.pause_requested.is_set()
    control.handle("resume")
    assert not control.pause_requested.is_set()


def test_the_wish_to_fail_is_heard_once() -> None:
    control = Control()
    assert not control.failure_requested()
    control.handle("fail")
    assert control.failure_requested()
    assert not control.failure_requested()
