"""The views of one judging, each a SELECT over earlier ones.

They are SQL and not `DataFrame` methods, because a method costs some forty calls from Python into
the JVM and another analysis: half of the time for a small ledger (docs/decisions/0003).
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from pyspark.sql import DataFrame, Row, SparkSession

_Result = TypeVar("_Result")

_NOT_SMALL = {
    "spark.sql.codegen.aggregate.map.twolevel.enabled": "true",
    # Tasks of a few million rows: their groups fit into memory.
    "spark.sql.files.maxPartitionBytes": str(32 * 2**20),
}

_THREADS = 4
"""More would wait for a core. Some of these wait for a Spark job."""


class Views:
    """Temporary views in a Spark session of their own, so that judgings do not share names.

    For a `small` ledger each view is one task, and nothing is ever shuffled. Otherwise shuffles
    have `parts` partitions. For a `large` ledger adaptive execution re-plans after each shuffle,
    which costs more than it saves for smaller ones.
    """

    def __init__(
        self, spark: SparkSession, small: bool = False, parts: int = 2, large: bool = False
    ) -> None:
        self.session = spark.newSession()
        self.small = small
        self.large = large
        self._coalesced = small
        self._names: list[str] = []
        self._checkpoints: list[DataFrame] = []
        self._threads = ThreadPoolExecutor(_THREADS)
        if not small:
            for name, setting in _NOT_SMALL.items():
                self.session.conf.set(name, setting)
            self.session.conf.set("spark.sql.adaptive.enabled", str(large).lower())
            self.session.conf.set("spark.sql.shuffle.partitions", str(max(parts, 2)))

    def define(self, name: str, select: str, checkpointed: bool = False) -> None:
        """Defines a view by a SELECT.

        A `checkpointed` view keeps its rows once they are computed, and later plans begin with it.
        `persist` would keep the rows, too, but the plans of later views would still contain its
        own.
        """
        self.register(name, self.session.sql(select), checkpointed)

    def register(self, name: str, rows: DataFrame, checkpointed: bool = False) -> None:
        """Defines a view of the rows of a data frame."""
        if checkpointed:
            rows = rows.localCheckpoint(eager=False)
            self._checkpoints.append(rows)
        rows.createOrReplaceTempView(name)
        self._names.append(name)

    def coalesce(self, *names: str) -> None:
        """Makes each of these views, which have few rows, one task, and each later union as well.

        As in a small ledger, none of them is shuffled any more.
        """
        self._coalesced = True
        for name in names:
            self.define(name, f"SELECT {self.coalesce_hint} * FROM {name}")

    def materialize(self, name: str, select: str) -> int:
        """Defines a view by a SELECT and caches its rows; returns their number."""
        self.define(name, select, checkpointed=True)
        (row,) = self.rows(f"SELECT count(1) AS n FROM {name}")
        return int(row["n"])

    def rows(self, select: str) -> list[Row]:
        """The rows of a SELECT: one Spark action."""
        return self.session.sql(select).collect()

    def submit(self, work: Callable[[], _Result]) -> Future[_Result]:
        """Runs `work` in another thread; for a small ledger it runs immediately, in this one.

        Planning keeps only one core busy, and so does the last task of many jobs.
        """
        if not self.small:
            return self._threads.submit(work)
        done: Future[_Result] = Future()
        done.set_result(work())
        return done

    def close(self) -> None:
        """Frees the cached rows, once nothing uses them.

        Otherwise they would stay until the next garbage collection, and longer: threads of Spark's
        pools inherit the session that was active when they were started.
        """
        self._threads.shutdown(cancel_futures=True)
        for rows in self._checkpoints:
            rows._jdf.logicalPlan().rdd().unpersist(False)  # no public way to a checkpoint's rows
        for name in self._names:
            self.session.catalog.dropTempView(name)

    @property
    def coalesce_hint(self) -> str:
        """The hint for a SELECT that starts a view or unites several, if there are few rows."""
        return "/*+ COALESCE(1) */" if self._coalesced else ""
