"""Time without progress: sends that waited unacknowledged, records that waited undelivered."""

from __future__ import annotations

from spark_jobs.counts import Family
from spark_jobs.survey import CELL_NS, Survey

SHORTEST_NS = 500_000_000
"""Gaps up to this length occur in a healthy cluster, and are not counted (nanoseconds)."""

_KINDS = ("unavailable_ms", "blocked_ms")
_EVER_NS = 2**61
"""Before and after all moments; the distance between the two still has 64 bits."""

_MARKS = {
    "unavailable_ms": """
        SELECT 'unavailable_ms' AS kind, completed_ns AS at_ns, completed_last_ns AS last_ns
        FROM send_bundles
        WHERE acknowledged AND invoked_ns IS NOT NULL AND completed_ns IS NOT NULL""",
    "blocked_ms": """
        SELECT 'blocked_ms' AS kind, time_ns AS at_ns, last_ns
        FROM delivery_bundles WHERE NOT final AND time_ns IS NOT NULL""",
}
"""Moments of progress, by the kind of gap that they end."""


def silences(seen: Survey, *kinds: str) -> str:
    """Where no mark falls for longer than the shortest gap, before the first and after the last.

    `until_ns` is how long what waited in vain waited: to the last moment that the sends tell of,
    and for a delivery, that the deliveries tell of.

    Marks are first gathered by cells, each shorter than half of that: a silence that matters lies
    between two cells, and of a cell only its ends are needed. This leaves few rows of many.
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
                UNION ALL SELECT * FROM VALUES {_edges(seen)}
            )
        ) WHERE ends_ns - begins_ns > {SHORTEST_NS}"""


def _edges(seen: Survey) -> str:
    """A mark before and one after all moments, of each kind.

    What only this ledger knows comes as rows: a number in a plan would be compiled for it alone.
    """
    ends = {"unavailable_ms": seen.fact("sends", "end_ns"), "blocked_ms": seen.end_ns}
    return ", ".join(
        f"('{kind}', {at}L, {at}L, {end}L)"
        for kind, end in ends.items() for at in (-_EVER_NS, _EVER_NS)
    )  # fmt: skip


def gaps(seen: Survey) -> Family:
    """Both kinds of gaps, one row a stretch in which something waited and nothing moved.

    Sends wait from invocation to completion, and are answered by acknowledgements. Acknowledged
    records that are to be visible wait until a group is handed them (the final readers, which
    come when the run is over, count for nothing).
    """
    waits = """
        SELECT 'unavailable_ms' AS kind, invoked_ns AS from_ns, completed_last_ns AS to_ns
        FROM send_bundles WHERE invoked_ns IS NOT NULL
        UNION ALL
        SELECT 'blocked_ms' AS kind, acked_ns AS from_ns, handed_ns AS to_ns
        FROM each_value WHERE visible > 0 AND acked_ns IS NOT NULL"""
    if seen.sound:
        waits += """
        UNION ALL SELECT 'blocked_ms', acked_ns, handed_ns
        FROM sound_waits WHERE acked_ns IS NOT NULL"""
    clipped = f"""
        SELECT /*+ BROADCAST(silences) */ kind, begins_ns,
            greatest(from_ns, begins_ns) AS from_ns,
            least(coalesce(to_ns, until_ns), ends_ns) AS to_ns
        FROM ({waits}) JOIN ({silences(seen, *_KINDS)}) AS silences USING (kind)
        WHERE from_ns < ends_ns
            AND coalesce(to_ns, until_ns) > greatest(from_ns, begins_ns)"""
    return Family(_merged(clipped), {kind: _length(kind) for kind in _KINDS}, ("from_ns", "to_ns"))


def _merged(waits: str) -> str:
    """Overlapping and touching waits of one silence as one stretch."""
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
