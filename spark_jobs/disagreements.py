"""Tables of a ledger without a seal that do not agree with each other.

No count is wrong where they disagree, and yet one of the two tables cannot be true. Whichever it
is, a loss may be behind it. As in `spark_jobs.doubts`, each question is a SELECT of a number `n`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from spark_jobs.columns import PLACE
from spark_jobs.counts.gone import STARTS
from spark_jobs.survey import Survey

REASONS: Mapping[str, str] = {
    "unread": "Its log ends before `log_end_offset`: the final read left records out.",
    "beyond": "A group has committed an offset beyond the end of the log.",
    "far": "Its log starts beyond everything that is known to have been in it.",
    "vanished": "Some of its deliveries are of records that its log does not have.",
    "foreseen": "Some of its messages were delivered before they were sent.",
    "answered": "Some of its sends have an offset, were not acknowledged, and are not in the log.",
    "confused": "Its log has two messages at one offset.",
    "unsent": "Its sink has effects of messages that were never sent.",
    "larger": "Some of its state is larger than what was put in.",
    "usurped": "Some of its messages were aborted by a producer that did not send them.",
    "belated": "Some of its messages were sent after their transaction had ended.",
    "outside": "Its log calls messages aborted that were sent outside a transaction.",
    "committed": "Its log calls messages committed that `transactions` calls aborted.",
    "older": "Its log has older messages of a key than one that compaction removed.",
}
"""By question: the reason of the verdict if it finds something."""

_FOREIGN_ABORTS = """
    SELECT count(1) AS n FROM attempts JOIN (
        SELECT transaction, collect_set(producer) AS producers FROM transactions
        WHERE outcome = 'aborted' GROUP BY transaction
    ) USING (transaction)
    WHERE acknowledged AND aborted AND size(producers) > 0
        AND NOT coalesce(array_contains(producers, producer), true)"""

_BELATED = """
    SELECT count(1) AS n FROM attempts JOIN (
        SELECT transaction, max(ended_ns) AS ended FROM transactions
        GROUP BY transaction HAVING count(ended_ns) = count(1)
    ) USING (transaction)
    WHERE invoked_ns > ended"""

_OUTSIDE = """
    SELECT count(1) AS n FROM attempts LEFT SEMI JOIN (
        SELECT value FROM log WHERE transaction_state = 'aborted'
    ) USING (value)
    WHERE acknowledged AND transaction IS NULL"""

_COMMITTED = """
    SELECT count(1) AS n FROM aborted_values LEFT SEMI JOIN (
        SELECT value FROM log WHERE transaction_state = 'committed'
    ) USING (value)"""

_OLDER = """
    SELECT count(1) AS n FROM (
        SELECT topic, partition, key, offset FROM attempts LEFT SEMI JOIN (
            SELECT value FROM each_value WHERE standing AND visible = 0 AND gone AND NOT expired
        ) USING (value) WHERE acknowledged
    ) AS removed JOIN (
        SELECT topic, partition, key, min(offset) AS oldest
        FROM (SELECT * FROM copies WHERE visible)
        JOIN (SELECT DISTINCT value, key FROM attempts WHERE key IS NOT NULL) USING (value)
        GROUP BY topic, partition, key
    ) USING (topic, partition, key)
    WHERE oldest < offset"""
"""Compaction goes through a log from its start, and keeps the latest record of a key."""


@dataclass(frozen=True, slots=True)
class Whole:
    """The names of tables with all of their rows."""

    sends: str
    log: str
    deliveries: str


def disagreements(seen: Survey, whole: Whole, counts: Mapping[str, int | None]) -> dict[str, str]:
    """The questions that this ledger gives rise to, by the names of `REASONS`."""
    asked: dict[str, str] = {}
    if "log" in seen.recorded:
        asked |= _of_places(seen, whole, counts)
    if seen.fact("deliveries", "timed"):
        asked["foreseen"] = f"""
            SELECT count(1) AS n FROM (
                SELECT value FROM (
                    SELECT value, invoked_ns, CAST(NULL AS bigint) AS time_ns FROM {whole.sends}
                    UNION ALL SELECT value, NULL, time_ns FROM {whole.deliveries}
                ) GROUP BY value HAVING min(time_ns) < min(invoked_ns)
            )"""
    if "effects" in seen.recorded:
        asked["unsent"] = (
            f"SELECT count(1) AS n FROM effects LEFT ANTI JOIN {whole.sends} USING (value)"
        )
    if "state" in seen.recorded:
        asked["larger"] = "SELECT count(1) AS n FROM state WHERE actual > expected"
    return asked | _of_transactions(seen)


def _of_places(seen: Survey, whole: Whole, counts: Mapping[str, int | None]) -> dict[str, str]:
    asked = _of_ends(seen, whole, counts)
    if seen.fact("sends", "answered"):
        asked["answered"] = f"""
            SELECT count(1) AS n FROM (
                SELECT value FROM {whole.sends} GROUP BY value
                HAVING bool_and(outcome <> 'ok') AND bool_or(offset IS NOT NULL)
            ) LEFT ANTI JOIN {whole.log} USING (value)"""
    if counts.get("diverged"):
        asked["confused"] = f"""
            SELECT count(1) AS n FROM (
                SELECT {PLACE} FROM {whole.log} WHERE replica IS NULL
                GROUP BY {PLACE} HAVING min(value) <> max(value)
            )"""
    if counts.get("compacted"):
        asked["older"] = _OLDER
    if "deliveries" in seen.recorded:
        asked["vanished"] = _vanished(whole)
    return asked


def _of_ends(seen: Survey, whole: Whole, counts: Mapping[str, int | None]) -> dict[str, str]:
    asked: dict[str, str] = {}
    known = f"""
        SELECT topic, partition, offset + 1 AS end FROM {whole.log}
        UNION ALL SELECT topic, partition, log_start_offset FROM partitions"""
    # The end of a transaction takes an offset, and no record is there.
    markers = "(SELECT count(1) FROM transactions)"
    has_transactions = "transactions" in seen.recorded
    if has_transactions or not (seen.fact("sends", "transactional") or seen.fact("log", "aborted")):
        asked["unread"] = _ends(
            "SELECT topic, partition, max(log_end_offset) AS there FROM partitions GROUP BY ALL",
            known,
            f"there > end + {markers}",
        )
        asked["beyond"] = _ends(
            "SELECT topic, partition, position AS there FROM stands",
            f"{known} UNION ALL SELECT topic, partition, log_end_offset FROM partitions",
            f"there > end + {markers}",
        )
    if counts.get("expired"):
        asked["far"] = f"""
            SELECT count(1) AS n FROM ({STARTS}) JOIN (
                SELECT topic, partition, max(offset) AS last FROM (
                    SELECT topic, partition, offset FROM {whole.sends}
                    UNION ALL SELECT topic, partition, offset FROM {whole.log}
                    UNION ALL SELECT topic, partition, offset FROM {whole.deliveries}
                ) WHERE offset IS NOT NULL GROUP BY topic, partition
            ) USING (topic, partition)
            WHERE start > last + 1 + {markers}
                + (SELECT count(1) FROM {whole.sends} WHERE offset IS NULL)"""
    return asked


def _ends(there: str, known: str, condition: str) -> str:
    """By partition, what is said to be `there`, held against the `end` that is known."""
    return f"""
        SELECT count(1) AS n FROM ({there}) LEFT JOIN (
            SELECT topic, partition, coalesce(max(end), 0L) AS end FROM ({known}) GROUP BY ALL
        ) USING (topic, partition) WHERE {condition}"""


def _vanished(whole: Whole) -> str:
    """Deliveries of no record of the log, where it was not deleted, compacted or created again.

    Of a large ledger the rows that `spark_jobs.sieve` left: a sound one is in the log.
    """
    return f"""
        SELECT count(1) AS n FROM (
            SELECT {PLACE}, value FROM deliveries WHERE offset IS NOT NULL
        ) LEFT ANTI JOIN log USING ({PLACE}, value)
        LEFT SEMI JOIN (SELECT topic, partition FROM {whole.log}) USING (topic, partition)
        LEFT JOIN (
            SELECT topic, partition, max(log_start_offset) AS start,
                bool_or(created_ns IS NOT NULL OR contains(cleanup_policy, 'compact')) AS changed
            FROM partitions GROUP BY topic, partition
        ) USING (topic, partition)
        WHERE NOT coalesce(offset < start, false) AND NOT coalesce(changed, false)"""


def _of_transactions(seen: Survey) -> dict[str, str]:
    asked: dict[str, str] = {}
    has_transactions = "transactions" in seen.recorded
    if has_transactions and seen.fact("sends", "transactional"):
        asked |= {"usurped": _FOREIGN_ABORTS, "belated": _BELATED}
        if seen.fact("transactions", "aborted") and "log" in seen.recorded:
            asked["committed"] = _COMMITTED
    if seen.fact("log", "aborted") and not has_transactions:
        asked["outside"] = _OUTSIDE
    return asked
