"""Order by key: what a group was handed after a later value of the same key, from elsewhere."""

from __future__ import annotations

from spark_jobs.columns import READER
from spark_jobs.counts import Family
from spark_jobs.survey import Survey

_ODD = """
    SELECT reader, topic, first.partition, producer, key, value, invoked_ns, first.time_ns
    FROM (
        SELECT value, producer, min(key) AS key, min(invoked_ns) AS invoked_ns FROM attempts
        WHERE key IS NOT NULL AND invoked_ns IS NOT NULL GROUP BY value, producer
    )
    JOIN (
        SELECT value, reader, topic, min(struct(time_ns, partition)) AS first FROM handed
        WHERE NOT final AND NOT aborted AND time_ns IS NOT NULL GROUP BY value, reader, topic
    )
    USING (value)"""
"""One row for each (group, value with a key): when it was sent, and first handed out, and where.
What has no time of one of the two has no place in an order."""

_MOVED = """
    SELECT topic, producer, key FROM (
        SELECT topic, producer, key, partition FROM odd
        UNION ALL
        SELECT topic, producer, key, partition FROM sound_sends WHERE key IS NOT NULL
    )
    GROUP BY topic, producer, key HAVING min(partition) < max(partition)"""
"""The keys that are in two partitions: nearly always none, and else nothing is to be judged."""

_SOUND = f"""
    SELECT {READER} AS reader, sent.topic, sent.partition, sent.producer, sent.key, sent.value,
        sent.invoked_ns, time_ns
    FROM (SELECT * FROM sound_sends WHERE key IS NOT NULL AND invoked_ns IS NOT NULL) AS sent
    LEFT SEMI JOIN ({_MOVED}) AS moved
    ON sent.topic = moved.topic AND sent.producer <=> moved.producer AND sent.key = moved.key
    JOIN every_delivery ON sent.value = every_delivery.value
    WHERE NOT final AND time_ns IS NOT NULL"""
"""The same of what the sieve set aside: each group was handed it once, where it was sent to."""

_BEFORE = """
    PARTITION BY reader, topic, producer, key ORDER BY time_ns
    RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING"""
"""What was handed out at the same moment, as by one poll, has no order."""


def keys(seen: Survey) -> Family:
    """One row a value that some group was handed after a later one of its key.

    Compared is the latest value (the last to be invoked) of those that the group had been handed
    before. Where that is in the same partition, the two are a matter of `reordered`.
    """
    rows = f"SELECT * FROM odd UNION ALL {_SOUND}" if seen.sound else "SELECT * FROM odd"
    late = f"""
        WITH odd AS ({_ODD}), compared AS (
            SELECT *, max(struct(invoked_ns, partition, value)) OVER ({_BEFORE}) AS latest
            FROM ({rows})
        )
        SELECT value, found.* FROM (
            SELECT value, min(struct(
                reader, topic, partition, producer, key, invoked_ns, latest.value AS before,
                latest.partition AS before_partition, latest.invoked_ns AS before_ns)) AS found
            FROM compared WHERE latest.invoked_ns > invoked_ns AND latest.partition <> partition
            GROUP BY value
        )"""
    shown = (
        "reader", "nullif(topic, '') AS topic", "partition", "producer", "key", "value",
        "invoked_ns", "before", "before_partition", "before_ns",
    )  # fmt: skip
    return Family(late, {"key_reordered": "1L"}, shown)
