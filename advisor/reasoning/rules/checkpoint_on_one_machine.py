"""A checkpoint on one machine only.

What it is
    application.checkpoint=local: checkpointLocation is on a machine's own disk.

Why it matters
    The checkpoint is the only record of a query's position; Spark commits nothing to Kafka. Without
    it startingOffsets decides: everything is skipped, or read again. If only its metadata file is
    missing, Spark up to 4.1 silently continues as another query, and a sink that identifies batches
    by the query's id takes them for new ones. Spark 4.2 stops instead (SPARK-55058).

Use instead
    Storage that outlives every machine of the query (HDFS, S3, a network volume).
"""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.finding import Rule, Severity
from advisor.reasoning.pipeline import Pipeline


def check(pipeline: Pipeline) -> str | None:
    """Reports a checkpoint that the team states to be local."""
    if pipeline.family is not Family.SPARK:
        return None
    if pipeline.text(Component.APPLICATION, "checkpoint") != "local":
        return None
    start = pipeline.text(Component.CONSUMER, "startingOffsets")
    return (
        "application.checkpoint=local: when that disk is lost, the query's position is lost too, "
        f"and startingOffsets={start} decides."
    )


RULE = Rule(
    code="A002",
    name="checkpoint-on-one-machine",
    severity=Severity.HIGH,
    component=Component.APPLICATION,
    setting="checkpoint",
    check=check,
    sources=(
        "Spark apis-on-dataframes-and-datasets.md, fault-tolerant file system",
        "Spark ss-migration-guide.md (SPARK-55058)",
    ),
    valid=(
        {"family": "spark"},
        {"family": "spark", "application.checkpoint": "durable"},
    ),
    invalid=({"family": "spark", "application.checkpoint": "local"},),
)
