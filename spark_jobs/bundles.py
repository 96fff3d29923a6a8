"""Bundles: rows that differ only in their time become one row with their number.

The timeline, idle periods, positions and polls need only the number of rows, and the first and last
of them. So the sends and deliveries of a large ledger are bundled, by reading each table once; in a
small ledger each row is a bundle of its own. These views cover all rows, even if
`spark_jobs.sieve` has set most of them aside:

- `every_attempt`: when each send was invoked and completed, and its outcome;
- `send_bundles`: the same by cells of time, with `n`;
- `delivery_bundles`: by poll and cell of time, with `n`, `first` and `last` offset;
- `group_positions`: the position of each reader in each partition.
"""

from __future__ import annotations

from spark_jobs.columns import IS_FINAL, READER
from spark_jobs.counts.positions import POSITIONS
from spark_jobs.survey import Survey

_ATTEMPT = "invoked_ns, completed_ns, outcome, acknowledged"

_ONE_SEND = f"SELECT {_ATTEMPT}, 1L AS n, completed_ns AS completed_last_ns FROM every_attempt"

_ONE_DELIVERY = """
    SELECT topic, partition, consumer, reader, final, assignment, poll, 1L AS n,
        offset AS first, offset AS last, time_ns, time_ns AS last_ns
    FROM marked_deliveries"""


def define_whole(survey: Survey) -> None:
    """Defines views of the full tables of a large ledger, and bundles its deliveries.

    Bundles its sends, too, unless some are in transactions: then the outcome of a send also depends
    on its transaction.
    """
    views = survey.views
    views.define("every_send", "SELECT * FROM sends")
    views.define("every_record", "SELECT * FROM log")
    views.define("every_delivery", f"SELECT *, {IS_FINAL} AS final FROM deliveries")
    views.define("delivery_bundles", _deliveries(survey), checkpointed=True)
    views.define("group_positions", POSITIONS)
    if not survey.fact("sends", "transactional"):
        views.define(
            "every_attempt",
            "SELECT invoked_ns, completed_ns, outcome, outcome = 'ok' AS acknowledged FROM sends",
        )
        views.define("send_bundles", _sends(survey), checkpointed=True)


def define(survey: Survey) -> None:
    """Defines the remaining bundles, once the views of `spark_jobs.history` are defined."""
    views = survey.views
    if views.small:
        views.define("every_attempt", f"SELECT {_ATTEMPT} FROM attempts")
        views.define("send_bundles", _ONE_SEND)
        views.define("delivery_bundles", _ONE_DELIVERY)
        views.define("group_positions", POSITIONS)
        return
    if not survey.fact("sends", "transactional"):
        return
    # Sends in transactions are never set aside.
    views.define(
        "every_attempt",
        f"""
        SELECT invoked_ns, completed_ns, outcome, outcome = 'ok' AS acknowledged
        FROM every_send WHERE transaction IS NULL
        UNION ALL SELECT {_ATTEMPT} FROM attempts WHERE transaction IS NOT NULL""",
    )
    views.define("send_bundles", _sends(survey), checkpointed=True)


def _deliveries(survey: Survey) -> str:
    return f"""
        SELECT *, {READER} AS reader, {IS_FINAL} AS final FROM (
            SELECT topic, partition, consumer, `group`, assignment, poll, count(1) AS n,
                min(offset) AS first, max(offset) AS last,
                min(time_ns) AS time_ns, max(time_ns) AS last_ns
            FROM deliveries
            GROUP BY topic, partition, consumer, `group`, assignment, poll, {survey.cell("time_ns")}
        )"""


def _sends(survey: Survey) -> str:
    """Acknowledged sends by cells. The other sends keep their exact times: they may end within an
    idle period, and waits before it and after it must not become one wait through all of it."""
    return f"""
        SELECT outcome, acknowledged, count(1) AS n, min(invoked_ns) AS invoked_ns,
            min(completed_ns) AS completed_ns, max(completed_ns) AS completed_last_ns
        FROM every_attempt
        GROUP BY outcome, acknowledged, {survey.cell("invoked_ns")}, {survey.cell("completed_ns")},
            if(acknowledged, NULL, invoked_ns), if(acknowledged, NULL, completed_ns)"""
