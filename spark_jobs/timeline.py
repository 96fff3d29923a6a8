"""Counts by bucket of time, and latencies of acknowledgements."""

from __future__ import annotations

from typing import Any

from spark_jobs.survey import CELL_NS, Survey

BUCKET_MS = CELL_NS // 1_000_000
MOST_BUCKETS = 1_000
"""A run longer than this many buckets gets wider ones, of a multiple of `BUCKET_MS`."""

_NAMES = ("sent", "ok", "fail", "info", "lost", "delivered")


def bucket_ms(start_ns: int, end_ns: int) -> int:
    """The width in ms of a bucket, for a run between two moments.

    >>> bucket_ms(0, 20_000_000_000), bucket_ms(0, 3_600_000_000_000)
    (200, 3800)
    """
    span_ms = max(0, end_ns - start_ns) // 1_000_000
    return BUCKET_MS * (span_ms // (BUCKET_MS * MOST_BUCKETS) + 1)


LATENCIES = """
    SELECT round(quantiles[0], 3) AS p50, round(quantiles[1], 3) AS p99, round(longest, 3) AS max
    FROM (
        SELECT percentile_approx(ms, array(0.5, 0.99), 10000) AS quantiles, max(ms) AS longest
        FROM (SELECT (completed_ns - invoked_ns) / 1e6D AS ms FROM every_attempt WHERE acknowledged)
    )"""
"""One row: p50, p99 and maximum latency of acknowledgements, in ms (null if there is none)."""

_EVENTS = """
    SELECT invoked_ns AS at_ns, 'sent' AS kind, n FROM send_bundles
    UNION ALL SELECT completed_ns, outcome, n FROM send_bundles
    UNION ALL
    SELECT acked_ns, 'lost', 1L FROM each_value WHERE obliged AND visible = 0 AND NOT removed
    UNION ALL SELECT time_ns, 'delivered', n FROM delivery_bundles WHERE NOT final"""


def buckets(survey: Survey) -> str:
    """A SELECT with one row per bucket that is not empty.

    A send is counted when it was invoked, its outcome when it completed, a lost value when it was
    acknowledged, and a delivery to a group (other than the final readers) when it was delivered.
    The start of the first bucket is joined as a row: a literal in the plan would make Spark compile
    the plan for this ledger alone.
    """
    start, width = scale(survey)
    counts = ", ".join(f"sum(if(kind = '{name}', n, 0L)) AS {name}" for name in _NAMES)
    return f"""
        SELECT /*+ BROADCAST(scale) */
            ((at_ns - start_ns) DIV (width_ms * 1000000L)) * width_ms AS t_ms, {counts}
        FROM (SELECT {survey.views.coalesce_hint} * FROM ({_EVENTS}) WHERE at_ns IS NOT NULL)
        CROSS JOIN (SELECT * FROM VALUES ({start}L, {width}L) AS scale(start_ns, width_ms)) AS scale
        GROUP BY 1"""


def scale(survey: Survey) -> tuple[int, int]:
    """(first moment in ns, width of a bucket in ms)."""
    return survey.start_ns, bucket_ms(survey.start_ns, survey.end_ns)


def timeline(survey: Survey, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The timeline as JSON data, from the rows of `buckets`."""
    start, width = scale(survey)
    ordered = sorted(rows, key=lambda row: int(row["t_ms"]))
    return {"bucket_ms": width, "start_ns": start, "buckets": ordered}
