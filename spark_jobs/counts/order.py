"""Counts of order: one producer's values in a partition, and one consumer's polls."""

from __future__ import annotations

from spark_jobs.columns import SHOWN_PLACE, flag
from spark_jobs.counts import Family
from spark_jobs.survey import Survey

_STREAM = "topic, partition, producer"
_COPY = f"value, {_STREAM}, offset, invoked_ns"

_FIRST_COPIES = f"""
    SELECT {_COPY} FROM (
        SELECT value, topic, partition, min(offset) AS offset
        FROM ordered WHERE visible AND offset IS NOT NULL GROUP BY value, topic, partition
    )
    JOIN (
        SELECT value, producer, min(invoked_ns) AS invoked_ns
        FROM attempts WHERE invoked_ns IS NOT NULL GROUP BY value, producer
    )
    USING (value)"""
"""One row per value and partition: the offset of the first visible copy, the time of the first
attempt. A value without a time has no place in the order."""

_SOUND = f"SELECT {_COPY} FROM sound_sends WHERE invoked_ns IS NOT NULL"

STREAM_HASH = f"xxhash64({_STREAM})"

_BEFORE = f"OVER (PARTITION BY {_STREAM} ORDER BY offset, invoked_ns)"
_BEFORE_BY_HASH = "OVER (PARTITION BY stream ORDER BY offset, invoked_ns)"
# Two values at one offset (a diverged log) are ordered by time.

_IS_SAME_STREAM = " AND ".join(
    f"lag({name}, 1, {name}) {_BEFORE_BY_HASH} <=> {name}" for name in _STREAM.split(", ")
)


def reordered(survey: Survey) -> Family:
    """Neighbouring values of a producer in a partition, the later of which was invoked earlier."""
    shown = (*SHOWN_PLACE, "producer", "value", "invoked_ns", "before", "before_ns")
    weights = {"reordered": flag("invoked_ns < before_ns")}
    return Family(_sieved_pairs() if survey.sound else _PAIRS, weights, shown)


_PAIRS = f"""
    SELECT *, lag(value) {_BEFORE} AS before, lag(invoked_ns) {_BEFORE} AS before_ns
    FROM ({_FIRST_COPIES})"""


def _sieved_pairs() -> str:
    """The same with the sound sends, of which there may be millions.

    They are sorted by a hash: by names it would take several times as long. If two streams have
    the same hash (of 64 bits), the judging fails.
    """
    return f"""
        SELECT *, lag(value) {_BEFORE_BY_HASH} AS before,
            if({_IS_SAME_STREAM}, lag(invoked_ns) {_BEFORE_BY_HASH},
                raise_error('two streams have the same hash')) AS before_ns
        FROM (SELECT *, {STREAM_HASH} AS stream FROM ({_FIRST_COPIES} UNION ALL {_SOUND}))"""


_RANGE = 1024
"""Offsets that are searched together for records that a poll skipped."""

_POLLER = "topic, partition, consumer, reader, assignment"

_VISIBLE = "SELECT topic, partition, offset FROM copies WHERE visible"


def polls(survey: Survey) -> Family:
    """Polls of one consumer that start at or before the end of the previous poll, or beyond it.

    A poll skips if a visible record lies between the two. One row is one poll, whatever the number
    of its partitions. Few polls leave a hole, so the holes can be broadcast.
    """
    sound = " UNION ALL SELECT topic, partition, offset FROM sound_records" if survey.sound else ""
    rows = f"""
        WITH polls AS (
            SELECT {_POLLER}, poll, min(first) AS first, max(last) AS last
            FROM delivery_bundles WHERE poll IS NOT NULL AND first IS NOT NULL
            GROUP BY {_POLLER}, poll
        ), pairs AS (
            SELECT *, lag(last) OVER (PARTITION BY {_POLLER} ORDER BY poll) AS before FROM polls
        ), holes AS (
            SELECT *, explode(sequence((before + 1) DIV {_RANGE}, (first - 1) DIV {_RANGE})) AS part
            FROM pairs WHERE first > before + 1
        ), anomalous AS (
            SELECT *, 1L AS back, 0L AS beyond FROM pairs WHERE first <= before
            UNION ALL
            SELECT /*+ BROADCAST(holes) */ holes.* EXCEPT (part), 0L AS back, 1L AS beyond
            FROM ({_VISIBLE}{sound}) AS records JOIN holes
            ON records.topic = holes.topic AND records.partition = holes.partition
                AND offset DIV {_RANGE} = part AND before < offset AND offset < first
        )
        SELECT consumer, reader, assignment, poll, max(back) AS back, max(beyond) AS beyond,
            min(first) AS first_offset, max(before) AS offset_before
        FROM anomalous GROUP BY consumer, reader, assignment, poll"""
    shown = ("consumer", "reader", "poll", "first_offset", "offset_before")
    return Family(rows, {"nonmonotonic_poll": "back", "poll_skip": "beyond"}, shown)
