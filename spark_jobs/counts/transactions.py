"""Counts of transactions: delivered in part, or delivered although aborted."""

from __future__ import annotations

from spark_jobs.columns import SHOWN_PLACE, flag
from spark_jobs.counts import Family

_TORN = """
    WITH parts AS (
        SELECT DISTINCT transaction, value FROM attempts
        WHERE transaction IS NOT NULL AND outcome <> 'fail' AND coalesce(fate <> 'aborted', true)
    ), shares AS (
        SELECT transaction, reader, count(value) AS handed
        FROM parts JOIN (SELECT DISTINCT reader, value FROM marked_deliveries) USING (value)
        GROUP BY transaction, reader
    )
    SELECT * FROM (SELECT transaction, count(value) AS size FROM parts GROUP BY transaction)
    JOIN (SELECT transaction, min(handed) AS handed FROM shares GROUP BY transaction)
    USING (transaction)"""

TORN = Family(_TORN, {"torn_transaction": flag("handed < size")}, ("transaction", "size", "handed"))
"""One row per transaction that was not aborted and of which a group received something.

A send that definitely did not happen is not part of its transaction.
"""

ABORTED_READ = Family(
    "SELECT * FROM marked_deliveries WHERE aborted",
    {"aborted_read": "1L"},
    ("reader", *SHOWN_PLACE, "value", "time_ns"),
)
"""Deliveries of aborted records, at whatever isolation level."""
