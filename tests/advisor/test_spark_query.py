"""The trigger and checkpoint of a Spark query: how they are read, and their effects."""

from __future__ import annotations

import pytest

from advisor.catalog import Component, Family
from advisor.intake import Product, read
from advisor.reasoning.guarantees import Anomaly
from advisor.reasoning.levers import ALL
from advisor.reasoning.wish import breaking
from tests.advisor.pipelines import assessed, described, permits

SPARK = Product(Family.SPARK, "4.2", "4.3")
SOURCE = '(spark.readStream.format("kafka").option("subscribe", "a").load()\n.writeStream'
TRIGGER, CHECKPOINT = "application.trigger", "application.checkpoint"


@pytest.mark.parametrize(("code", "stated"), [
    ('.trigger(continuous="1 second")', {TRIGGER: "continuous"}),
    ('.trigger(Trigger.Continuous("1 second"))', {TRIGGER: "continuous"}),
    ('.trigger( realTime="5 minutes" )', {TRIGGER: "real-time"}),
    ('.trigger(Trigger.RealTime("5 minutes"))', {TRIGGER: "real-time"}),
    ('.trigger(processingTime="1 second")', {}),
    (".trigger(Trigger.AvailableNow())", {}),
    ('# .trigger(continuous="1 second")', {}),
    ('.option("asyncProgressTrackingEnabled", "true")', {TRIGGER: "async-progress"}),
    ('.option("ASYNCPROGRESSTRACKINGENABLED", true)', {TRIGGER: "async-progress"}),
    (".options(asyncProgressTrackingEnabled=True)", {TRIGGER: "async-progress"}),
    ('.option("asyncProgressTrackingEnabled", "false")', {}),
    ('.option("asyncProgressTrackingEnabled", "true").trigger(processingTime="1 second")',
     {TRIGGER: "async-progress"}),
    ('.option("checkpointLocation", "/tmp/a")', {CHECKPOINT: "local"}),
    ('.option("checkpointLocation", "file:/tmp/a")', {CHECKPOINT: "local"}),
    ('.option("checkpointLocation", "file:///data/a")', {CHECKPOINT: "local"}),
    ('.option("checkpointLocation", "/tmpfoo/a")', {}),
    ('.option("checkpointLocation", "/data/a")', {}),
    ('.option("checkpointLocation", "hdfs://n/tmp/a")', {CHECKPOINT: "durable"}),
    ('.option("checkpointLocation", "s3a://b/a")', {CHECKPOINT: "durable"}),
])  # fmt: skip
def test_the_trigger_and_the_checkpoint_of_a_query_are_read(
    code: str, stated: dict[str, str]
) -> None:
    intake = read(f"{SOURCE}\n{code}\n.start())", SPARK)
    assert not intake.problems
    facts = {
        name: value for name, value in intake.settings.items() if name in (TRIGGER, CHECKPOINT)
    }
    assert facts == stated
    assert not any("taken into account" in note for note in intake.notes if "subscribe" not in note)


def test_a_note_asks_for_the_file_system_of_a_plain_path() -> None:
    notes = read(f'{SOURCE}.option("checkpointLocation", "/data/a").start())', SPARK).notes
    assert any("checkpointLocation names no file system" in note for note in notes)


@pytest.mark.parametrize(("code", "stated"), [
    (".foreachBatch(f).start())", {CHECKPOINT: "local"}),
    (".foreach(f).start())", {CHECKPOINT: "local"}),
    ('.foreachBatch(f).option("checkpointLocation", "s3a://b/a").start())',
     {CHECKPOINT: "durable"}),
    ('.foreachBatch(f).option("checkpointLocation", place).start())', {}),
    # A query that writes to Kafka does not start without a checkpoint, so it has one elsewhere.
    ('.format("kafka").start())', {}),
])  # fmt: skip
def test_foreach_without_a_checkpoint_location_has_a_local_checkpoint(
    code: str, stated: dict[str, str]
) -> None:
    settings = read(f"{SOURCE}{code}", SPARK).settings
    assert {name: settings[name] for name in settings if name == CHECKPOINT} == stated


@pytest.mark.parametrize(("code", "stated"), [
    ('spark.conf.set("spark.sql.streaming.checkpointLocation", "/tmp/a")', {CHECKPOINT: "local"}),
    ("b.config('spark.sql.streaming.checkpointLocation', 's3a://b/a')", {CHECKPOINT: "local"}),
    ("b.config('spark.speculation', 'true')", {"application.speculation": True}),
    ("b.config('spark.speculation', True)", {"application.speculation": True}),
    ("b.config('spark.executor.cores', '2')", {}),
])  # fmt: skip
def test_settings_of_the_session_are_read(code: str, stated: dict[str, object]) -> None:
    settings = read(f'{code}\n{SOURCE}.format("kafka").start())', SPARK).settings
    assert {name: settings[name] for name in settings if name.startswith("application.")} == stated


def test_a_named_query_has_a_checkpoint_below_that_of_its_session() -> None:
    session = "b.config('spark.sql.streaming.checkpointLocation', 's3a://b/a')"
    query = f'{SOURCE}.queryName("x").format("kafka").start())'
    assert read(f"{session}\n{query}", SPARK).settings[CHECKPOINT] == "durable"


def test_options_of_a_query_override_its_session() -> None:
    session = 'spark.conf.set("spark.sql.streaming.checkpointLocation", "/tmp/a")'
    query = f'{SOURCE}.option("checkpointLocation", "s3a://b/a").start())'
    assert read(f"{session}\n{query}", SPARK).settings[CHECKPOINT] == "durable"


@pytest.mark.parametrize("name", ["kafka.acks", "KAFKA.acks", "Kafka.Acks"])
def test_options_with_client_settings_ignore_case(name: str) -> None:
    code = f'{SOURCE}.format("kafka").option("{name}", "0").start())'
    assert read(code, SPARK).settings["producer.acks"] == "0"
    assert read(f"startingOffsets=earliest\n{name}=0\n", SPARK).settings["producer.acks"] == "0"


BATCHES = {
    "family": "spark", "application.sink": "idempotent", "application.checkpoint": "durable",
    "topic.replication.factor": "3", "topic.min.insync.replicas": "2",
    "consumer.startingOffsets": "earliest", "need.guarantee": "exactly-once",
}  # fmt: skip


def test_an_idempotent_sink_absorbs_repeated_micro_batches() -> None:
    assert Anomaly.EFFECT_DUPLICATED not in permits(described(BATCHES), "spark-restarted")


@pytest.mark.parametrize("trigger", ["async-progress", "continuous", "real-time"])
def test_no_other_trigger_is_exactly_once_with_an_idempotent_sink(trigger: str) -> None:
    pipeline = described(BATCHES | {TRIGGER: trigger})
    assert Anomaly.EFFECT_DUPLICATED in permits(pipeline, "spark-restarted")
    permitted = assessed(pipeline, "spark-restarted").permits
    assert f"{TRIGGER}={trigger}" in permitted[Anomaly.EFFECT_DUPLICATED]
    assert breaking(pipeline)
    [lever] = [lever for lever in ALL if lever.setting == "trigger"]
    assert lever.targets(pipeline) == ["micro-batch"]
    after = pipeline.with_setting(Component.APPLICATION, "trigger", "micro-batch")
    assert not breaking(after)
    assert not lever.targets(after)


@pytest.mark.parametrize(("location", "sink", "expected"), [
    ("local", "plain", {Anomaly.REDELIVERY, Anomaly.EFFECT_DUPLICATED}),
    # A sink that uses the batchId takes the new batches for batches that it already has.
    ("local", "idempotent", {Anomaly.REDELIVERY, Anomaly.EFFECT_MISSING}),
    ("durable", "idempotent", set()),
])  # fmt: skip
def test_a_sink_that_uses_the_batch_id_needs_the_checkpoint(
    location: str, sink: str, expected: set[Anomaly]
) -> None:
    stated = {"application.checkpoint": location, "application.sink": sink}
    assert permits(described(BATCHES | stated), "spark-checkpoint-lost") == expected
