"""Counts by time bucket, and latencies of acknowledgements."""

from __future__ import annotations

from typing import Any

from spark_jobs.survey import CELL_NS, Survey

BUCKET_MS = CELL_NS // 1_000_000
MOST_BUCKETS = 1_000
"""A run longer than this many buckets gets wider ones, in whole multiples of `BUCKET_MS`."""

_NAMES = ("sent", "ok", "fail", "info", "lost", "delivered")


def bucket_ms(start_ns: int, end_ns: int) -> int:
    """The width of a bucket for a run between two moments.

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
"""One row: p50, p99 and longest acknowledgement, in milliseconds (nulls if there is none)."""

_HAPPENINGS = """
    SELECT invoked_ns AS at_ns, 'sent' AS what, n FROM send_bundles
    UNION ALL SELECT completed_ns, outcome, n FROM send_bundles
    UNION ALL
    SELECT acked_ns, 'lost', 1L FROM each_value WHERE standing AND visible = 0 AND NOT gone
    UNION ALL SELECT time_ns, 'delivered', n FROM delivery_bundles WHERE NOT final"""


def buckets(seen: Survey) -> str:
    """One row a bucket that is not empty.

    A send is counted when it was invoked, its outcome when it completed, a lost value when it
    was acknowledged, a delivery when a group (the final readers apart) was handed it. Where the
    first bucket begins is a row to join: a number in a plan would be compiled for it alone.
    """
    start, width = scale(seen)
    counts = ", ".join(f"sum(if(what = '{name}', n, 0L)) AS {name}" for name in _NAMES)
    return f"""
        SELECT /*+ BROADCAST(scale) */
            ((at_ns - start_ns) DIV (width_ms * 1000000L)) * width_ms AS t_ms, {counts}
        FROM (SELECT {seen.views.together} * FROM ({_HAPPENINGS}) WHERE at_ns IS NOT NULL)
        CROSS JOIN (SELECT * FROM VALUES ({start}L, {width}L) AS scale(start_ns, width_ms)) AS scale
        GROUP BY 1"""


def scale(seen: Survey) -> tuple[int, int]:
    """(first moment in ns, width of a bucket in ms)."""
    return seen.start_ns, bucket_ms(seen.start_ns, seen.end_ns)


def timeline(seen: Survey, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The timeline as JSON data, from the rows of `buckets`."""
    start, width = scale(seen)
    ordered = sorted(rows, key=lambda row: int(row["t_ms"]))
    return {"bucket_ms": width, "start_ns": start, "buckets": ordered}
