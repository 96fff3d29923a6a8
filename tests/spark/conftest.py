"""One Spark session for all tests of this folder, and fixtures that judge ledgers with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from _pytest.mark import ParameterSet
from pyspark.sql import SparkSession

from labs.engine.distributions.java import find_java
from labs.engine.judge.classes import make_archive
from labs.engine.judge.spark import spark_environment
from spark_jobs.judging import judge
from spark_jobs.session import start
from tests.spark.ledgers import write

Judge = Callable[..., dict[str, Any]]


def nightly(*values: object) -> ParameterSet:
    """A case that only `make nightly` runs: it resembles others, and judging takes seconds."""
    return pytest.param(*values, marks=pytest.mark.thorough)


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    make_archive(find_java(), lambda line: None)  # `make test` has already made it
    with pytest.MonkeyPatch.context() as patch:
        environment = spark_environment()  # call it once: JAVA_HOME changes its result
        for name in ("JAVA_HOME", "SPARK_SUBMIT_OPTS"):
            patch.setenv(name, environment[name])
        session = start("tests", "local[2]")
    yield session
    session.stop()


@pytest.fixture
def judge_tables(spark: SparkSession, tmp_path: Path) -> Judge:
    """Judges tables written as JSON lines."""

    def _judge(
        tables: Mapping[str, Sequence[Mapping[str, Any]]],
        want: str | None = None,
        small: bool | None = None,
    ) -> dict[str, Any]:
        return judge(spark, write(tmp_path / "ledger", tables), want, small)

    return _judge
