"""A Python module for PySpark: the options of the Kafka source and of the Kafka sink."""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.catalog.facts import spark_option
from advisor.export.base import Export, Revision, Stamp, head
from advisor.export.choice import Chosen, chosen, code_notes, file_notes
from advisor.export.python_literal import literal
from advisor.reasoning.pipeline import Pipeline

_FUNCTIONS = '''

def read(spark, bootstrap_servers, topic):
    """The stream of a topic. startingOffsets decides the first start, the checkpoint later ones."""
    return (
        spark.readStream.format("kafka")
        .options(**SOURCE)
        .option("kafka.bootstrap.servers", bootstrap_servers)
        .option("subscribe", topic)
        .load()
    )


def write(frame, bootstrap_servers, topic, checkpoint):
    """Starts the query. `checkpoint` is its only memory: keep it on durable storage, and keep it.

    The sink is at-least-once: a task that is tried again sends its rows again.
    """
    return (
        frame.writeStream.format("kafka")
        .options(**SINK)
        .option("kafka.bootstrap.servers", bootstrap_servers)
        .option("topic", topic)
        .option("checkpointLocation", checkpoint)
        .start()
    )
'''


def _write(revision: Revision, stamp: Stamp) -> str:
    comments = file_notes(revision, Component.CONSUMER, Component.PRODUCER)
    notes = (*code_notes(revision.exported, Component.CONSUMER), *comments)
    parts = [head("Options for Spark Structured Streaming with Kafka.", stamp, *notes)]
    parts.append("\n" + literal("SOURCE", _by_option(chosen(revision, Component.CONSUMER))))
    parts.append("\n" + literal("SINK", _by_option(chosen(revision, Component.PRODUCER))))
    return "".join([*parts, _FUNCTIONS])


def _by_option(settings: tuple[Chosen, ...]) -> dict[str, Chosen]:
    return {spark_option(setting.name): setting for setting in settings}


def _applies(pipeline: Pipeline) -> bool:
    return pipeline.family is Family.SPARK


EXPORTS = (
    Export(
        "spark-options",
        "PySpark options",
        "kafka_options.py",
        "text/x-python",
        _applies,
        _write,
    ),
)
