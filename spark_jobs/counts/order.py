"""Counts about order: one producer's values in a partition, and one consumer's polls."""

from __future__ import annotations

from spark_jobs.columns import SHOWN_PLACE, flag
from spark_jobs.counts import Family
from spark_jobs.survey import Survey

_LINE = "PARTITION BY topic, partition, producer ORDER BY offset, invoked_ns"
# Two values at one offset (a diverged log) have no order of their own: time gives them one.

_STANDING = """
    SELECT value, topic, partition, offset, producer, invoked_ns
    FROM (
        SELECT value, topic, partition, min(offset) AS offset
        FROM ordered WHERE visible AND offset IS NOT NULL GROUP BY value, topic, partition
    )
    JOIN (
        SELECT value, producer, min(invoked_ns) AS invoked_ns
        FROM attempts WHERE invoked_ns IS NOT NULL GROUP BY value, producer
    )
    USING (value)"""
"""A value stands where its first visible copy in the partition is, and its time is that of its
first attempt. A value without a time has no place in the order."""

_SOUND = """
    SELECT value, topic, partition, offset, producer, invoked_ns
    FROM sound_sends WHERE invoked_ns IS NOT NULL"""


def reordered(seen: Survey) -> Family:
    """Neighbours of one producer in a partition, of which the later was invoked earlier."""
    standing = f"{_STANDING} UNION ALL {_SOUND}" if seen.sound else _STANDING
    return Family(
        f"""
        SELECT *, lag(invoked_ns) OVER ({_LINE}) AS before_ns, lag(value) OVER ({_LINE}) AS before
        FROM ({standing})""",
        {"reordered": flag("invoked_ns < before_ns")},
        (*SHOWN_PLACE, "producer", "value", "invoked_ns", "before", "before_ns"),
    )


_APART = 1024
"""Offsets that are looked through together for what a poll left out."""

_POLLER = "topic, partition, consumer, reader, assignment"

_VISIBLE = "SELECT topic, partition, offset FROM copies WHERE visible"


def polls(seen: Survey) -> Family:
    """Polls of one consumer that start at or before where the one before ended, or beyond it.

    A poll skips when a visible record stands between the two. One row is one poll, whatever the
    number of its partitions. Few polls leave a hole at all: these rows can be everywhere.
    """
    sound = " UNION ALL SELECT topic, partition, offset FROM sound_records" if seen.sound else ""
    rows = f"""
        WITH polls AS (
            SELECT {_POLLER}, poll, min(first) AS first, max(last) AS last
            FROM delivery_bundles WHERE poll IS NOT NULL AND first IS NOT NULL
            GROUP BY {_POLLER}, poll
        ), pairs AS (
            SELECT *, lag(last) OVER (PARTITION BY {_POLLER} ORDER BY poll) AS before FROM polls
        ), holes AS (
            SELECT *, explode(sequence((before + 1) DIV {_APART}, (first - 1) DIV {_APART})) AS part
            FROM pairs WHERE first > before + 1
        ), wrong AS (
            SELECT *, 1L AS back, 0L AS beyond FROM pairs WHERE first <= before
            UNION ALL
            SELECT /*+ BROADCAST(holes) */ holes.* EXCEPT (part), 0L AS back, 1L AS beyond
            FROM ({_VISIBLE}{sound}) AS records JOIN holes
            ON records.topic = holes.topic AND records.partition = holes.partition
                AND offset DIV {_APART} = part AND before < offset AND offset < first
        )
        SELECT consumer, reader, assignment, poll, max(back) AS back, max(beyond) AS beyond,
            min(first) AS first_offset, max(before) AS offset_before
        FROM wrong GROUP BY consumer, reader, assignment, poll"""
    shown = ("consumer", "reader", "poll", "first_offset", "offset_before")
    return Family(rows, {"nonmonotonic_poll": "back", "poll_skip": "beyond"}, shown)
