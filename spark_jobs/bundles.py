"""Rows that nothing tells apart but their moment, in one row with their number.

What the timeline, silences, positions and polls ask of millions of rows is how many there were
and where they began and ended. So a large ledger's sends and deliveries are bundled, in one
reading each; in a small one each row is a bundle of its own. These views stand for all rows,
also where `spark_jobs.sieve` has set most of them aside:

- `every_attempt`: when each send was invoked and completed, and what it was told;
- `send_bundles`: the same by cells of time, with `n`;
- `delivery_bundles`: by poll and cell of time, with `n`, `first` and `last` offset;
- `stands`: the position of each reader in each partition.
"""

from __future__ import annotations

from spark_jobs.columns import IS_FINAL, READER
from spark_jobs.counts.positions import STANDS
from spark_jobs.survey import Survey

_ATTEMPT = "invoked_ns, completed_ns, outcome, acknowledged"

_ONE_SEND = f"SELECT {_ATTEMPT}, 1L AS n, completed_ns AS completed_last_ns FROM every_attempt"

_ONE_DELIVERY = """
    SELECT topic, partition, consumer, reader, final, assignment, poll, 1L AS n,
        offset AS first, offset AS last, time_ns, time_ns AS last_ns
    FROM handed"""


def define_whole(seen: Survey) -> None:
    """Names the tables of a large ledger as they are, and bundles its deliveries.

    Its sends too, unless some are of transactions: then an outcome is not what it was told.
    """
    views = seen.views
    views.define("every_send", "SELECT * FROM sends")
    views.define("every_record", "SELECT * FROM log")
    views.define("every_delivery", f"SELECT *, {IS_FINAL} AS final FROM deliveries")
    views.define("delivery_bundles", _deliveries(seen), settled=True)
    views.define("stands", STANDS)
    if not seen.fact("sends", "transactional"):
        views.define(
            "every_attempt",
            "SELECT invoked_ns, completed_ns, outcome, outcome = 'ok' AS acknowledged FROM sends",
        )
        views.define("send_bundles", _sends(seen), settled=True)


def define(seen: Survey) -> None:
    """Bundles what is left, once the history is ready."""
    views = seen.views
    if views.small:
        views.define("every_attempt", f"SELECT {_ATTEMPT} FROM attempts")
        views.define("send_bundles", _ONE_SEND)
        views.define("delivery_bundles", _ONE_DELIVERY)
        views.define("stands", STANDS)
        return
    if not seen.fact("sends", "transactional"):
        return
    # What is in a transaction is never set aside.
    views.define(
        "every_attempt",
        f"""
        SELECT invoked_ns, completed_ns, outcome, outcome = 'ok' AS acknowledged
        FROM every_send WHERE transaction IS NULL
        UNION ALL SELECT {_ATTEMPT} FROM attempts WHERE transaction IS NOT NULL""",
    )
    views.define("send_bundles", _sends(seen), settled=True)


def _deliveries(seen: Survey) -> str:
    return f"""
        SELECT *, {READER} AS reader, {IS_FINAL} AS final FROM (
            SELECT topic, partition, consumer, `group`, assignment, poll, count(1) AS n,
                min(offset) AS first, max(offset) AS last,
                min(time_ns) AS time_ns, max(time_ns) AS last_ns
            FROM deliveries
            GROUP BY topic, partition, consumer, `group`, assignment, poll, {seen.cell("time_ns")}
        )"""


def _sends(seen: Survey) -> str:
    """Acknowledged sends by cells. The others keep their moments: they may end within a silence,
    and what waited before it and after it did not wait all through it."""
    return f"""
        SELECT outcome, acknowledged, count(1) AS n, min(invoked_ns) AS invoked_ns,
            min(completed_ns) AS completed_ns, max(completed_ns) AS completed_last_ns
        FROM every_attempt
        GROUP BY outcome, acknowledged, {seen.cell("invoked_ns")}, {seen.cell("completed_ns")},
            if(acknowledged, NULL, invoked_ns), if(acknowledged, NULL, completed_ns)"""
