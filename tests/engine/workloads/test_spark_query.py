"""The checkpoint and the configuration of a Spark query. Spark itself is not started."""

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
from tests.engine.rigs import client_rig

BATCH_METADATA = '{"batchWatermarkMs":0,"batchTimestampMs":1,"conf":{}}'


def clients(folder: Path, **stated: Any) -> SparkQuery:
    settings = arm("described", **SPARK | stated).settings
    return SparkQuery(
        ArmContext(
            settings, "127.0.0.1:1", TOPIC, 500, folder, folder, folder, folder, SHORT_FETCH_WAIT
        )
    )


def plan_batch(folder: Path, batch: int, ends: str) -> None:
    (folder / "offsets").mkdir(exist_ok=True)
    (folder / "offsets" / str(batch)).write_text(
        f'v1\n{BATCH_METADATA}\n{{"orders":{ends}}}', "utf-8"
    )


def complete_batch(folder: Path, batch: int) -> None:
    (folder / "commits").mkdir(exist_ok=True)
    (folder / "commits" / str(batch)).write_text('v1\n{"nextBatchWatermarkMs":0}', "utf-8")


def test_only_a_completed_batch_moves_the_committed_offsets(tmp_path: Path) -> None:
    assert checkpoint.committed_offsets(tmp_path, TOPIC) == {}
    plan_batch(tmp_path, 9, '{"0":10,"1":12}')
    assert checkpoint.committed_offsets(tmp_path, TOPIC) == {}, "planned, and not done"
    complete_batch(tmp_path, 9)
    plan_batch(tmp_path, 10, '{"0":20,"1":22}')
    (tmp_path / "commits" / ".10.2c3.tmp").touch()
    assert checkpoint.committed_offsets(tmp_path, TOPIC) == {0: 10, 1: 12}
    complete_batch(tmp_path, 10)
    assert checkpoint.committed_offsets(tmp_path, TOPIC) == {0: 20, 1: 22}


def test_a_query_has_offsets_when_its_start_is_in_the_checkpoint(tmp_path: Path) -> None:
    (tmp_path / "sources" / "0").mkdir(parents=True)
    assert not checkpoint.has_offsets(tmp_path)
    (tmp_path / "sources" / "0" / "0").touch()
    assert checkpoint.has_offsets(tmp_path)


def test_the_source_has_the_described_settings_as_options(tmp_path: Path) -> None:
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


def test_a_query_with_one_batch_per_second_has_more_time_to_drain(tmp_path: Path) -> None:
    usual = clients(tmp_path)
    by_the_second = SparkQueryByTheSecond(usual.arm).consumer_config()
    assert (by_the_second.trigger_ms, by_the_second.drain_limit_s) == (1000, 120.0)
    assert (usual.consumer_config().trigger_ms, usual.consumer_config().drain_limit_s) == (200, 15)


def test_the_sink_has_the_described_producer_settings_as_options(tmp_path: Path) -> None:
    stated: dict[str, Any] = SPARK | {"producer__acks": "1", "producer__linger_ms": 5}
    settings = arm("described", **stated).settings
    context = ArmContext(
        settings, "127.0.0.1:1", TOPIC, 500, tmp_path, tmp_path, tmp_path, tmp_path
    )
    config = SparkSink(context).producer_config()
    assert config.rows == 500
    assert {**config.options, "topic": "orders", "kafka.acks": "1", "kafka.linger.ms": "5"} == (
        config.options
    )
    assert "subscribe" not in config.options


@pytest.mark.parametrize("is_stated", [True, False, None])
def test_a_query_on_workers_speculates_only_if_the_team_states_it(
    tmp_path: Path, is_stated: bool | None
) -> None:
    stated: dict[str, Any] = {} if is_stated is None else {"application__speculation": is_stated}
    settings = arm("described", **SPARK | stated).settings
    context = ArmContext(
        settings, "127.0.0.1:1", TOPIC, 200, tmp_path, tmp_path, tmp_path, tmp_path
    )
    clients = SparkSinkOnWorkers(context)
    config = clients.producer_config()
    assert config.conf == {"spark.speculation": "true" if is_stated else "false"}
    assert len(set(config.workers)) == 2
    assert (config.tasks, config.rows // config.tasks * config.row_ms) == (10, 400)
    assert "2 executors of one core" in " ".join(clients.differences)
    slow = SparkSinkOnWorkers(replace(context, rate_per_s=10)).producer_config()
    assert (slow.rows, slow.row_ms) == (20, 200)
    plain = SparkSink(context).producer_config()
    assert (plain.workers, plain.tasks, plain.row_ms, plain.conf) == ((), 1, 0, {})


def test_the_planned_rows_are_those_of_the_last_planned_batch(tmp_path: Path) -> None:
    assert checkpoint.planned_rows(tmp_path) == 0
    for batch, rows in ((9, 500), (10, 1000)):
        (tmp_path / "offsets").mkdir(exist_ok=True)
        text = f'v1\n{BATCH_METADATA}\n{{"offset":{rows},"timestamp":0}}'
        (tmp_path / "offsets" / str(batch)).write_text(text, "utf-8")
    assert checkpoint.planned_rows(tmp_path) == 1000


def test_a_successor_uses_the_checkpoint_of_its_predecessor(tmp_path: Path) -> None:
    query = clients(tmp_path)
    assert query.consumer_config().checkpoint == clients(tmp_path).consumer_config().checkpoint
    checkpoint_folder = Path(query.consumer_config().checkpoint)
    checkpoint_folder.mkdir()
    plan_batch(checkpoint_folder, 0, '{"0":7}')
    complete_batch(checkpoint_folder, 0)
    assert query.committed_positions() == {0: 7}


@pytest.mark.parametrize(("trigger", "is_noted"), [("micro-batch", False), ("continuous", True)])
def test_a_continuous_query_has_a_note_that_it_runs_micro_batches(
    tmp_path: Path, trigger: str, is_noted: bool
) -> None:
    text = " ".join(clients(tmp_path, application__trigger=trigger).differences)
    assert ("has micro-batches" in text) == is_noted
    assert "filled by librdkafka" in text
    assert "startingOffsets" not in text


def test_losing_a_checkpoint_deletes_it_and_fails_if_there_is_none(
    tmp_path: Path,
) -> None:
    folder, log = tmp_path / "checkpoint", FaultLog()
    folder.mkdir()
    plan_batch(folder, 0, '{"0":7}')
    complete_batch(folder, 0)
    query = client_rig(None, log, checkpoint=folder)
    (row,) = lose_checkpoint(query)
    assert (row.fault, row.target, row.phase) == ("wipe", "checkpoint", "complete")
    assert "it had 1 finished batches" in row.evidence
    assert not folder.exists()
    assert lose_checkpoint(query)[0].phase == "failed"


@pytest.mark.parametrize(
    ("location", "can_be_lost"), [("durable", False), ("local", True), (None, True)]
)
def test_only_a_durable_checkpoint_cannot_be_lost(
    tmp_path: Path, location: str | None, can_be_lost: bool
) -> None:
    stated = {} if location is None else {"application__checkpoint": location}
    assert (clients(tmp_path, **stated).checkpoint is not None) == can_be_lost


def test_a_pause_is_requested_until_resume() -> None:
    control = Control()
    assert not control.pause_requested.is_set()
    control.handle("pause")
    assert control.pause_requested.is_set()
    control.handle("resume")
    assert not control.pause_requested.is_set()


def test_a_failure_is_requested_once() -> None:
    control = Control()
    assert not control.failure_requested()
    control.handle("fail")
    assert control.failure_requested()
    assert not control.failure_requested()
