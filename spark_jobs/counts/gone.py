"""Why an acknowledged record may be absent: retention, deletion (also of the topic), compaction."""

from __future__ import annotations

from spark_jobs.survey import Survey

STARTS = """
    SELECT topic, partition, max(log_start_offset) AS start, max(created_ns) AS created
    FROM partitions GROUP BY topic, partition"""
"""One row per partition: the start of its log, and when its topic was created."""

_OVERWRITTEN = """
    partition >= 0 AND coalesce(
        max(if(acknowledged, struct(completed_ns, value), NULL))
            OVER (PARTITION BY topic, partition, offset).value <> value, false)"""

_LATEST = """
    SELECT topic, partition, key, max(offset) AS last_offset, max(first_ns) AS last_ns
    FROM (SELECT * FROM copies WHERE visible)
    JOIN (SELECT DISTINCT topic, partition FROM partitions
          WHERE contains(cleanup_policy, 'compact')) USING (topic, partition)
    JOIN (SELECT value, key, min(invoked_ns) AS first_ns FROM attempts
          WHERE key IS NOT NULL GROUP BY value, key) USING (value)
    GROUP BY topic, partition, key"""
"""One row per key of a compacted partition: its last visible record and its last first attempt."""


def with_reasons(survey: Survey) -> str:
    """A SELECT of the attempts with the columns `expired` and `replaced`.

    An attempt is expired if its offset is below the partition's log start, unless another value was
    acknowledged at that offset later: then this one was lost before the log start moved. An attempt
    that was acknowledged before the topic was created is expired, too: it went to an earlier topic
    of the same name, and was deleted with it.

    An attempt in a compacted partition is replaced if its key has a later visible record there.
    Later means a higher offset or, if the attempt's offset is unknown, a later first attempt.
    """
    if survey.fact("partitions", "started"):
        expiring = f"""
            SELECT * EXCEPT (start, created, overwritten),
                (coalesce(offset < start, false) AND NOT overwritten)
                    OR coalesce(completed_ns < created, false) AS expired
            FROM (SELECT *, {_OVERWRITTEN} AS overwritten FROM attempts)
            LEFT JOIN ({STARTS}) USING (topic, partition)"""
    else:
        expiring = "SELECT *, false AS expired FROM attempts"
    if not survey.fact("partitions", "compacted"):
        return f"SELECT *, false AS replaced FROM ({expiring})"
    return f"""
        SELECT * EXCEPT (last_offset, last_ns),
            coalesce(last_offset > offset, false)
            OR coalesce(offset IS NULL AND last_ns > invoked_ns, false) AS replaced
        FROM ({expiring}) LEFT JOIN ({_LATEST}) USING (topic, partition, key)"""
