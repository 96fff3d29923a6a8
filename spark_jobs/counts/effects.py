"""Counts about effects in sinks, and about state."""

from __future__ import annotations

from spark_jobs.columns import flag
from spark_jobs.counts import Family
from spark_jobs.survey import Survey


def effects(seen: Survey) -> Family:
    """(sink, value): expected of each obliged value in every sink, and applied once.

    `applied` is summed over the rows of a pair; a row without it is one application. A table
    without rows is that of one sink, in which there is nothing.
    """
    owed = "SELECT value FROM each_value WHERE standing"
    if seen.sound:
        owed += " UNION ALL SELECT value FROM sound_sends"
    pairs = f"""
        SELECT * FROM (
            SELECT value, sink, true AS expected FROM ({owed}) CROSS JOIN (
                SELECT explode(if(count(1) = 0, array(''), collect_set(coalesce(sink, ''))))
                    AS sink
                FROM effects
            )
        )
        FULL JOIN (
            SELECT coalesce(sink, '') AS sink, value, sum(coalesce(applied, 1L)) AS applied
            FROM effects GROUP BY coalesce(sink, ''), value
        )
        USING (sink, value)"""
    weights = {
        "effect_missing": flag("expected AND coalesce(applied, 0L) <= 0"),
        "effect_duplicated": flag("applied > 1"),
    }
    return Family(pairs, weights, ("sink", "value", "applied"))


STATE = Family(
    "SELECT * FROM state",
    {"state_lost": flag("actual < expected OR (actual IS NULL AND expected IS NOT NULL)")},
    ("store", "key", "expected", "actual"),
)
"""Keys whose state is smaller than what was put in; no state at all is smaller."""
