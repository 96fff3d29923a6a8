"""A session judges for hours: rows cached for one ledger must be released afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from spark_jobs.judging import judge
from spark_jobs.tables import MalformedLedger
from tests.spark.ledgers import sound, write


def _cached_rdds(spark: SparkSession) -> int:
    return int(spark.sparkContext._jsc.getPersistentRDDs().size())


@pytest.mark.parametrize("small", [True, False])
def test_judging_leaves_no_cached_rows(spark: SparkSession, tmp_path: Path, small: bool) -> None:
    judge(spark, write(tmp_path / "ledger", sound()), small=small)
    assert _cached_rdds(spark) == 0


def test_failed_judging_leaves_no_cached_rows(spark: SparkSession, tmp_path: Path) -> None:
    ledger = write(tmp_path / "ledger", sound())
    (ledger / "sends.jsonl").write_text('{"value": 1}\n', encoding="utf-8")
    with pytest.raises(MalformedLedger):
        judge(spark, ledger)
    assert _cached_rdds(spark) == 0


def test_a_session_maps_its_class_archive(spark: SparkSession) -> None:
    jvm = spark.sparkContext._gateway.proc.pid  # type: ignore[union-attr]  # no public way
    assert "classes/spark-" in Path(f"/proc/{jvm}/maps").read_text()
