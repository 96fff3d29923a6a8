"""A spark-defaults.conf next to a query."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import SPARK, assert_answer, write_files

QUERY = (
    '(spark.readStream.format("kafka").option("subscribe", "a")'
    '.option("startingOffsets", "earliest").load().writeStream'
    '.option("checkpointLocation", "s3a://b/c").format("kafka").option("topic", "b").start())\n'
)
CLUSTER = "spark.master           yarn\nspark.executor.memory=4g\n"
DEFAULTS = [
    (CLUSTER, "", 0, "YES.*no guarantee depends on the other settings here"),
    (f"{CLUSTER}spark.speculation true\n", "--want exactly-once", 1, "two attempts of one task"),
    (f"{CLUSTER}spark.speculation maybe\n", "", 2, "defaults.conf:3: speculation must be true"),
    ("spark.sql.streaming.checkpointLocation /c\n", "", 2, "states no checkpoint.*leave this out"),
]


@pytest.mark.parametrize(("text", "options", "code", "expected"), DEFAULTS)
def test_settings_of_spark_defaults_count(
    tmp_path: Path, text: str, options: str, code: int, expected: str
) -> None:
    files = {"spark-defaults.conf": text, "query.py": QUERY}
    write_files(tmp_path, files)
    paths = " ".join(str(tmp_path / name) for name in files)
    assert_answer(f"{options} {paths}", SPARK.partition(" consumer.")[0], code, expected)
