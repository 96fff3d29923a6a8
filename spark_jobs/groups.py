"""What was delivered to each group: by member, and how often repeatedly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from spark_jobs.counts.positions import REDELIVERIES

MOST_MEMBERS = 100
"""Members that an answer names, over all groups; those with most deliveries first."""
MOST_TIMES = 10
"""Records handed out so often, or more often, are one number."""

BY_WHOM = f"""
    SELECT reader, consumer, sum(n) AS deliveries FROM delivery_bundles WHERE NOT final
    GROUP BY reader, consumer ORDER BY deliveries DESC, reader, consumer LIMIT {MOST_MEMBERS}"""
"""One row a member: how many records its polls handed over, each time counted."""

HOW_OFTEN = f"""
    SELECT reader, least(repeats + 1, {MOST_TIMES}L) AS times, count(1) AS records
    FROM ({REDELIVERIES.rows}) WHERE repeats > 0 GROUP BY 1, 2"""
"""By group, how many records were handed out twice, three times, and so on."""

Rows = Sequence[Mapping[str, Any]]


def groups(by_whom: Rows, how_often: Rows) -> list[dict[str, Any]]:
    """The rows of both as JSON data, a group each; without a group a consumer is its own."""
    results: dict[str, dict[str, Any]] = {}
    for row in sorted(by_whom, key=lambda row: str(row["reader"])):
        group = results.setdefault(
            row["reader"], {"reader": row["reader"], "consumers": [], "again": []}
        )
        group["consumers"].append(
            {"consumer": row.get("consumer"), "deliveries": row["deliveries"]}
        )
    for row in sorted(how_often, key=lambda row: int(row["times"])):
        if row["reader"] in results:
            results[row["reader"]]["again"].append(
                {"times": row["times"], "records": row["records"]}
            )
    return list(results.values())
