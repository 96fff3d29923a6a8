"""What the processing left in its sinks, and what its state forgot."""

from __future__ import annotations

from spark_jobs.columns import flag
from spark_jobs.counts import Family

_EFFECTS = """
    SELECT * FROM (
        SELECT value, sink, true AS expected
        FROM (SELECT value FROM each_value WHERE standing)
        CROSS JOIN (
            SELECT explode(if(count(1) = 0, array(''), collect_set(coalesce(sink, '')))) AS sink
            FROM effects
        )
    )
    FULL JOIN (
        SELECT coalesce(sink, '') AS sink, value, sum(coalesce(applied, 1L)) AS applied
        FROM effects GROUP BY coalesce(sink, ''), value
    )
    USING (sink, value)"""

EFFECTS = Family(
    _EFFECTS,
    {
        "effect_missing": flag("expected AND coalesce(applied, 0L) <= 0"),
        "effect_duplicated": flag("applied > 1"),
    },
    ("sink", "value", "applied"),
)
"""(sink, value): expected of each obliged value in every sink, and applied once.

`applied` is summed over the rows of a pair; a row without it is one application. A table without
rows is that of one sink, in which there is nothing.
"""

STATE = Family(
    "SELECT * FROM state",
    {"state_lost": flag("actual < expected OR (actual IS NULL AND expected IS NOT NULL)")},
    ("store", "key", "expected", "actual"),
)
"""Keys whose state is smaller than what was put in; no state at all is smaller."""
