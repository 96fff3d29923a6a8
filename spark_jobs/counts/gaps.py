"""Time without progress: sends that wait to be acknowledged, records that wait to be delivered."""

from __future__ import annotations

from spark_jobs.counts import Family
from spark_jobs.survey import CELL_NS, Survey

SHORTEST_NS = 500_000_000
"""Gaps up to this length, in nanoseconds, occur in a healthy cluster and are not counted."""

_KINDS = ("unavailable_ms", "blocked_ms")
_FAR_NS = 2**61
"""Minus this is before all moments, plus this after them; the difference still has 64 bits."""

_MARKS = {
    "unavailable_ms": """
        SELECT 'unavailable_ms' AS kind, completed_ns AS at_ns, completed_last_ns AS last_ns
        FROM send_bundles
        WHERE acknowledged AND invoked_ns IS NOT NULL AND completed_ns IS NOT NULL""",
    "blocked_ms": """
        SELECT 'blocked_ms' AS kind, time_ns AS at_ns, last_ns
        FROM delivery_bundles WHERE NOT final AND time_ns IS NOT NULL""",
}
"""Moments of progress, by the kind of gap that they end: one SELECT each."""


def idle_periods(survey: Survey, *kinds: str) -> str:
    """A SELECT of the periods without a mark that are longer than the shortest gap.

    The time before the first mark and after the last one counts, too. Whatever waited in vain
    waited until `until_ns`: the last moment of the sends or, for a delivery, of the ledger.

    Marks are first grouped into cells, each shorter than half of the shortest gap: a period that
    counts lies between two cells, so only the first and last mark of a cell are needed. This leaves
    few rows.
    """
    return f"""
        SELECT kind, begins_ns, ends_ns, until_ns FROM (
            SELECT kind, first_ns AS ends_ns, max(until_ns) OVER (PARTITION BY kind) AS until_ns,
                lag(last_ns) OVER (PARTITION BY kind ORDER BY first_ns) AS begins_ns
            FROM (
                SELECT kind, min(at_ns) AS first_ns, max(last_ns) AS last_ns,
                    CAST(NULL AS bigint) AS until_ns
                FROM ({" UNION ALL ".join(_MARKS[kind] for kind in kinds)})
                GROUP BY kind, at_ns - pmod(at_ns, {CELL_NS}L)
                UNION ALL SELECT * FROM VALUES {_edges(survey)}
            )
        ) WHERE ends_ns - begins_ns > {SHORTEST_NS}"""


def _edges(survey: Survey) -> str:
    """A mark before all moments and one after them, for each kind.

    The values of this ledger are passed as rows: a literal in the plan would make Spark compile
    the plan for this ledger alone.
    """
    ends = {"unavailable_ms": survey.fact("sends", "end_ns"), "blocked_ms": survey.end_ns}
    return ", ".join(
        f"('{kind}', {at}L, {at}L, {end}L)"
        for kind, end in ends.items() for at in (-_FAR_NS, _FAR_NS)
    )  # fmt: skip


def gaps(survey: Survey) -> Family:
    """Both kinds of gaps, one row per period in which something waited without any progress.

    Sends wait from invocation to completion; any acknowledgement is progress. Acknowledged records
    that will be visible wait for their delivery to a group. The final readers come when the run is
    over, and do not count.
    """
    waits = """
        SELECT 'unavailable_ms' AS kind, invoked_ns AS from_ns, completed_last_ns AS to_ns
        FROM send_bundles WHERE invoked_ns IS NOT NULL
        UNION ALL
        SELECT 'blocked_ms' AS kind, acked_ns AS from_ns, delivered_ns AS to_ns
        FROM each_value WHERE visible > 0 AND acked_ns IS NOT NULL"""
    if survey.sound:
        waits += """
        UNION ALL SELECT 'blocked_ms', acked_ns, delivered_ns
        FROM sound_waits WHERE acked_ns IS NOT NULL"""
    clipped = f"""
        SELECT /*+ BROADCAST(idle_periods) */ kind, begins_ns,
            greatest(from_ns, begins_ns) AS from_ns,
            least(coalesce(to_ns, until_ns), ends_ns) AS to_ns
        FROM ({waits}) JOIN ({idle_periods(survey, *_KINDS)}) AS idle_periods USING (kind)
        WHERE from_ns < ends_ns
            AND coalesce(to_ns, until_ns) > greatest(from_ns, begins_ns)"""
    return Family(_merged(clipped), {kind: _length(kind) for kind in _KINDS}, ("from_ns", "to_ns"))


def _merged(waits: str) -> str:
    """Overlapping and adjacent waits of one idle period, merged into one."""
    line = "PARTITION BY kind, begins_ns ORDER BY from_ns, to_ns ROWS BETWEEN UNBOUNDED PRECEDING"
    return f"""
        SELECT kind, min(from_ns) AS from_ns, max(to_ns) AS to_ns FROM (
            SELECT *, sum(if(reached IS NULL OR from_ns > reached, 1L, 0L))
                OVER ({line} AND CURRENT ROW) AS piece
            FROM (SELECT *, max(to_ns) OVER ({line} AND 1 PRECEDING) AS reached FROM ({waits}))
        ) GROUP BY kind, begins_ns, piece"""


def _length(kind: str) -> str:
    span = "to_ns - from_ns"
    return f"if(kind = '{kind}' AND {span} > {SHORTEST_NS}, ({span}) DIV 1000000, 0L)"
