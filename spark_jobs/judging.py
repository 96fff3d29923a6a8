"""One ledger in, its counts, examples, timeline and verdict out."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import reduce
from pathlib import Path
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from spark_jobs.columns import settled
from spark_jobs.counts import Family
from spark_jobs.counts import values as by_value
from spark_jobs.counts.effects import effects, state_lost
from spark_jobs.counts.gaps import gaps
from spark_jobs.counts.order import polls, reordered
from spark_jobs.counts.positions import aborted_read, places
from spark_jobs.counts.transactions import torn
from spark_jobs.history import History, history
from spark_jobs.survey import Survey, survey
from spark_jobs.tables import MalformedLedger
from spark_jobs.timeline import buckets, latencies, timeline
from spark_jobs.verdict import Circumstances, verdict

EXAMPLES = 5
"""Rows shown for each anomaly."""

_NEEDS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("sent", "ok", "fail", "info"), ("sends",)),
    "in_log": ("log",),
    **dict.fromkeys(("obliged", "lost_write", "given_up", "phantom"), ("sends", "log")),
    "reordered": ("sends", "log"),
    **dict.fromkeys(("expired", "compacted"), ("sends", "log", "partitions")),
    "delivered": ("deliveries",),
    "skipped": ("log", "deliveries"),
    "unseen": ("sends", "log", "deliveries"),
    "duplicate": ("log",),
    "diverged": ("log",),
    "redelivery": ("deliveries",),
    "nonmonotonic_poll": ("deliveries",),
    "poll_skip": ("log", "deliveries"),
    "aborted_read": ("deliveries",),
    "torn_transaction": ("sends", "deliveries"),
    "effect_missing": ("sends", "effects"),
    "effect_duplicated": ("effects",),
    "state_lost": ("state",),
    "unavailable_ms": ("sends",),
    "blocked_ms": ("sends", "log", "deliveries"),
}
"""The tables without which a count is null: it was not judged."""

_PLAIN = frozenset({"sent", "ok", "fail", "info", "obliged", "in_log", "delivered"})
"""Counts of what is there, of which no examples are shown."""

_LATENCY, _TIMELINE = "ack_latency_ms", "timeline"


def judge(spark: SparkSession, ledger: Path, want: str | None = None) -> dict[str, Any]:
    """Judges one ledger against a guarantee, or against every anomaly.

    Raises `MalformedLedger` for what cannot be read as a ledger. Three Spark actions: a survey,
    the counts, and what is shown of them.
    """
    try:
        seen = survey(spark, ledger)
    except PySparkException as error:
        raise _malformed(ledger, error) from error
    story = history(spark, seen)
    values = settled(by_value.values(story))
    families = _families(story, values)
    counts = _masked(_counted(families), seen)
    shown = _shown(families, counts, story, values)
    word, reason = verdict(counts, want, _circumstances(seen))
    return {
        "ledger": str(ledger),
        "want": want,
        "verdict": word,
        "reason": reason,
        "counts": counts,
        "ack_latency_ms": {"p50": None, "p99": None, "max": None} | shown.pop(_LATENCY)[0],
        "timeline": timeline(story, shown.pop(_TIMELINE, [])),
        "examples": shown,
    }


def _families(story: History, values: DataFrame) -> list[Family]:
    """Every family that this ledger gives rise to; the others count 0 without a plan."""
    seen = story.survey
    families = [
        by_value.family(values),
        places(story),
        reordered(story),
        polls(story),
        gaps(story, values),
    ]
    if seen.recorded("effects"):
        families.append(effects(story, values))
    if seen.recorded("state"):
        families.append(state_lost(story))
    if seen.fact("sends", "transactional"):
        families.append(torn(story))
    if seen.fact("transactions", "aborted") or seen.fact("log", "aborted"):
        families.append(aborted_read(story))
    return families


def _counted(families: Sequence[Family]) -> dict[str, int]:
    """All counts, by one Spark action."""
    parts = []
    for family in families:
        totals = [
            F.struct(F.lit(name).alias("name"), F.sum(weight).cast("bigint").alias("n"))
            for name, weight in family.weights.items()
        ]
        parts.append(family.rows.agg(F.array(*totals).alias("totals")).select(F.inline("totals")))
    rows = reduce(DataFrame.unionAll, parts).collect()
    return {row["name"]: row["n"] or 0 for row in rows}


def _masked(counted: Mapping[str, int], seen: Survey) -> dict[str, int | None]:
    """Every count, with null where a table that it needs was not recorded."""
    unjudged = {
        name for name, needs in _NEEDS.items() if not all(seen.recorded(table) for table in needs)
    }
    # Whether a group passed something over is told by its commits; no group, no question.
    if seen.fact("deliveries", "readers") and not seen.recorded("commits"):
        unjudged.add("skipped")
    # What was aborted is told by the transactions, or by the log.
    told = seen.recorded("transactions") and seen.recorded("sends")
    if not told and not seen.recorded("log"):
        unjudged.update(("aborted_read", "torn_transaction"))
    if not seen.fact("deliveries", "readers"):
        unjudged.add("blocked_ms")
    return {name: None if name in unjudged else counted.get(name, 0) for name in _NEEDS}


def _shown(
    families: Sequence[Family],
    counts: Mapping[str, int | None],
    story: History,
    values: DataFrame,
) -> dict[str, list[dict[str, Any]]]:
    """Examples of each anomaly that was seen, latencies and timeline, by one Spark action."""
    parts = [_as_json(_LATENCY, latencies(story)), _as_json(_TIMELINE, buckets(story, values))]
    for family in families:
        for name, weight in family.weights.items():
            if counts.get(name) and name not in _PLAIN:
                found = family.rows.filter(weight > 0).select(*family.shown)
                first = found.orderBy(*found.columns).limit(EXAMPLES)
                parts.append(_as_json(name, first))
    examples: dict[str, list[dict[str, Any]]] = {}
    for row in reduce(DataFrame.unionAll, parts).collect():
        examples.setdefault(row["name"], []).append(json.loads(row["row"]))
    return examples


def _as_json(name: str, rows: DataFrame) -> DataFrame:
    """Rows of whatever columns, in one shape; nulls are left out."""
    return rows.select(F.lit(name).alias("name"), F.to_json(F.struct("*")).alias("row"))


def _circumstances(seen: Survey) -> Circumstances:
    return Circumstances(
        proved=seen.fact("faults", "proved"),
        final_read_completed=seen.fact("meta", "completed") > 0,
        given_up_breaks=seen.fact("meta", "given_up_breaks") > 0,
    )


def _malformed(ledger: Path, error: PySparkException) -> Exception:
    """Spark's failure to read a file, in our words; any other failure stays what it is."""
    text = str(error)
    if "FAILED_READ_FILE" not in text:
        return error
    file = re.search(r"Encountered error while reading file (?:file://)?(\S+?)\.? ", text)
    column = re.search(r"Column: \[(\w+)\]", text)
    where = file.group(1) if file else str(ledger)
    what = f"column `{column.group(1)}` has the wrong type" if column else "this is no Parquet file"
    return MalformedLedger(f"{where}: {what}")
