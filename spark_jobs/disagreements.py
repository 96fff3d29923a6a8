"""Disagreements between the tables of a ledger that is not sealed.

They make no count wrong, but one of the two tables must be wrong, and that could hide a loss. As in
`spark_jobs.doubts`, each question is a SELECT of one number `n`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from spark_jobs.columns import PLACE
from spark_jobs.counts.gone import STARTS
from spark_jobs.survey import Survey

REASONS: Mapping[str, str] = {
    "log_ends_early": "Its log ends before `log_end_offset`: the final read skipped records.",
    "commit_beyond_end": "A group has committed an offset beyond the end of the log.",
    "start_beyond_log": "Its log starts beyond everything that is known to have been in it.",
    "delivered_not_in_log": "Some of its deliveries are of records that its log does not have.",
    "delivered_before_sent": "Some of its messages were delivered before they were sent.",
    "missing": "Some of its sends have an offset, were not acknowledged, and are not in the log.",
    "two_at_one_offset": "Its log has two messages at one offset.",
    "effect_never_sent": "Its sink has effects of messages that were never sent.",
    "state_larger": "Some of its state is larger than what was put in.",
    "foreign_abort": "Some of its messages were aborted by a producer that did not send them.",
    "sent_after_end": "Some of its messages were sent after their transaction had ended.",
    "aborted_outside": "Its log calls messages aborted that were sent outside a transaction.",
    "committed_but_aborted": "Its log calls messages committed that `transactions` calls aborted.",
    "older_than_removed": "Its log has older messages of a key than one that compaction removed.",
}
"""By question: the reason of the verdict `unknown`, if `n` is above 0."""

_FOREIGN_ABORTS = """
    SELECT count(1) AS n FROM attempts JOIN (
        SELECT transaction, collect_set(producer) AS producers FROM transactions
        WHERE outcome = 'aborted' GROUP BY transaction
    ) USING (transaction)
    WHERE acknowledged AND aborted AND size(producers) > 0
        AND NOT coalesce(array_contains(producers, producer), true)"""

_SENT_AFTER_END = """
    SELECT count(1) AS n FROM attempts JOIN (
        SELECT transaction, max(ended_ns) AS ended FROM transactions
        GROUP BY transaction HAVING count(ended_ns) = count(1)
    ) USING (transaction)
    WHERE invoked_ns > ended"""

_ABORTED_OUTSIDE = """
    SELECT count(1) AS n FROM attempts LEFT SEMI JOIN (
        SELECT value FROM log WHERE transaction_state = 'aborted'
    ) USING (value)
    WHERE acknowledged AND transaction IS NULL"""

_COMMITTED_BUT_ABORTED = """
    SELECT count(1) AS n FROM aborted_values LEFT SEMI JOIN (
        SELECT value FROM log WHERE transaction_state = 'committed'
    ) USING (value)"""

_OLDER_THAN_REMOVED = """
    SELECT count(1) AS n FROM (
        SELECT topic, partition, key, offset FROM attempts LEFT SEMI JOIN (
            SELECT value FROM each_value WHERE obliged AND visible = 0 AND removed AND NOT expired
        ) USING (value) WHERE acknowledged
    ) AS removed JOIN (
        SELECT topic, partition, key, min(offset) AS oldest
        FROM (SELECT * FROM copies WHERE visible)
        JOIN (SELECT DISTINCT value, key FROM attempts WHERE key IS NOT NULL) USING (value)
        GROUP BY topic, partition, key
    ) USING (topic, partition, key)
    WHERE oldest < offset"""
"""Compaction goes through a log from its start, and keeps the latest record of each key."""


@dataclass(frozen=True, slots=True)
class FullTables:
    """The names of the views with all rows of these tables."""

    sends: str
    log: str
    deliveries: str


def disagreements(
    survey: Survey, tables: FullTables, counts: Mapping[str, int | None]
) -> dict[str, str]:
    """The SELECTs of the questions that apply to this ledger, by the names of `REASONS`."""
    queries: dict[str, str] = {}
    if "log" in survey.recorded:
        queries |= _place_queries(survey, tables, counts)
    if survey.fact("deliveries", "timed"):
        queries["delivered_before_sent"] = f"""
            SELECT count(1) AS n FROM (
                SELECT value FROM (
                    SELECT value, invoked_ns, CAST(NULL AS bigint) AS time_ns FROM {tables.sends}
                    UNION ALL SELECT value, NULL, time_ns FROM {tables.deliveries}
                ) GROUP BY value HAVING min(time_ns) < min(invoked_ns)
            )"""
    if "effects" in survey.recorded:
        queries["effect_never_sent"] = (
            f"SELECT count(1) AS n FROM effects LEFT ANTI JOIN {tables.sends} USING (value)"
        )
    if "state" in survey.recorded:
        queries["state_larger"] = "SELECT count(1) AS n FROM state WHERE actual > expected"
    return queries | _transaction_queries(survey)


def _place_queries(
    survey: Survey, tables: FullTables, counts: Mapping[str, int | None]
) -> dict[str, str]:
    queries = _end_queries(survey, tables, counts)
    if survey.fact("sends", "answered"):
        queries["missing"] = f"""
            SELECT count(1) AS n FROM (
                SELECT value FROM {tables.sends} GROUP BY value
                HAVING bool_and(outcome <> 'ok') AND bool_or(offset IS NOT NULL)
            ) LEFT ANTI JOIN {tables.log} USING (value)"""
    if counts.get("diverged"):
        queries["two_at_one_offset"] = f"""
            SELECT count(1) AS n FROM (
                SELECT {PLACE} FROM {tables.log} WHERE replica IS NULL
                GROUP BY {PLACE} HAVING min(value) <> max(value)
            )"""
    if counts.get("compacted"):
        queries["older_than_removed"] = _OLDER_THAN_REMOVED
    if "deliveries" in survey.recorded:
        queries["delivered_not_in_log"] = _deliveries_not_in_log(tables)
    return queries


def _end_queries(
    survey: Survey, tables: FullTables, counts: Mapping[str, int | None]
) -> dict[str, str]:
    queries: dict[str, str] = {}
    known = f"""
        SELECT topic, partition, offset + 1 AS end FROM {tables.log}
        UNION ALL SELECT topic, partition, log_start_offset FROM partitions"""
    # The marker at the end of a transaction takes an offset, but is not a record.
    markers = "(SELECT count(1) FROM transactions)"
    has_transactions = "transactions" in survey.recorded
    if has_transactions or not (
        survey.fact("sends", "transactional") or survey.fact("log", "aborted")
    ):
        queries["log_ends_early"] = _ends(
            "SELECT topic, partition, max(log_end_offset) AS claimed FROM partitions GROUP BY ALL",
            known,
            f"claimed > end + {markers}",
        )
        queries["commit_beyond_end"] = _ends(
            "SELECT topic, partition, position AS claimed FROM group_positions",
            f"{known} UNION ALL SELECT topic, partition, log_end_offset FROM partitions",
            f"claimed > end + {markers}",
        )
    if counts.get("expired"):
        queries["start_beyond_log"] = f"""
            SELECT count(1) AS n FROM ({STARTS}) JOIN (
                SELECT topic, partition, max(offset) AS last FROM (
                    SELECT topic, partition, offset FROM {tables.sends}
                    UNION ALL SELECT topic, partition, offset FROM {tables.log}
                    UNION ALL SELECT topic, partition, offset FROM {tables.deliveries}
                ) WHERE offset IS NOT NULL GROUP BY topic, partition
            ) USING (topic, partition)
            WHERE start > last + 1 + {markers}
                + (SELECT count(1) FROM {tables.sends} WHERE offset IS NULL)"""
    return queries


def _ends(claimed: str, known: str, condition: str) -> str:
    """Compares, by partition, an offset that is `claimed` with the known `end` of the log."""
    return f"""
        SELECT count(1) AS n FROM ({claimed}) LEFT JOIN (
            SELECT topic, partition, coalesce(max(end), 0L) AS end FROM ({known}) GROUP BY ALL
        ) USING (topic, partition) WHERE {condition}"""


def _deliveries_not_in_log(tables: FullTables) -> str:
    """Deliveries of records that the log lacks, though they were not deleted or compacted.

    Partitions that were created again are excluded, too. In a large ledger only odd deliveries are
    compared (`spark_jobs.sieve`): the log has every sound record.
    """
    return f"""
        SELECT count(1) AS n FROM (
            SELECT {PLACE}, value FROM deliveries WHERE offset IS NOT NULL
        ) LEFT ANTI JOIN log USING ({PLACE}, value)
        LEFT SEMI JOIN (SELECT topic, partition FROM {tables.log}) USING (topic, partition)
        LEFT JOIN (
            SELECT topic, partition, max(log_start_offset) AS start,
                bool_or(created_ns IS NOT NULL OR contains(cleanup_policy, 'compact')) AS changed
            FROM partitions GROUP BY topic, partition
        ) USING (topic, partition)
        WHERE NOT coalesce(offset < start, false) AND NOT coalesce(changed, false)"""


def _transaction_queries(survey: Survey) -> dict[str, str]:
    queries: dict[str, str] = {}
    has_transactions = "transactions" in survey.recorded
    if has_transactions and survey.fact("sends", "transactional"):
        queries |= {"foreign_abort": _FOREIGN_ABORTS, "sent_after_end": _SENT_AFTER_END}
        if survey.fact("transactions", "aborted") and "log" in survey.recorded:
            queries["committed_but_aborted"] = _COMMITTED_BUT_ABORTED
    if survey.fact("log", "aborted") and not has_transactions:
        queries["aborted_outside"] = _ABORTED_OUTSIDE
    return queries
