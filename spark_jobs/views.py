"""The named relations of one judging, each a SELECT over those before it.

Text, and not `DataFrame` methods, because each method is some forty calls from Python into the
JVM and one analysis more: half of the time for a small ledger (docs/decisions/0003).
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from pyspark.sql import DataFrame, Row, SparkSession

_Result = TypeVar("_Result")

_NOT_SMALL = {
    "spark.sql.codegen.aggregate.map.twolevel.enabled": "true",
    # Tasks of a few million rows, whose groups then fit into memory.
    "spark.sql.files.maxPartitionBytes": str(32 * 2**20),
}

_THREADS = 4
"""More would wait for a core. Of these, some wait for a job of Spark's."""


class Views:
    """Temporary views in a Spark session of their own, so that judgings do not meet.

    `small` is whether one task a relation is best: then nothing is ever shuffled. Else shuffles
    are in `parts`; and of a `large` one Spark looks at what each brought before it plans on, which
    for less is slower than whatever the plan would have been.
    """

    def __init__(
        self, spark: SparkSession, small: bool = False, parts: int = 2, large: bool = False
    ) -> None:
        self.session = spark.newSession()
        self.small = small
        self.large = large
        self._gathered = small
        self._names: list[str] = []
        self._kept: list[DataFrame] = []
        self._threads = ThreadPoolExecutor(_THREADS)
        if not small:
            for name, setting in _NOT_SMALL.items():
                self.session.conf.set(name, setting)
            self.session.conf.set("spark.sql.adaptive.enabled", str(large).lower())
            self.session.conf.set("spark.sql.shuffle.partitions", str(max(parts, 2)))

    def define(self, name: str, select: str, settled: bool = False) -> None:
        """Defines a view by a SELECT.

        A settled one is kept once computed, as the beginning of a plan of its own. `persist`
        would keep it too, but what is made from it would still carry how it came about.
        """
        self.name(name, self.session.sql(select), settled)

    def name(self, name: str, rows: DataFrame, settled: bool = False) -> None:
        """Defines a view of rows."""
        if settled:
            rows = rows.localCheckpoint(eager=False)
            self._kept.append(rows)
        rows.createOrReplaceTempView(name)
        self._names.append(name)

    def gather(self, *names: str) -> None:
        """Makes each view of few rows one task, and from now on each union: as in a small ledger,
        none of them is shuffled any more."""
        self._gathered = True
        for name in names:
            self.define(name, f"SELECT {self.together} * FROM {name}")

    def computed(self, name: str, select: str) -> int:
        """Defines a view by a SELECT and caches its rows; returns their number."""
        self.define(name, select, settled=True)
        (row,) = self.rows(f"SELECT count(1) AS n FROM {name}")
        return int(row["n"])

    def rows(self, select: str) -> list[Row]:
        """The rows of a SELECT: one Spark action."""
        return self.session.sql(select).collect()

    def soon(self, work: Callable[[], _Result]) -> Future[_Result]:
        """Does something beside what comes next, and at once in a small ledger.

        Planning keeps one core busy, and so does the last task of many a job.
        """
        if not self.small:
            return self._threads.submit(work)
        done: Future[_Result] = Future()
        done.set_result(work())
        return done

    def close(self) -> None:
        """Frees the cached rows, once nothing uses them.

        By itself that would last until the collector came by, and longer: threads of Spark's
        pools inherit the session that was active when they were started.
        """
        self._threads.shutdown(cancel_futures=True)
        for rows in self._kept:
            rows._jdf.logicalPlan().rdd().unpersist(False)  # no public way to a checkpoint's rows
        for name in self._names:
            self.session.catalog.dropTempView(name)

    @property
    def together(self) -> str:
        """The hint for a SELECT that begins a relation or unites several, where rows are few."""
        return "/*+ COALESCE(1) */" if self._gathered else ""
