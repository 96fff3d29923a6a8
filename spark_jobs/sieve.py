"""Sets aside the sound messages of a large ledger, before anything is counted by message.

Most messages were sent once, were acknowledged, are in the log at the acknowledged offset, and were
delivered once to each group. Sixteen neighbouring offsets of a partition are a *stretch*. The
sends, the log and the deliveries of each reader fold a stretch into one row: its offsets, and the
value at each. If all these rows are equal the stretch is *sound*. This test is exact, and it
shuffles only a sixteenth of the rows.

All other values are *odd*: those in any other stretch, those that were not plainly acknowledged,
and those that were sent more than once. All rows of an odd value are odd, wherever they are.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from spark_jobs.counts.gaps import idle_periods
from spark_jobs.size import SMALL_ROWS
from spark_jobs.survey import Survey

MOST_ODD = 2_000_000
"""The most odd stretches and values kept in memory. A ledger with more is not sieved."""

_SIEVED = {"sends", "log", "deliveries"}
_STRETCH = "topic, partition, offset DIV 16 AS stretch"

_NIBBLES = 4
"""The number of low nibbles (four bits) of a value that a fold holds for each offset."""

_AT = "CAST(offset % 16 AS int)"
_HIGH = f"shiftright(value, {4 * _NIBBLES - 1})"
_FOLDS = {
    "n": "count(1)",
    "places": f"bit_or(shiftleft(1, {_AT}))",
    "lowest": f"min({_HIGH})",
    "highest": f"max({_HIGH})",
    **{
        f"nibbles_{k}": f"bit_or(shiftleft(shiftright(value, {4 * k}) & 15, 4 * {_AT}))"
        for k in range(_NIBBLES)
    },
}
"""A stretch as aggregates that do not depend on the order of rows.

They determine all values exactly if no offset is there twice (`n` is the number of `places`) and
the high parts are at most two neighbours: the last bit of the last nibble tells which one.
"""

_FOLDED = ", ".join(f"{fold} AS {name}" for name, fold in _FOLDS.items())
_FOLD = ", ".join(_FOLDS)
_EXACT = "n = bit_count(places) AND highest - lowest <= 1"
_EQUAL = " AND ".join(f"min({name}) = max({name})" for name in _FOLDS)

_IS_PLAIN = {
    "every_send": "outcome = 'ok' AND transaction IS NULL AND offset >= 0",
    "every_record": "offset >= 0 AND coalesce(transaction_state, '') <> 'aborted'",
    "every_delivery": "offset >= 0",
}
"""The condition that a sound row fulfils; null counts as false."""

_SIDES = f"""
    SELECT {_STRETCH}, {_FOLDED}, 1 AS sends, 0 AS records, 0 AS readers,
        min(completed_ns) AS acked_ns, 0L AS timed,
        CAST(NULL AS bigint) AS first_ns, CAST(NULL AS bigint) AS last_ns
    FROM every_send WHERE {_IS_PLAIN["every_send"]} GROUP BY 1, 2, 3
    UNION ALL
    SELECT {_STRETCH}, {_FOLDED}, 0, CAST(bool_and({_IS_PLAIN["every_record"]}) AS int), 0,
        NULL, 0L, NULL, NULL
    FROM every_record WHERE offset >= 0 GROUP BY 1, 2, 3
    UNION ALL
    SELECT topic, partition, stretch, {_FOLD}, 0, 0, if(final, 0, 1), NULL, timed, first_ns, last_ns
    FROM (
        SELECT {_STRETCH}, `group`, if(`group` IS NULL, coalesce(consumer, ''), NULL) AS alone,
            final, {_FOLDED}, count(if(final, NULL, time_ns)) AS timed,
            min(if(final, NULL, time_ns)) AS first_ns, max(if(final, NULL, time_ns)) AS last_ns
        FROM every_delivery WHERE {_IS_PLAIN["every_delivery"]} GROUP BY 1, 2, 3, 4, 5, 6
    )"""
"""One row per stretch and table; of the deliveries, one row per stretch and reader.

A record that is not plain makes its stretch odd: another record may be at the same offset.
"""


def _compared(survey: Survey) -> str:
    """A SELECT of the stretches; they are `sound` if the sends, the log and all readers agree.

    All readers means every reader with a position in the partition, and at least one; if the ledger
    has only final readers, it means these. The first delivery of each value was between `first_ns`
    and `last_ns`.
    """
    read = "sum(readers) > 0" if survey.fact("deliveries", "readers") else "count(1) > 2"
    return f"""
        SELECT /*+ BROADCAST(positions) */ topic, partition, stretch, acked_ns, first_ns, last_ns,
            equal AND readers = coalesce(positioned, 0) AS sound
        FROM (
            SELECT topic, partition, stretch, min(acked_ns) AS acked_ns,
                min(first_ns) AS first_ns, min(last_ns) AS last_ns, sum(readers) AS readers,
                bool_and({_EXACT}) AND {_EQUAL} AND {read}
                AND sum(sends) = 1 AND sum(records) = 1
                AND sum(timed) IN (0, min(n) * sum(readers)) AS equal
            FROM ({_SIDES}) GROUP BY topic, partition, stretch
        )
        LEFT JOIN (
            SELECT topic, partition, count(1) AS positioned FROM group_positions
            GROUP BY topic, partition
        ) AS positions USING (topic, partition)"""


def _sifted(survey: Survey) -> str:
    """A SELECT of the odd stretches and, in rows without a stretch, of the waits of sound records.

    There is one such row per idle period. Nothing was delivered in it, so a record that was
    acknowledged before its end and delivered later waited to its end, and the earliest
    acknowledgement covers all of them. This is not exact for a stretch that was delivered partly
    before and partly after the period; such a stretch is odd.
    """
    return f"""
        SELECT if(sound, NULL, topic) AS topic, if(sound, NULL, partition) AS partition,
            if(sound, NULL, stretch) AS stretch, if(sound, begins_ns, NULL) AS begins_ns,
            min(acked_ns) AS acked_ns, max(first_ns) AS delivered_ns
        FROM (
            SELECT /*+ BROADCAST(idle_periods) */ compared.* EXCEPT (sound), begins_ns,
                sound AND NOT coalesce(first_ns <= begins_ns AND last_ns >= ends_ns, false) AS sound
            FROM ({_compared(survey)}) AS compared
            LEFT JOIN ({idle_periods(survey, "blocked_ms")}) AS idle_periods
            ON acked_ns < ends_ns AND coalesce(last_ns > begins_ns, true)
            WHERE NOT sound OR begins_ns IS NOT NULL
        ) GROUP BY 1, 2, 3, 4"""


def sieve(survey: Survey) -> Survey:
    """Reduces `sends`, `log` and `deliveries` to their odd rows, and counts the sound values.

    Also defines `sound_sends`, `sound_records` and `sound_waits`. If there are few odd rows, each
    of the three tables becomes one task, as in a small ledger: a shuffle would cost more. Returns
    the survey unchanged, without touching the tables, if sieving would not pay, or if a sound
    record may matter to an odd one (compaction).
    """
    views = survey.views
    unsuitable = survey.fact("log", "replicas") or survey.fact("partitions", "compacted")
    if unsuitable or survey.doubtful is None or not survey.recorded.issuperset(_SIEVED):
        return survey
    views.define("sifted", _sifted(survey), checkpointed=True)
    suspects = views.materialize(
        "suspects",
        "SELECT DISTINCT topic, partition, stretch, true AS suspect "
        "FROM sifted WHERE stretch IS NOT NULL",
    )
    if suspects + survey.doubtful.result() > MOST_ODD:
        return survey
    odd = " UNION ALL ".join(_odd(table) for table in _IS_PLAIN)
    if views.materialize("odd", f"SELECT DISTINCT value FROM ({odd})") > MOST_ODD:
        return survey
    views.define("sound_sends", _join_odd("every_send", "ANTI"))
    views.define("sound_records", _join_odd("every_record", "ANTI"))
    views.define("sound_waits", "SELECT acked_ns, delivered_ns FROM sifted WHERE stretch IS NULL")
    futures = {
        table: views.submit(partial(views.materialize, table, _join_odd(table, "SEMI")))
        for table in sorted(_SIEVED)
    }
    rows = {table: future.result() for table, future in futures.items()}
    if sum(rows.values()) <= SMALL_ROWS and not views.large:
        views.coalesce(*rows)
    return replace(survey, sound=survey.fact("sends", "rows") - rows["sends"])


def _odd(table: str) -> str:
    """A SELECT of the values of a table's odd rows."""
    hint, join, doubtful = "suspects", "", "false"
    if table == "every_send":
        hint, join, doubtful = "suspects, doubtful", "LEFT JOIN doubtful USING (block)", "doubtful"
    return f"""
        SELECT /*+ BROADCAST({hint}) */ value FROM (
            SELECT {_STRETCH}, value, shiftright(value, 6) AS block,
                coalesce({_IS_PLAIN[table]}, false) AS plain
            FROM {table}
        ) LEFT JOIN suspects USING (topic, partition, stretch) {join}
        WHERE NOT plain OR suspect OR {doubtful}"""


def _join_odd(table: str, kind: str) -> str:
    """A SELECT of the rows of a table whose value is odd (SEMI), or is not (ANTI)."""
    return f"SELECT /*+ BROADCAST(odd) */ * FROM {table} LEFT {kind} JOIN odd USING (value)"
