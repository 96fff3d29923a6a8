"""Counts about values: lost, expired, compacted, unseen, late, skipped, duplicated, given up …

All that is known of one value is brought together once: its attempts, its copies in the log, how
often it was handed out and who passed it over. `spark_jobs.judging` keeps that as `each_value`.
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
    UNTOLD,
)
from spark_jobs.counts.gone import with_reasons
from spark_jobs.counts.positions import PASSED
from spark_jobs.survey import Survey

_TOGETHER: Mapping[str, str] = {
    **{name: f"coalesce(sum({name}), 0L)" for name in ("attempts", "copies", "visible", "handed")},
    # True of a value if of any of its attempts …
    **{
        name: f"coalesce(max({name}), false)"
        for name in ("ok", "standing", "info", "read", "cut", "both_ends", "untold")
    },
    # … or if of all attempts that it concerns.
    **{name: f"coalesce(min({name}), false)" for name in ("hollow", "expired", "gone")},
    **{name: f"min({name})" for name in ("invoked_ns", "acked_ns", "handed_ns")},
    "passed": "coalesce(max(passed), 0L)",
    "first_sender": "min(first_sender)",
    "last_sender": "max(last_sender)",
    **{name: f"bit_or({name})" for name in ("sent_topics", "sent_partitions")},
    **{name: f"bit_or({name})" for name in ("found_topics", "found_partitions")},
    **{name: f"min({name})" for name in ("sent_first", "found_first")},
    **{name: f"max({name})" for name in ("sent_last", "found_last")},
}
"""How the rows of one value are aggregated, by column."""

_COPIED = {
    "copies": "1L", "visible": flag("visible"),
    "found_topics": TOPIC_BIT, "found_partitions": PARTITION_BIT,
    "found_first": PLACE_HASH, "found_last": PLACE_HASH,
}  # fmt: skip

# The final readers come after the run: theirs is no time of delivery.
_HANDED = {"handed": "1L", "handed_ns": "if(final, NULL, time_ns)", "read": "NOT final"}

# `standing`: acknowledged, and not in an aborted transaction: an obligation.
_STANDING = "outcome = 'ok' AND NOT aborted"
_SENT = {
    "attempts": "1L",
    "ok": "outcome = 'ok'",
    "standing": _STANDING,
    "info": "outcome = 'info'",
    "cut": "cut_off",
    "hollow": "outcome = 'fail' AND transaction IS NULL",
    "expired": f"if({_STANDING}, expired, NULL)",
    "gone": f"if({_STANDING}, expired OR replaced, NULL)",
    "invoked_ns": "invoked_ns",
    "acked_ns": "if(outcome = 'ok', completed_ns, NULL)",
    "first_sender": "producer",
    "last_sender": "producer",
    "sent_topics": f"if(outcome = 'fail', NULL, {TOPIC_BIT})",
    "sent_partitions": f"if(outcome = 'fail', NULL, {PARTITION_BIT})",
    **dict.fromkeys(("sent_first", "sent_last"), f"if(outcome = 'fail', NULL, {PLACE_HASH})"),
    "both_ends": f"fate = '{BOTH}'",
    "untold": f"fate = '{UNTOLD}'",
}

_PASSED_OVER = f"""
    SELECT value, count(1) AS passed FROM ({PASSED}) AS beyond
    LEFT ANTI JOIN (SELECT value, reader FROM handed) AS seen
    ON beyond.value = seen.value AND beyond.reader = seen.reader
    GROUP BY value, reader"""
"""By (value, group): copies that the group has passed, where it was never handed one."""


def each_value(seen: Survey) -> str:
    """One row a value."""
    sources = (
        _source(_SENT, with_reasons(seen)),
        _source(_COPIED, "SELECT * FROM copies"),
        _source(_HANDED, "SELECT * FROM handed"),
        _source({"passed": "passed"}, _PASSED_OVER),
    )
    columns = ", ".join(f"{key} AS {name}" for name, key in _TOGETHER.items())
    rows = " UNION ALL ".join(sources)
    return f"""
        SELECT value, {columns}
        FROM (SELECT {seen.views.together} * FROM ({rows})) GROUP BY value"""


def _source(knows: Mapping[str, str], rows: str) -> str:
    """Rows of one kind with every column, null where they know nothing of it."""
    columns = ", ".join(f"{knows.get(name, 'NULL')} AS {name}" for name in _TOGETHER)
    return f"SELECT value, {columns} FROM ({rows})"


def family() -> Family:
    """The counts of `each_value`."""
    sent = "attempts > 0"
    unsure = f"{sent} AND NOT ok AND info"
    absent = "standing AND visible = 0"
    passed_over = "(visible > 0 AND passed = visible)"
    weights = {
        "sent": flag(sent),
        "ok": flag("ok"),
        "info": flag(unsure),
        "fail": flag(f"{sent} AND NOT ok AND NOT info"),
        "obliged": flag("standing"),
        "in_log": flag("copies > 0"),
        "delivered": flag("handed > 0"),
        "lost_write": flag(f"{absent} AND NOT gone"),
        "expired": flag(f"{absent} AND expired"),
        "compacted": flag(f"{absent} AND gone AND NOT expired"),
        "skipped": flag(passed_over),
        "unseen": flag(f"standing AND visible > 0 AND handed = 0 AND NOT {passed_over}"),
        "late": flag(f"standing AND visible > 0 AND handed > 0 AND NOT (read OR {passed_over})"),
        "duplicate": "greatest(visible - 1, 0L)",
        "phantom": flag(f"(copies > 0 OR handed > 0) AND (NOT ({sent}) OR hollow)"),
        "given_up": flag(f"{sent} AND NOT ok AND copies = 0 AND NOT cut"),
        "untold": flag("untold"),
        **{name: flag(condition) for name, (condition, _) in CONTRADICTIONS.items()},
    }
    shown = ("value", "attempts", "invoked_ns", "acked_ns", "copies", "handed")
    return Family("SELECT * FROM each_value", weights, shown)
