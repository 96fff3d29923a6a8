"""Finds gaps in a ledger that could hide a loss. A ledger with such a gap never holds.

Only a ledger that would otherwise hold is checked, so that no other one pays for it.
"""

from __future__ import annotations

from collections.abc import Mapping

from spark_jobs.columns import IS_FINAL, READER
from spark_jobs.counts.gone import STARTS
from spark_jobs.disagreements import REASONS, FullTables, disagreements
from spark_jobs.survey import Survey

_LAST_COMMITS = f"""
    SELECT reader, topic, partition, count(time_ns) NOT IN (0, count(1)) AS torn,
        max_by(struct(outcome, offset), struct(coalesce(time_ns, -1L), offset)) AS last
    FROM (SELECT *, {READER} AS reader FROM commits)
    WHERE NOT {IS_FINAL} AND outcome <> 'fail' GROUP BY reader, topic, partition"""

_UNCERTAIN_COMMITS = f"""
    SELECT reader FROM ({_LAST_COMMITS}) AS ends LEFT JOIN (
        SELECT reader, topic, partition, max(last) AS reached FROM delivery_bundles
        WHERE NOT final GROUP BY reader, topic, partition
    ) USING (reader, topic, partition)
    WHERE torn OR last.outcome = 'info' AND last.offset > coalesce(reached, -1L) + 1"""

_UNRECORDED_ABORTS = """
    SELECT DISTINCT value FROM attempts LEFT SEMI JOIN (
        SELECT value FROM log GROUP BY value
        HAVING bool_and(coalesce(transaction_state = 'aborted', false))
    ) AS aborted_in_log USING (value)
    WHERE outcome = 'ok' AND NOT aborted"""

_REASONS: Mapping[str, str] = {
    "uncertain_commits": "Its commits do not show up to which record each group had read.",
    "partitions_without_log": "It has commits or deliveries of partitions of which it has no log.",
    "missing_offsets": "Some of its deliveries are without an offset, and others are not.",
    "unused_transactions": "It has transactions, but no message in any of them.",
    "unrecorded_aborts": "Its log calls messages aborted, but it records no abort of them.",
    "sent_before_creation": "Its log has messages that were sent before their topic was created.",
    **REASONS,
}


_INCOMPLETE_COLUMNS: Mapping[str, str] = {
    "named": "Some of its sends are without a producer, and others are not.",
    "begun": "Some of its sends are without `invoked_ns`, and others are not.",
}


def doubt(survey: Survey, sealed: bool, counts: Mapping[str, int | None]) -> str:
    """The reason why a ledger without harm is `unknown`; empty if it may hold.

    A sealed ledger is checked only for gaps that a correct recorder cannot rule out.
    """
    queries = {}
    if survey.fact("commits", "readers"):
        queries["uncertain_commits"] = f"SELECT count(1) AS n FROM ({_UNCERTAIN_COMMITS})"
    if not sealed:
        for name, text in _INCOMPLETE_COLUMNS.items():
            if survey.fact("sends", name) not in (0, survey.fact("sends", "rows")):
                return text
        queries |= _unsealed_queries(survey, counts)
    if not queries:
        return ""
    rows = " UNION ALL ".join(
        f"SELECT '{name}' AS name, n FROM ({queries[name]})" for name in queries
    )
    names = {row["name"] for row in survey.views.rows(rows) if row["n"]}
    return next((text for name, text in _REASONS.items() if name in names), "")


def _unsealed_queries(survey: Survey, counts: Mapping[str, int | None]) -> dict[str, str]:
    # In a large ledger the tables have only odd rows (`spark_jobs.sieve`).
    tables = (
        FullTables("sends", "log", "deliveries")
        if survey.views.small
        else FullTables("every_send", "every_record", "every_delivery")
    )
    queries = disagreements(survey, tables, counts)
    if "log" in survey.recorded and survey.recorded & {"commits", "deliveries"}:
        queries["partitions_without_log"] = f"""
            SELECT count(1) AS n FROM (
                SELECT topic, partition FROM commits
                WHERE offset > 0 AND outcome <> 'fail' AND NOT {IS_FINAL}
                UNION SELECT topic, partition FROM {tables.deliveries}
            ) LEFT ANTI JOIN (
                SELECT topic, partition FROM {tables.log}
                UNION SELECT topic, partition FROM partitions
            ) USING (topic, partition)"""
        queries["missing_offsets"] = (
            f"SELECT if(count(offset) IN (0, count(1)), 0L, 1L) AS n FROM {tables.deliveries}"
        )
    if not survey.fact("sends", "transactional"):
        queries["unused_transactions"] = "SELECT count(1) AS n FROM transactions"
    if survey.fact("log", "aborted") and "transactions" in survey.recorded:
        queries["unrecorded_aborts"] = f"SELECT count(1) AS n FROM ({_UNRECORDED_ABORTS})"
    if survey.fact("partitions", "started"):
        queries["sent_before_creation"] = f"""
            SELECT count(1) AS n FROM (
                SELECT value FROM {tables.sends} LEFT SEMI JOIN {tables.log} USING (value)
                LEFT JOIN ({STARTS}) USING (topic, partition)
                WHERE outcome <> 'fail'
                GROUP BY value HAVING bool_and(coalesce(completed_ns < created, false))
            )"""
    return queries
