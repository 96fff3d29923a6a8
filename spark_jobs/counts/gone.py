"""Why an acknowledged record may rightly be absent: retention took it, or compaction."""

from __future__ import annotations

from spark_jobs.survey import Survey

_STARTS = """
    SELECT topic, partition, max(log_start_offset) AS start
    FROM partitions GROUP BY topic, partition"""

_LATEST = """
    SELECT topic, partition, key, max(offset) AS last_offset, max(first_ns) AS last_ns
    FROM (SELECT * FROM copies WHERE visible)
    JOIN (SELECT DISTINCT topic, partition FROM partitions
          WHERE contains(cleanup_policy, 'compact')) USING (topic, partition)
    JOIN (SELECT value, key, min(invoked_ns) AS first_ns FROM attempts
          WHERE key IS NOT NULL GROUP BY value, key) USING (value)
    GROUP BY topic, partition, key"""
"""By key, in compacted partitions, the last visible record and the last first attempt."""


def with_reasons(seen: Survey) -> str:
    """The attempts with `expired` (below the partition's log start) and `replaced`.

    Replaced is an attempt in a compacted partition whose key has a later visible record there.
    Later is a higher offset; where the attempt's own is unknown, a later first attempt.
    """
    if seen.fact("partitions", "started"):
        expiring = f"""
            SELECT * EXCEPT (start), coalesce(offset < start, false) AS expired
            FROM attempts LEFT JOIN ({_STARTS}) USING (topic, partition)"""
    else:
        expiring = "SELECT *, false AS expired FROM attempts"
    if not seen.fact("partitions", "compacted"):
        return f"SELECT *, false AS replaced FROM ({expiring})"
    return f"""
        SELECT * EXCEPT (last_offset, last_ns),
            coalesce(last_offset > offset, false)
            OR coalesce(offset IS NULL AND last_ns > invoked_ns, false) AS replaced
        FROM ({expiring}) LEFT JOIN ({_LATEST}) USING (topic, partition, key)"""
