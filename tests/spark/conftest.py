"""One Spark session for all tests of this folder, and hands to judge ledgers with."""

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


def by_night(*values: object) -> ParameterSet:
    """A case like others of its test, which `make nightly` judges: a judging takes seconds."""
    return pytest.param(*values, marks=pytest.mark.thorough)


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    make_archive(find_java(), lambda line: None)  # `make test` has done so
    with pytest.MonkeyPatch.context() as patch:
        environment = spark_environment()  # once: with JAVA_HOME set, another Java is found
        for name in ("JAVA_HOME", "SPARK_SUBMIT_OPTS"):
            patch.setenv(name, environment[name])
        session = start("tests", "local[2]")
    yield session
    session.stop()


@pytest.fixture
def judged(spark: SparkSession, tmp_path: Path) -> Judge:
    """Judges tables written as JSON lines."""

    def _judge(
        tables: Mapping[str, Sequence[Mapping[str, Any]]],
        want: str | None = None,
        small: bool | None = None,
    ) -> dict[str, Any]:
        return judge(spark, write(tmp_path / "ledger", tables), want, small)

    return _judge
