"""Sound messages of a large ledger, set aside before anything is counted message by message.

Most messages were sent once, acknowledged, stand where the producer was told that they stand, and
were handed once to each group. Sixteen neighbouring offsets of a partition make a *stretch*. Each
table folds it, and each reader's deliveries, into one row: which offsets there are, and the value
of each. Where all these rows are equal the stretch is sound, exactly, and a sixteenth of the rows
was moved.

The rest is *odd*: what stands in any other stretch, was not plainly acknowledged, or was sent more
than once; and then every row of such a value, wherever it is.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from spark_jobs.counts.gaps import silences
from spark_jobs.size import SMALL_ROWS
from spark_jobs.survey import Survey

MOST_ODD = 2_000_000
"""The most odd stretches and values kept in memory; a ledger with more is counted whole."""

_SIEVED = {"sends", "log", "deliveries"}
_STRETCH = "topic, partition, offset DIV 16 AS stretch"

_NIBBLES = 4
"""Lowest parts of four bits of a value that a fold holds for each offset."""

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
"""A stretch as sums that do not depend on the order of rows.

They say all values exactly if no offset is there twice (`n` is the number of `places`) and the
high parts are neighbours: which of the two it is, the last bit of the last nibble tells.
"""

_FOLDED = ", ".join(f"{fold} AS {name}" for name, fold in _FOLDS.items())
_FOLD = ", ".join(_FOLDS)
_EXACT = "n = bit_count(places) AND highest - lowest <= 1"
_EQUAL = " AND ".join(f"min({name}) = max({name})" for name in _FOLDS)

_PLAIN = {
    "every_send": "outcome = 'ok' AND transaction IS NULL AND offset >= 0",
    "every_record": "offset >= 0 AND coalesce(transaction_state, '') <> 'aborted'",
    "every_delivery": "offset >= 0",
}
"""The condition of a sound row; null counts as false."""

_SIDES = f"""
    SELECT {_STRETCH}, {_FOLDED}, 1 AS sends, 0 AS records, 0 AS readers,
        min(completed_ns) AS acked_ns, 0L AS timed,
        CAST(NULL AS bigint) AS first_ns, CAST(NULL AS bigint) AS last_ns
    FROM every_send WHERE {_PLAIN["every_send"]} GROUP BY 1, 2, 3
    UNION ALL
    SELECT {_STRETCH}, {_FOLDED}, 0, CAST(bool_and({_PLAIN["every_record"]}) AS int), 0,
        NULL, 0L, NULL, NULL
    FROM every_record WHERE offset >= 0 GROUP BY 1, 2, 3
    UNION ALL
    SELECT topic, partition, stretch, {_FOLD}, 0, 0, if(final, 0, 1), NULL, timed, first_ns, last_ns
    FROM (
        SELECT {_STRETCH}, `group`, if(`group` IS NULL, coalesce(consumer, ''), NULL) AS alone,
            final, {_FOLDED}, count(if(final, NULL, time_ns)) AS timed,
            min(if(final, NULL, time_ns)) AS first_ns, max(if(final, NULL, time_ns)) AS last_ns
        FROM every_delivery WHERE {_PLAIN["every_delivery"]} GROUP BY 1, 2, 3, 4, 5, 6
    )"""
"""One row a stretch and table, and of the deliveries a reader.

A record that is not plain spoils its stretch: another may stand at the same offset.
"""


def _agreed(seen: Survey) -> str:
    """The stretches, `sound` where the sends, the log and all readers say the same.

    That is every reader with a position there, and one at least; where there are none at all but
    the final ones, these. Each value was first handed out between `first_ns` and `last_ns`.
    """
    read = "sum(readers) > 0" if seen.fact("deliveries", "readers") else "count(1) > 2"
    return f"""
        SELECT /*+ BROADCAST(positions) */ topic, partition, stretch, acked_ns, first_ns, last_ns,
            equal AND readers = coalesce(standing, 0) AS sound
        FROM (
            SELECT topic, partition, stretch, min(acked_ns) AS acked_ns,
                min(first_ns) AS first_ns, min(last_ns) AS last_ns, sum(readers) AS readers,
                bool_and({_EXACT}) AND {_EQUAL} AND {read}
                AND sum(sends) = 1 AND sum(records) = 1
                AND sum(timed) IN (0, min(n) * sum(readers)) AS equal
            FROM ({_SIDES}) GROUP BY topic, partition, stretch
        )
        LEFT JOIN (
            SELECT topic, partition, count(1) AS standing FROM stands GROUP BY topic, partition
        ) AS positions USING (topic, partition)"""


def _sifted(seen: Survey) -> str:
    """The odd stretches; and by silence, in a row without one, how long sound records waited.

    Nobody was handed anything in a silence, so what was acknowledged in it or before and handed
    out later waited to its end, and the earliest waited for all. Only of a stretch that was
    handed out partly before and partly after does this say too little: that is odd.
    """
    return f"""
        SELECT if(sound, NULL, topic) AS topic, if(sound, NULL, partition) AS partition,
            if(sound, NULL, stretch) AS stretch, if(sound, begins_ns, NULL) AS begins_ns,
            min(acked_ns) AS acked_ns, max(first_ns) AS handed_ns
        FROM (
            SELECT /*+ BROADCAST(silences) */ agreed.* EXCEPT (sound), begins_ns,
                sound AND NOT coalesce(first_ns <= begins_ns AND last_ns >= ends_ns, false) AS sound
            FROM ({_agreed(seen)}) AS agreed
            LEFT JOIN ({silences(seen, "blocked_ms")}) AS silences
            ON acked_ns < ends_ns AND coalesce(last_ns > begins_ns, true)
            WHERE NOT sound OR begins_ns IS NOT NULL
        ) GROUP BY 1, 2, 3, 4"""


def sieve(seen: Survey) -> Survey:
    """Leaves the odd rows in `sends`, `log` and `deliveries`, and counts the sound values.

    Few odd rows are one task each, as a small ledger is: a shuffle would cost more than they do.
    Beside them it defines `sound_sends`, `sound_records` and `sound_waits`. Where it would not
    pay, or where a sound record may matter to an odd one (compaction), all is left as it is.
    """
    views = seen.views
    aside = seen.fact("log", "replicas") or seen.fact("partitions", "compacted")
    if aside or seen.doubtful is None or not seen.recorded.issuperset(_SIEVED):
        return seen
    views.define("sifted", _sifted(seen), settled=True)
    suspects = views.computed(
        "suspects",
        "SELECT DISTINCT topic, partition, stretch, true AS suspect "
        "FROM sifted WHERE stretch IS NOT NULL",
    )
    if suspects + seen.doubtful.result() > MOST_ODD:
        return seen
    odd = " UNION ALL ".join(_odd(table) for table in _PLAIN)
    if views.computed("odd", f"SELECT DISTINCT value FROM ({odd})") > MOST_ODD:
        return seen
    views.define("sound_sends", _among("every_send", "ANTI"))
    views.define("sound_records", _among("every_record", "ANTI"))
    views.define("sound_waits", "SELECT acked_ns, handed_ns FROM sifted WHERE stretch IS NULL")
    left = {
        table: views.soon(partial(views.computed, table, _among(table, "SEMI")))
        for table in sorted(_SIEVED)
    }
    rows = {table: future.result() for table, future in left.items()}
    if sum(rows.values()) <= SMALL_ROWS and not views.large:
        views.gather(*rows)
    return replace(seen, sound=seen.fact("sends", "rows") - rows["sends"])


def _odd(table: str) -> str:
    """The values of a table's odd rows."""
    hint, join, doubtful = "suspects", "", "false"
    if table == "every_send":
        hint, join, doubtful = "suspects, doubtful", "LEFT JOIN doubtful USING (block)", "doubtful"
    return f"""
        SELECT /*+ BROADCAST({hint}) */ value FROM (
            SELECT {_STRETCH}, value, shiftright(value, 6) AS block,
                coalesce({_PLAIN[table]}, false) AS plain
            FROM {table}
        ) LEFT JOIN suspects USING (topic, partition, stretch) {join}
        WHERE NOT plain OR suspect OR {doubtful}"""


def _among(table: str, kind: str) -> str:
    """The rows of a table whose value is odd (SEMI), or is not (ANTI)."""
    return f"SELECT /*+ BROADCAST(odd) */ * FROM {table} LEFT {kind} JOIN odd USING (value)"
