"""Finds gaps in a ledger through which a loss would be unseen, so that nothing holds.

Asked only of a ledger that would hold, so that no other pays for it.
"""

from __future__ import annotations

from collections.abc import Mapping

from spark_jobs.columns import IS_FINAL, READER
from spark_jobs.counts.gone import STARTS
from spark_jobs.disagreements import REASONS, Whole, disagreements
from spark_jobs.survey import Survey

_LAST = f"""
    SELECT reader, topic, partition, count(time_ns) NOT IN (0, count(1)) AS torn,
        max_by(struct(outcome, offset), struct(coalesce(time_ns, -1L), offset)) AS last
    FROM (SELECT *, {READER} AS reader FROM commits)
    WHERE NOT {IS_FINAL} AND outcome <> 'fail' GROUP BY reader, topic, partition"""

_UNSURE = f"""
    SELECT reader FROM ({_LAST}) AS ends LEFT JOIN (
        SELECT reader, topic, partition, max(last) AS reached FROM delivery_bundles
        WHERE NOT final GROUP BY reader, topic, partition
    ) USING (reader, topic, partition)
    WHERE torn OR last.outcome = 'info' AND last.offset > coalesce(reached, -1L) + 1"""

_DISOWNED = """
    SELECT DISTINCT value FROM attempts LEFT SEMI JOIN (
        SELECT value FROM log GROUP BY value
        HAVING bool_and(coalesce(transaction_state = 'aborted', false))
    ) AS gone USING (value)
    WHERE outcome = 'ok' AND NOT aborted"""

_REASONS: Mapping[str, str] = {
    "unsure": "Its commits leave open up to which record each group had read.",
    "strange": "Its commits or deliveries are of partitions of which it has no log.",
    "placeless": "Some of its deliveries are without an offset, and others are not.",
    "orphaned": "It tells of transactions, and of no message in which it was.",
    "disowned": "Its log calls messages aborted, and it tells of no abort of them.",
    "earlier": "Its log has messages that were sent before their topic was created.",
    **REASONS,
}


_PARTLY: Mapping[str, str] = {
    "named": "Some of its sends are without a producer, and others are not.",
    "begun": "Some of its sends are without `invoked_ns`, and others are not.",
}


def doubt(seen: Survey, sealed: bool, counts: Mapping[str, int | None]) -> str:
    """Why a ledger without harm is `unknown`, in words; empty if nothing speaks against `holds`.

    Of a sealed ledger it asks only what an honest recorder cannot rule out.
    """
    asked = {}
    if seen.fact("commits", "readers"):
        asked["unsure"] = f"SELECT count(1) AS n FROM ({_UNSURE})"
    if not sealed:
        for name, text in _PARTLY.items():
            if seen.fact("sends", name) not in (0, seen.fact("sends", "rows")):
                return text
        asked |= _of_unsealed(seen, counts)
    if not asked:
        return ""
    rows = " UNION ALL ".join(f"SELECT '{name}' AS name, n FROM ({asked[name]})" for name in asked)
    names = {row["name"] for row in seen.views.rows(rows) if row["n"]}
    return next((text for name, text in _REASONS.items() if name in names), "")


def _of_unsealed(seen: Survey, counts: Mapping[str, int | None]) -> dict[str, str]:
    # Of a large ledger the tables themselves are only what `spark_jobs.sieve` left in them.
    whole = (
        Whole("sends", "log", "deliveries")
        if seen.views.small
        else Whole("every_send", "every_record", "every_delivery")
    )
    asked = disagreements(seen, whole, counts)
    if "log" in seen.recorded and seen.recorded & {"commits", "deliveries"}:
        asked["strange"] = f"""
            SELECT count(1) AS n FROM (
                SELECT topic, partition FROM commits
                WHERE offset > 0 AND outcome <> 'fail' AND NOT {IS_FINAL}
                UNION SELECT topic, partition FROM {whole.deliveries}
            ) LEFT ANTI JOIN (
                SELECT topic, partition FROM {whole.log}
                UNION SELECT topic, partition FROM partitions
            ) USING (topic, partition)"""
        asked["placeless"] = (
            f"SELECT if(count(offset) IN (0, count(1)), 0L, 1L) AS n FROM {whole.deliveries}"
        )
    if not seen.fact("sends", "transactional"):
        asked["orphaned"] = "SELECT count(1) AS n FROM transactions"
    if seen.fact("log", "aborted") and "transactions" in seen.recorded:
        asked["disowned"] = f"SELECT count(1) AS n FROM ({_DISOWNED})"
    if seen.fact("partitions", "started"):
        asked["earlier"] = f"""
            SELECT count(1) AS n FROM (
                SELECT value FROM {whole.sends} LEFT SEMI JOIN {whole.log} USING (value)
                LEFT JOIN ({STARTS}) USING (topic, partition)
                WHERE outcome <> 'fail'
                GROUP BY value HAVING bool_and(coalesce(completed_ns < created, false))
            )"""
    return asked
