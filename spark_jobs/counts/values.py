"""Counts of values: lost, expired, compacted, unseen, late, skipped, duplicated, given up …

All facts about one value are aggregated once: its attempts, its copies in the log, how often it
was delivered, and which groups skipped it. `spark_jobs.judging` stores them as `each_value`.
"""

from __future__ import annotations

from collections.abc import Mapping

from spark_jobs.columns import flag
from spark_jobs.counts import Family
from spark_jobs.counts.contradictions import (
    BOTH,
    CONTRADICTIONS,
    PARTITION_BIT,
    PLACE_HASH,
    TOPIC_BIT,
    UNRECORDED,
)
from spark_jobs.counts.gone import with_reasons
from spark_jobs.counts.positions import PASSED_COPIES
from spark_jobs.survey import Survey

_AGGREGATES: Mapping[str, str] = {
    **{name: f"coalesce(sum({name}), 0L)" for name in ("attempts", "copies", "visible", "handed")},
    # True if it is true of any attempt …
    **{
        name: f"coalesce(max({name}), false)"
        for name in ("ok", "obliged", "info", "read_by_group", "cut_off", "both_ends", "unrecorded")
    },
    # … or of all attempts for which it is not null.
    **{name: f"coalesce(min({name}), false)" for name in ("only_failed", "expired", "removed")},
    **{name: f"min({name})" for name in ("invoked_ns", "acked_ns", "delivered_ns")},
    "skipped_copies": "coalesce(max(skipped_copies), 0L)",
    "first_sender": "min(first_sender)",
    "last_sender": "max(last_sender)",
    **{name: f"bit_or({name})" for name in ("sent_topics", "sent_partitions")},
    **{name: f"bit_or({name})" for name in ("log_topics", "log_partitions")},
    **{name: f"min({name})" for name in ("sent_first", "log_first")},
    **{name: f"max({name})" for name in ("sent_last", "log_last")},
}
"""How the rows of one value are aggregated, by column."""

_FROM_COPIES = {
    "copies": "1L", "visible": flag("visible"),
    "log_topics": TOPIC_BIT, "log_partitions": PARTITION_BIT,
    "log_first": PLACE_HASH, "log_last": PLACE_HASH,
}  # fmt: skip

# The final readers come after the run, so their times are not times of delivery.
_FROM_DELIVERIES = {
    "handed": "1L",
    "delivered_ns": "if(final, NULL, time_ns)",
    "read_by_group": "NOT final",
}

# `obliged`: acknowledged, and not in an aborted transaction.
_OBLIGED = "outcome = 'ok' AND NOT aborted"
_FROM_SENDS = {
    "attempts": "1L",
    "ok": "outcome = 'ok'",
    "obliged": _OBLIGED,
    "info": "outcome = 'info'",
    "cut_off": "cut_off",
    "only_failed": "outcome = 'fail' AND transaction IS NULL",
    "expired": f"if({_OBLIGED}, expired, NULL)",
    "removed": f"if({_OBLIGED}, expired OR replaced, NULL)",
    "invoked_ns": "invoked_ns",
    "acked_ns": "if(outcome = 'ok', completed_ns, NULL)",
    "first_sender": "producer",
    "last_sender": "producer",
    "sent_topics": f"if(outcome = 'fail', NULL, {TOPIC_BIT})",
    "sent_partitions": f"if(outcome = 'fail', NULL, {PARTITION_BIT})",
    **dict.fromkeys(("sent_first", "sent_last"), f"if(outcome = 'fail', NULL, {PLACE_HASH})"),
    "both_ends": f"fate = '{BOTH}'",
    "unrecorded": f"fate = '{UNRECORDED}'",
}

_SKIPPED = f"""
    SELECT value, count(1) AS skipped_copies FROM ({PASSED_COPIES}) AS passed
    LEFT ANTI JOIN (SELECT value, reader FROM marked_deliveries) AS delivered
    ON passed.value = delivered.value AND passed.reader = delivered.reader
    GROUP BY value, reader"""
"""By value and group, the copies that the group passed, if none was delivered to it."""


def each_value(survey: Survey) -> str:
    """A SELECT with one row per value."""
    sources = (
        _source(_FROM_SENDS, with_reasons(survey)),
        _source(_FROM_COPIES, "SELECT * FROM copies"),
        _source(_FROM_DELIVERIES, "SELECT * FROM marked_deliveries"),
        _source({"skipped_copies": "skipped_copies"}, _SKIPPED),
    )
    columns = ", ".join(f"{aggregate} AS {name}" for name, aggregate in _AGGREGATES.items())
    rows = " UNION ALL ".join(sources)
    return f"""
        SELECT value, {columns}
        FROM (SELECT {survey.views.coalesce_hint} * FROM ({rows})) GROUP BY value"""


def _source(expressions: Mapping[str, str], rows: str) -> str:
    """Rows of one source with every column; null where the source does not have it."""
    columns = ", ".join(f"{expressions.get(name, 'NULL')} AS {name}" for name in _AGGREGATES)
    return f"SELECT value, {columns} FROM ({rows})"


def family() -> Family:
    """The counts of `each_value`."""
    sent = "attempts > 0"
    unsure = f"{sent} AND NOT ok AND info"
    absent = "obliged AND visible = 0"
    skipped = "(visible > 0 AND skipped_copies = visible)"
    weights = {
        "sent": flag(sent),
        "ok": flag("ok"),
        "info": flag(unsure),
        "fail": flag(f"{sent} AND NOT ok AND NOT info"),
        "obliged": flag("obliged"),
        "in_log": flag("copies > 0"),
        "delivered": flag("handed > 0"),
        "lost_write": flag(f"{absent} AND NOT removed"),
        "expired": flag(f"{absent} AND expired"),
        "compacted": flag(f"{absent} AND removed AND NOT expired"),
        "skipped": flag(skipped),
        "unseen": flag(f"obliged AND visible > 0 AND handed = 0 AND NOT {skipped}"),
        "late": flag(
            f"obliged AND visible > 0 AND handed > 0 AND NOT (read_by_group OR {skipped})"
        ),
        "duplicate": "greatest(visible - 1, 0L)",
        "phantom": flag(f"(copies > 0 OR handed > 0) AND (NOT ({sent}) OR only_failed)"),
        "given_up": flag(f"{sent} AND NOT ok AND copies = 0 AND NOT cut_off"),
        "unrecorded": flag("unrecorded"),
        **{name: flag(condition) for name, (condition, _) in CONTRADICTIONS.items()},
    }
    shown = ("value", "attempts", "invoked_ns", "acked_ns", "copies", "handed")
    return Family("SELECT * FROM each_value", weights, shown)
