"""Deliveries of each group: by member, and how often records were redelivered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from spark_jobs.counts.positions import REDELIVERIES

MOST_MEMBERS = 100
"""Members that an answer lists, over all groups; those with the most deliveries first."""
MOST_TIMES = 10
"""Records that were delivered this many times or more are one number."""

BY_MEMBER = f"""
    SELECT reader, consumer, sum(n) AS deliveries FROM delivery_bundles WHERE NOT final
    GROUP BY reader, consumer ORDER BY deliveries DESC, reader, consumer LIMIT {MOST_MEMBERS}"""
"""One row per member: the records that its polls returned, counted every time."""

BY_TIMES = f"""
    SELECT reader, least(repeats + 1, {MOST_TIMES}L) AS times, count(1) AS records
    FROM ({REDELIVERIES.rows}) WHERE repeats > 0 GROUP BY 1, 2"""
"""By group, how many records were delivered twice, three times, and so on."""

Rows = Sequence[Mapping[str, Any]]


def groups(by_member: Rows, by_times: Rows) -> list[dict[str, Any]]:
    """The rows of `BY_MEMBER` and `BY_TIMES` as JSON data, one element per group.

    A consumer without a group is a group of its own.
    """
    results: dict[str, dict[str, Any]] = {}
    for row in sorted(by_member, key=lambda row: str(row["reader"])):
        group = results.setdefault(
            row["reader"], {"reader": row["reader"], "consumers": [], "again": []}
        )
        group["consumers"].append(
            {"consumer": row.get("consumer"), "deliveries": row["deliveries"]}
        )
    for row in sorted(by_times, key=lambda row: int(row["times"])):
        if row["reader"] in results:
            results[row["reader"]]["again"].append(
                {"times": row["times"], "records": row["records"]}
            )
    return list(results.values())
