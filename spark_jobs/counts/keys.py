"""Order by key: values delivered after a later value of their key, from another partition."""

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
        SELECT value, reader, topic, min(struct(time_ns, partition)) AS first FROM marked_deliveries
        WHERE NOT final AND NOT aborted AND time_ns IS NOT NULL GROUP BY value, reader, topic
    )
    USING (value)"""
"""One row per group and value with a key: when it was sent, and when and where it was first
delivered. A value without both times has no place in the order."""

_MOVED = """
    SELECT topic, producer, key FROM (
        SELECT topic, producer, key, partition FROM odd
        UNION ALL
        SELECT topic, producer, key, partition FROM sound_sends WHERE key IS NOT NULL
    )
    GROUP BY topic, producer, key HAVING min(partition) < max(partition)"""
"""The keys that are in two partitions: nearly always none, and then there is nothing to judge."""

_SOUND = f"""
    SELECT {READER} AS reader, sent.topic, sent.partition, sent.producer, sent.key, sent.value,
        sent.invoked_ns, time_ns
    FROM (SELECT * FROM sound_sends WHERE key IS NOT NULL AND invoked_ns IS NOT NULL) AS sent
    LEFT SEMI JOIN ({_MOVED}) AS moved
    ON sent.topic = moved.topic AND sent.producer <=> moved.producer AND sent.key = moved.key
    JOIN every_delivery ON sent.value = every_delivery.value
    WHERE NOT final AND time_ns IS NOT NULL"""
"""The same for the values that the sieve set aside: each was delivered once to each group."""

_BEFORE = """
    PARTITION BY reader, topic, producer, key ORDER BY time_ns
    RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING"""
"""Values that were delivered at the same moment, as by one poll, have no order."""


def keys(survey: Survey) -> Family:
    """One row per value that was delivered to a group after a later value of its key.

    A value is compared with the latest (the last to be invoked) of those that were delivered to the
    group before. If that one is in the same partition, `reordered` counts the two.
    """
    rows = f"SELECT * FROM odd UNION ALL {_SOUND}" if survey.sound else "SELECT * FROM odd"
    late = f"""
        WITH odd AS ({_ODD}), compared AS (
            SELECT *, max(struct(invoked_ns, partition, value)) OVER ({_BEFORE}) AS latest
            FROM ({rows})
        )
        SELECT value, example.* FROM (
            SELECT value, min(struct(
                reader, topic, partition, producer, key, invoked_ns, latest.value AS before,
                latest.partition AS before_partition, latest.invoked_ns AS before_ns)) AS example
            FROM compared WHERE latest.invoked_ns > invoked_ns AND latest.partition <> partition
            GROUP BY value
        )"""
    shown = (
        "reader", "nullif(topic, '') AS topic", "partition", "producer", "key", "value",
        "invoked_ns", "before", "before_partition", "before_ns",
    )  # fmt: skip
    return Family(late, {"key_reordered": "1L"}, shown)
