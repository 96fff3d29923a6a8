"""Positions of groups, the copies that they passed, and the values at each offset."""

from __future__ import annotations

from spark_jobs.columns import IS_FINAL, PLACE, READER, SHOWN_PLACE, flag
from spark_jobs.counts import Family

POSITIONS = f"""
    SELECT reader, topic, partition, coalesce(committed, reached) AS position
    FROM (
        SELECT reader, topic, partition,
            max_by(offset, struct(coalesce(time_ns, -1L), offset)) AS committed
        FROM (SELECT *, {READER} AS reader FROM commits)
        WHERE NOT {IS_FINAL} AND outcome = 'ok' GROUP BY reader, topic, partition
    )
    FULL JOIN (
        SELECT reader, topic, partition, max(last) AS reached
        FROM delivery_bundles WHERE NOT final GROUP BY reader, topic, partition
    )
    USING (reader, topic, partition)"""
"""The position of a group is its last `ok` commit, which names the next offset to read; where it
has none in that partition, the highest offset that was delivered to it."""

PASSED_COPIES = """
    SELECT /*+ BROADCAST(group_positions) */ copies.value, reader
    FROM copies JOIN group_positions USING (topic, partition)
    WHERE visible AND offset < position"""
"""One row per reader and visible copy, where the reader's position is beyond the copy."""

REDELIVERIES = Family(
    f"""
    SELECT {PLACE}, value, reader, count(1) - 1 AS repeats
    FROM marked_deliveries WHERE NOT final GROUP BY {PLACE}, value, reader""",
    {"redelivery": "repeats"},
    (*SHOWN_PLACE, "value", "reader", "repeats"),
)
"""Deliveries of one record to one group, beyond the first."""

PLACES = Family(
    f"""
    SELECT {PLACE}, min(value) AS one, max(value) AS other
    FROM (SELECT {PLACE}, value FROM log UNION ALL SELECT {PLACE}, value FROM deliveries)
    WHERE offset IS NOT NULL GROUP BY {PLACE}""",
    {"diverged": flag("one <> other")},
    (*SHOWN_PLACE, "one", "other"),
)
"""Values at each offset, over all replicas and deliveries; acknowledged offsets do not count."""
