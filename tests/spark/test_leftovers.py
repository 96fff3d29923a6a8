"""A session judges for hours: what one judging kept must not outlast it."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from spark_jobs.judging import judge
from spark_jobs.tables import MalformedLedger
from tests.spark.ledgers import sound, write


def _kept(spark: SparkSession) -> int:
    return int(spark.sparkContext._jsc.getPersistentRDDs().size())


@pytest.mark.parametrize("small", [True, False])
def test_a_judging_leaves_no_rows_in_the_session(
    spark: SparkSession, tmp_path: Path, small: bool
) -> None:
    judge(spark, write(tmp_path / "ledger", sound()), small=small)
    assert _kept(spark) == 0


def test_nor_does_one_that_fails(spark: SparkSession, tmp_path: Path) -> None:
    ledger = write(tmp_path / "ledger", sound())
    (ledger / "sends.jsonl").write_text('{"value": 1}\n', encoding="utf-8")
    with pytest.raises(MalformedLedger):
        judge(spark, ledger)
    assert _kept(spark) == 0


def test_the_classes_of_a_session_are_mapped(spark: SparkSession) -> None:
    jvm = spark.sparkContext._gateway.proc.pid  # type: ignore[union-attr]  # no public way
    assert "classes/spark-" in Path(f"/proc/{jvm}/maps").read_text()
