"""A ledger made ready for counting: who stands by which record, and which copy is readable.

Here the words of `docs/ledger.md` become columns: the outcome of an attempt in a transaction of
unknown fate is `info`, aborted records are marked, and a log that is known only by its replicas
becomes one readable log. The counts themselves are in `spark_jobs.counts`.
"""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F

from spark_jobs.columns import PLACE, is_final, reader, settled
from spark_jobs.survey import Survey


@dataclass(frozen=True, slots=True)
class History:
    """What the counts read.

    `attempts` are sends with `acknowledged` (whatever became of their transaction), `fate` (of the
    transaction) and `aborted`; `copies` are the
    records of the readable log with `visible`; `order` is the part of them that shows the order;
    `records` is the whole log, replica by replica; `deliveries` carry `reader`, `final` and
    `aborted`; `commits` carry `reader` and `final`.
    """

    survey: Survey
    attempts: DataFrame
    copies: DataFrame
    order: DataFrame
    records: DataFrame
    deliveries: DataFrame
    commits: DataFrame
    partitions: DataFrame
    effects: DataFrame
    state: DataFrame


def history(spark: SparkSession, seen: Survey) -> History:
    """Makes a surveyed ledger ready. Nothing runs yet: these are plans."""
    records = seen.frame(spark, "log")
    attempts = _attempts(spark, seen, records)
    aborted = _aborted(seen, attempts, records)
    if aborted is not None and not seen.recorded("transactions"):
        attempts = aborted.mark_values(attempts)
    copies, order = _readable(seen, records)
    # Four counts read the copies, and each would make them distinct again.
    copies = settled(_visible(copies, aborted))
    deliveries = _read_by(seen.frame(spark, "deliveries"))
    return History(
        survey=seen,
        attempts=attempts,
        copies=copies,
        order=copies if order is None else _visible(order, aborted),
        records=records,
        deliveries=_marked(deliveries, aborted),
        commits=_read_by(seen.frame(spark, "commits")),
        partitions=seen.frame(spark, "partitions"),
        effects=seen.frame(spark, "effects"),
        state=seen.frame(spark, "state"),
    )


@dataclass(frozen=True, slots=True)
class _Aborted:
    """Aborted records: single ones by their place, and values of which nothing else exists."""

    places: DataFrame
    values: DataFrame

    def mark(self, rows: DataFrame) -> DataFrame:
        """Rows of records with `aborted`, by place or by value."""
        places = self.places.select(*PLACE, "value", F.lit(True).alias("_place"))
        values = self.values.select("value", F.lit(True).alias("_value"))
        marked = rows.join(places, [*PLACE, "value"], how="left").join(values, "value", how="left")
        return marked.withColumn("aborted", F.coalesce("_place", "_value", F.lit(False))).drop(
            "_place", "_value"
        )

    def mark_values(self, attempts: DataFrame) -> DataFrame:
        """Attempts whose value has only aborted copies become aborted too."""
        values = self.values.select("value", F.lit(True).alias("_value"))
        marked = attempts.join(values, "value", how="left")
        return marked.withColumn(
            "aborted", F.col("aborted") | F.coalesce("_value", F.lit(False))
        ).drop("_value")


def _attempts(spark: SparkSession, seen: Survey, records: DataFrame) -> DataFrame:
    """Sends with the fate of their transaction; null where there is none, or none is known."""
    sends = seen.frame(spark, "sends").withColumn("acknowledged", F.col("outcome") == "ok")
    if not seen.fact("sends", "transactional"):
        return sends.withColumns({"fate": F.lit(None).cast("string"), "aborted": F.lit(False)})
    if seen.recorded("transactions"):
        fates = seen.frame(spark, "transactions").groupBy("transaction")
        known = sends.join(fates.agg(F.max("outcome").alias("fate")), "transaction", how="left")
        unlisted = F.col("transaction").isNotNull() & F.col("fate").isNull()
        known = known.withColumn("fate", F.when(unlisted, "unknown").otherwise(F.col("fate")))
    else:
        known = sends.join(_fates_in_log(sends, records), "transaction", how="left")
    unknown = F.coalesce(F.col("fate") == "unknown", F.lit(False))
    return known.withColumns(
        {
            "outcome": F.when(unknown, "info").otherwise(F.col("outcome")),
            "aborted": F.coalesce(F.col("fate") == "aborted", F.lit(False)),
        }
    )


def _fates_in_log(sends: DataFrame, records: DataFrame) -> DataFrame:
    """Where no transactions were recorded: aborted are those with aborted records only."""
    members = sends.filter(F.col("transaction").isNotNull()).select("transaction", "value")
    gone = F.coalesce(F.col("transaction_state") == "aborted", F.lit(False))
    fate = F.when(F.bool_and(gone), "aborted").alias("fate")
    return members.join(records, "value", how="inner").groupBy("transaction").agg(fate)


def _aborted(seen: Survey, attempts: DataFrame, records: DataFrame) -> _Aborted | None:
    """`transactions` say what was aborted; only where they are absent, the log does."""
    if seen.recorded("transactions"):
        if not seen.fact("transactions", "aborted"):
            return None
        rows = attempts
    else:
        if not seen.fact("log", "aborted"):
            return None
        gone = F.coalesce(F.col("transaction_state") == "aborted", F.lit(False))
        rows = records.withColumn("aborted", gone)
    places = rows.filter(F.col("aborted")).select(*PLACE, "value").distinct()
    values = rows.groupBy("value").agg(F.bool_and("aborted").alias("all"))
    return _Aborted(places, values.filter(F.col("all")))


def _readable(seen: Survey, records: DataFrame) -> tuple[DataFrame, DataFrame | None]:
    """The copies of the readable log, and the rows that give their order if others do."""
    if seen.fact("log", "readable") or not seen.fact("log", "replicas"):
        rows = records.filter(F.col("replica").isNull()).select(*PLACE, "value").distinct()
        return rows, None
    # Known only by its replicas: of each value, the copies that the replica with most has.
    rows = records.select(*PLACE, "value", "replica").distinct()
    same = Window.partitionBy("value", "replica")
    counted = rows.withColumn("held", F.count(F.lit(1)).over(same))
    fullest = Window.partitionBy("value").orderBy(F.desc("held"), "replica")
    copies = counted.withColumn("chosen", F.first("replica").over(fullest))
    lowest = F.min("replica").over(Window.partitionBy("topic", "partition"))
    order = rows.withColumn("chosen", lowest)
    return (
        copies.filter(F.col("replica") == F.col("chosen")).select(*PLACE, "value"),
        order.filter(F.col("replica") == F.col("chosen")).select(*PLACE, "value"),
    )


def _visible(rows: DataFrame, aborted: _Aborted | None) -> DataFrame:
    return _marked(rows, aborted).withColumn("visible", ~F.col("aborted")).drop("aborted")


def _marked(rows: DataFrame, aborted: _Aborted | None) -> DataFrame:
    return rows.withColumn("aborted", F.lit(False)) if aborted is None else aborted.mark(rows)


def _read_by(rows: DataFrame) -> DataFrame:
    return rows.withColumns({"reader": reader(), "final": is_final()})
