"""Counts of effects in sinks, and of state."""

from __future__ import annotations

from spark_jobs.columns import flag
from spark_jobs.counts import Family
from spark_jobs.survey import Survey


def effects(survey: Survey) -> Family:
    """One row per sink and value: each obliged value is expected in every sink, applied once.

    `applied` is summed over the rows of a pair; a row without it counts as one application. A table
    without rows stands for one empty sink.
    """
    expected = "SELECT value FROM each_value WHERE obliged"
    if survey.sound:
        expected += " UNION ALL SELECT value FROM sound_sends"
    pairs = f"""
        SELECT * FROM (
            SELECT value, sink, true AS expected FROM ({expected}) CROSS JOIN (
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
"""Keys whose state is smaller than what was put in. Missing state is smaller."""
