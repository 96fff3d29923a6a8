"""How Spark is asked; what it answers is tested with a real session in tests/spark."""

from __future__ import annotations

import pytest

from labs.engine.judge import spark


@pytest.mark.parametrize(
    ("stated", "arguments"),
    [
        ({"LAB_SPARK_MASTER": "spark://far:7077"}, ["--master", "spark://far:7077"]),
        ({"LAB_SPARK_MASTER": " local[1] ", "SPARK_MASTER": "other"}, ["--master", "local[1]"]),
        ({"LAB_SPARK_MASTER": ""}, []),
        ({"SPARK_MASTER": "spark://far:7077"}, []),
        ({}, []),
    ],
    ids=["stated", "stated twice", "empty", "for Spark's own programs", "nowhere"],
)
def test_the_master_is_what_the_environment_says_or_left_to_spark(monkeypatch, stated, arguments):
    for name in ("LAB_SPARK_MASTER", "SPARK_MASTER"):
        monkeypatch.delenv(name, raising=False)
    for name, value in stated.items():
        monkeypatch.setenv(name, value)
    assert spark.spark_arguments(connector=False) == arguments
