"""The answer by DuckDB: `python -m benchmarks.scale.by_duckdb LEDGER MEMORY_GIB` prints JSON."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import duckdb

from benchmarks.scale.answer import SHORTEST_NS, answer, bucket_ns

_VALUES = """
    CREATE TEMP TABLE each_value AS
    WITH copies AS (SELECT DISTINCT topic, partition, "offset", value FROM log),
    positions AS (
        SELECT "group", topic, partition, arg_max("offset", time_ns) AS position
        FROM commits WHERE outcome = 'ok' GROUP BY ALL
    ),
    beyond AS (
        SELECT value, "group" FROM copies JOIN positions USING (topic, partition)
        WHERE "offset" < position
    ),
    passed AS (
        SELECT value, "group", count(*) AS passed
        FROM beyond ANTI JOIN deliveries USING (value, "group") GROUP BY ALL
    ),
    known AS (
        SELECT value, 1 AS attempts, outcome = 'ok' AS ok, outcome = 'info' AS info,
            outcome = 'fail' AS failed, 0 AS copies, 0 AS reads, false AS read, 0 AS passed,
            if(outcome = 'ok', completed_ns, NULL) AS acked_ns, NULL::BIGINT AS delivered_ns
        FROM sends
        UNION ALL
        SELECT value, 0, false, false, NULL, 1, 0, false, 0, NULL, NULL FROM copies
        UNION ALL
        SELECT value, 0, false, false, NULL, 0, 1, "group" <> 'final', 0, NULL,
            if("group" = 'final', NULL, time_ns)
        FROM deliveries
        UNION ALL
        SELECT value, 0, false, false, NULL, 0, 0, false, passed, NULL, NULL FROM passed
    )
    SELECT sum(attempts) > 0 AS sent, bool_or(ok) AS ok, bool_or(info) AS info,
        coalesce(bool_and(failed), false) AS failed, sum(copies)::INT AS copies,
        sum(reads)::INT AS reads, bool_or(read) AS read,
        max(passed) = sum(copies) AND sum(copies) > 0 AS skipped,
        min(acked_ns) AS acked_ns, min(delivered_ns) AS delivered_ns
    FROM known GROUP BY value"""

_COUNTS = """
    SELECT
        count(*) FILTER (sent) AS sent, count(*) FILTER (ok) AS ok,
        count(*) FILTER (sent AND NOT ok AND NOT info) AS fail,
        count(*) FILTER (sent AND NOT ok AND info) AS info, count(*) FILTER (ok) AS obliged,
        count(*) FILTER (copies > 0) AS in_log, count(*) FILTER (reads > 0) AS delivered,
        count(*) FILTER (ok AND copies = 0) AS lost_write,
        count(*) FILTER (sent AND NOT ok AND copies = 0) AS given_up,
        count(*) FILTER (NOT sent OR failed AND (copies > 0 OR reads > 0)) AS phantom,
        sum(greatest(copies - 1, 0))::BIGINT AS duplicate, count(*) FILTER (skipped) AS skipped,
        count(*) FILTER (ok AND copies > 0 AND reads = 0 AND NOT skipped) AS unseen,
        count(*) FILTER (ok AND copies > 0 AND reads > 0 AND NOT read AND NOT skipped) AS late
    FROM each_value"""

_REDELIVERY = """
    SELECT count(*) - (SELECT count(*) FROM (
        SELECT DISTINCT "group", topic, partition, "offset", value
        FROM deliveries WHERE "group" <> 'final'
    )) AS redelivery FROM deliveries WHERE "group" <> 'final'"""

_DIVERGED = """
    SELECT count(*) AS diverged FROM (
        SELECT topic, partition, "offset" FROM (
            SELECT topic, partition, "offset", value FROM log
            UNION ALL SELECT topic, partition, "offset", value FROM deliveries
        ) GROUP BY ALL HAVING min(value) <> max(value)
    )"""

_REORDERED = """
    SELECT count(*) FILTER (invoked_ns < before_ns) AS reordered FROM (
        SELECT invoked_ns, lag(invoked_ns) OVER (
            PARTITION BY topic, partition, producer ORDER BY "offset", invoked_ns) AS before_ns
        FROM (SELECT value, topic, partition, min("offset") AS "offset" FROM log GROUP BY ALL)
        JOIN (SELECT value, producer, min(invoked_ns) AS invoked_ns FROM sends GROUP BY ALL)
        USING (value)
    )"""

_POLLS = """
    WITH polls AS (
        SELECT consumer, "group", assignment, topic, partition, poll,
            min("offset") AS first, max("offset") AS last
        FROM deliveries GROUP BY ALL
    ), pairs AS (
        SELECT *, lag(last) OVER (
            PARTITION BY consumer, "group", assignment, topic, partition ORDER BY poll) AS before
        FROM polls
    ), beyond AS (
        SELECT DISTINCT consumer, "group", assignment, poll
        FROM log JOIN (FROM pairs WHERE first > before + 1) USING (topic, partition)
        WHERE before < "offset" AND "offset" < first
    )
    SELECT
        (SELECT count(*) FROM (SELECT DISTINCT consumer, "group", assignment, poll
         FROM pairs WHERE first <= before)) AS nonmonotonic_poll,
        (SELECT count(*) FROM beyond) AS poll_skip"""

_WAITED = """
    WITH cells AS (
        SELECT min(at_ns) AS first_ns, max(at_ns) AS last_ns
        FROM ({marks}) GROUP BY at_ns // {cell}
        UNION ALL VALUES (-2::BIGINT ** 61, -2::BIGINT ** 61), (2::BIGINT ** 61, 2::BIGINT ** 61)
    ), idle_periods AS (
        SELECT lag(last_ns) OVER (ORDER BY first_ns) AS begins_ns, first_ns AS ends_ns
        FROM cells QUALIFY ends_ns - begins_ns > {shortest}
    ), clipped AS (
        SELECT DISTINCT begins_ns, greatest(from_ns, begins_ns) AS from_ns,
            least(to_ns, ends_ns) AS to_ns
        FROM ({waits}) JOIN idle_periods
        ON to_ns > from_ns AND from_ns < ends_ns AND to_ns > begins_ns
    ), reached AS (
        SELECT *, max(to_ns) OVER (PARTITION BY begins_ns ORDER BY from_ns, to_ns
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS reached
        FROM clipped
    ), pieces AS (
        SELECT *, sum(if(reached IS NULL OR from_ns > reached, 1, 0)) OVER (
            PARTITION BY begins_ns ORDER BY from_ns, to_ns ROWS UNBOUNDED PRECEDING) AS piece
        FROM reached
    )
    SELECT coalesce(sum((long // 1000000)::BIGINT), 0)::BIGINT AS {name} FROM (
        SELECT max(to_ns) - min(from_ns) AS long FROM pieces GROUP BY begins_ns, piece
    ) WHERE long > {shortest}"""

_UNAVAILABLE = {
    "name": "unavailable_ms",
    "marks": "SELECT completed_ns AS at_ns FROM sends WHERE outcome = 'ok'",
    "waits": "SELECT invoked_ns AS from_ns, coalesce(completed_ns, {end}) AS to_ns FROM sends",
}
_BLOCKED = {
    "name": "blocked_ms",
    "marks": """SELECT time_ns AS at_ns FROM deliveries WHERE "group" <> 'final'""",
    "waits": """SELECT acked_ns AS from_ns, coalesce(delivered_ns, {end}) AS to_ns
        FROM each_value WHERE copies > 0 AND acked_ns IS NOT NULL""",
}

_LATENCIES = """
    SELECT quantile_disc(took, 0.5) AS p50, quantile_disc(took, 0.99) AS p99, max(took) AS max
    FROM (SELECT completed_ns - invoked_ns AS took FROM sends WHERE outcome = 'ok')"""

_TIMELINE = """
    SELECT bucket, what, sum(n)::BIGINT AS n FROM (
        SELECT (invoked_ns - {start}) // {width} AS bucket, 'sent' AS what, count(*) AS n
        FROM sends GROUP BY ALL
        UNION ALL
        SELECT (completed_ns - {start}) // {width} AS bucket, outcome, count(*)
        FROM sends GROUP BY ALL
        UNION ALL
        SELECT (acked_ns - {start}) // {width} AS bucket, 'lost', count(*)
        FROM each_value WHERE ok AND copies = 0 GROUP BY ALL
        UNION ALL
        SELECT (time_ns - {start}) // {width} AS bucket, 'delivered', count(*)
        FROM deliveries WHERE "group" <> 'final' GROUP BY ALL
    ) GROUP BY ALL"""

_MOMENTS = """
    SELECT least(min(invoked_ns), (SELECT min(time_ns) FROM deliveries)) AS start,
        max(completed_ns) AS sends_end,
        greatest(max(completed_ns), (SELECT max(time_ns) FROM deliveries)) AS end
    FROM sends"""


def _row(session: Any, query: str) -> dict[str, Any]:
    result = session.execute(query)
    return dict(zip([column[0] for column in result.description], result.fetchone(), strict=True))


def _answered(session: Any) -> dict[str, Any]:
    session.execute(_VALUES)
    counts: dict[str, int] = {}
    moments = _row(session, _MOMENTS)
    fixed = {"cell": SHORTEST_NS // 2, "shortest": SHORTEST_NS}
    waited = []
    for kind, end in ((_UNAVAILABLE, moments["sends_end"]), (_BLOCKED, moments["end"])):
        waits = kind["waits"].format(end=end)
        waited.append(_WAITED.format(**{**kind, "waits": waits}, **fixed))
    for query in (_COUNTS, _REDELIVERY, _DIVERGED, _REORDERED, _POLLS, *waited):
        counts.update(_row(session, query))
    width = bucket_ns(moments["start"], moments["end"])
    timeline = session.execute(_TIMELINE.format(start=moments["start"], width=width)).fetchall()
    return answer(counts, _row(session, _LATENCIES), width, timeline)


def main() -> None:
    ledger, memory = Path(sys.argv[1]), sys.argv[2]
    with tempfile.TemporaryDirectory() as spill, duckdb.connect() as session:
        # This limits only its buffers: with 3.2 of 4 GiB it ran out of memory at 10 million sends.
        session.execute(f"SET memory_limit = '{float(memory) * 0.6:g}GiB'")
        session.execute("SET threads = 2")
        session.execute("SET preserve_insertion_order = false")
        session.execute(f"SET temp_directory = '{spill}'")
        for table in ("sends", "log", "deliveries", "commits"):
            parts = ledger / f"{table}.parquet" / "*.parquet"
            session.execute(f"CREATE VIEW {table} AS FROM read_parquet('{parts}')")
        print(json.dumps(_answered(session)))


if __name__ == "__main__":
    main()
