"""Counts about order: one producer's values in a partition, and one consumer's polls."""

from __future__ import annotations

from spark_jobs.columns import SHOWN_PLACE, flag
from spark_jobs.counts import Family

_LINE = "PARTITION BY topic, partition, producer ORDER BY offset, invoked_ns"
# Two values at one offset (a diverged log) have no order of their own: time gives them one.

REORDERED = Family(
    f"""
    SELECT *, lag(invoked_ns) OVER ({_LINE}) AS before_ns, lag(value) OVER ({_LINE}) AS before
    FROM (
        SELECT value, topic, partition, min(offset) AS offset
        FROM ordered WHERE visible AND offset IS NOT NULL GROUP BY value, topic, partition
    )
    JOIN (
        SELECT value, producer, min(invoked_ns) AS invoked_ns
        FROM attempts WHERE invoked_ns IS NOT NULL GROUP BY value, producer
    )
    USING (value)""",
    {"reordered": flag("invoked_ns < before_ns")},
    (*SHOWN_PLACE, "producer", "value", "invoked_ns", "before", "before_ns"),
)
"""Neighbours of one producer in a partition, of which the later was invoked earlier.

A value stands where its first visible copy in the partition is, and its time is that of its
first attempt. A value without a time has no place in the order.
"""

_POLLER = "topic, partition, consumer, reader, assignment"

POLLS = Family(
    f"""
    WITH polls AS (
        SELECT {_POLLER}, poll, min(offset) AS first, max(offset) AS last
        FROM handed WHERE poll IS NOT NULL AND offset IS NOT NULL GROUP BY {_POLLER}, poll
    ), pairs AS (
        SELECT *, lag(last) OVER (PARTITION BY {_POLLER} ORDER BY poll) AS before FROM polls
    ), holes AS (
        SELECT * FROM pairs WHERE first > before + 1
    ), wrong AS (
        SELECT *, 1L AS back, 0L AS beyond FROM pairs WHERE first <= before
        UNION ALL
        SELECT /*+ BROADCAST(holes) */ holes.*, 0L AS back, 1L AS beyond
        FROM copies JOIN holes
        ON copies.topic = holes.topic AND copies.partition = holes.partition
            AND before < offset AND offset < first
        WHERE visible
    )
    SELECT consumer, reader, assignment, poll, max(back) AS back, max(beyond) AS beyond,
        min(first) AS first_offset, max(before) AS offset_before
    FROM wrong GROUP BY consumer, reader, assignment, poll""",
    {"nonmonotonic_poll": "back", "poll_skip": "beyond"},
    ("consumer", "reader", "poll", "first_offset", "offset_before"),
)
"""Polls of one consumer that start at or before where the one before ended, or beyond it.

A poll skips when a visible record stands between the two. One row is one poll, whatever the
number of its partitions. Few polls leave a hole at all: these rows can be everywhere.
"""
