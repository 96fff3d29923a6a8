"""Prepares a ledger for counting: fates of transactions, and the readable copies.

Here the words of `docs/ledger.md` become columns: the outcome of an attempt in a transaction of
unknown fate is `info`, aborted records are marked, and a log that is known only by its replicas
becomes one readable log. The counts themselves are in `spark_jobs.counts`. Beside the tables,
they read these views:

- `attempts`: sends with `acknowledged` (whatever became of their transaction), `fate` (of the
  transaction) and `aborted`;
- `copies`: the records of the readable log with `visible`;
- `ordered`: the part of them that shows the order;
- `handed`: deliveries with `reader`, `final` and `aborted`.
"""

from __future__ import annotations

from spark_jobs.columns import IS_FINAL, PLACE, READER
from spark_jobs.counts.contradictions import BOTH, UNTOLD
from spark_jobs.survey import Survey
from spark_jobs.views import Views

_GONE = "coalesce(transaction_state = 'aborted', false)"


def define(seen: Survey) -> None:
    """Makes a surveyed ledger ready. Nothing runs yet: these are plans."""
    views = seen.views
    views.define("fated_attempts", _attempts(seen))
    aborted = _aborted(seen)
    if aborted is not None:
        places, values = aborted
        views.define("aborted_places", places)
        views.define("aborted_values", values)
    marks = aborted is not None
    in_log_only = marks and "transactions" not in seen.recorded
    views.define(
        "attempts", _with_values("fated_attempts") if in_log_only else _all("fated_attempts")
    )
    _define_readable(seen, marks)
    views.define("read_by", f"SELECT *, {READER} AS reader, {IS_FINAL} AS final FROM deliveries")
    views.define("handed", _marked("read_by", marks))


def _all(rows: str) -> str:
    return f"SELECT * FROM {rows}"


def _attempts(seen: Survey) -> str:
    """Sends with the fate of their transaction; null where there is none, or none is known."""
    if not seen.fact("sends", "transactional"):
        return """
            SELECT *, outcome = 'ok' AS acknowledged, CAST(NULL AS string) AS fate,
                false AS aborted
            FROM sends"""
    if "transactions" in seen.recorded:
        fates, fate = _FATES_TOLD, f"if(transaction IS NULL, fate, coalesce(fate, '{UNTOLD}'))"
    else:
        fates, fate = _FATES_IN_LOG, "fate"
    return f"""
        SELECT * EXCEPT (outcome, fate), outcome = 'ok' AS acknowledged, {fate} AS fate,
            if(coalesce({fate} IN ('unknown', '{UNTOLD}'), false), 'info', outcome) AS outcome,
            coalesce({fate} = 'aborted', false) AS aborted
        FROM sends LEFT JOIN ({fates}) USING (transaction)"""


_FATES_TOLD = f"""
    SELECT transaction, CASE
        WHEN max(outcome = 'committed') AND max(outcome = 'aborted') THEN '{BOTH}'
        WHEN max(outcome = 'committed') THEN 'committed'
        ELSE max(outcome) END AS fate
    FROM transactions GROUP BY transaction"""
"""A recorded commit outweighs an unknown outcome; with an abort beside it, the fate is both."""

_FATES_IN_LOG = f"""
    SELECT transaction, if(bool_and({_GONE}), 'aborted', NULL) AS fate
    FROM (SELECT transaction, value FROM sends WHERE transaction IS NOT NULL)
    JOIN log USING (value) GROUP BY transaction"""
"""Where no transactions were recorded: aborted are those with aborted records only."""


def _aborted(seen: Survey) -> tuple[str, str] | None:
    """Aborted records: single ones by their place, and values of which nothing else exists.

    `transactions` say what was aborted; only where they are absent, the log does.
    """
    if "transactions" in seen.recorded:
        if not seen.fact("transactions", "aborted"):
            return None
        rows, gone = "fated_attempts", "aborted"
    else:
        if not seen.fact("log", "aborted"):
            return None
        rows, gone = "log", _GONE
    places = f"SELECT DISTINCT {PLACE}, value FROM {rows} WHERE {gone}"
    return places, f"SELECT value FROM {rows} GROUP BY value HAVING bool_and({gone})"


def _marked(rows: str, marks: bool) -> str:
    """Rows of records with `aborted`, by place or by value."""
    if not marks:
        return f"SELECT *, false AS aborted FROM {rows}"
    return f"""
        SELECT * EXCEPT (by_place, by_value), coalesce(by_place, by_value, false) AS aborted
        FROM {rows}
        LEFT JOIN (SELECT *, true AS by_place FROM aborted_places) USING ({PLACE}, value)
        LEFT JOIN (SELECT *, true AS by_value FROM aborted_values) USING (value)"""


def _with_values(attempts: str) -> str:
    """Attempts whose value has only aborted copies become aborted too."""
    return f"""
        SELECT * EXCEPT (aborted, by_value), aborted OR coalesce(by_value, false) AS aborted
        FROM {attempts} LEFT JOIN (SELECT *, true AS by_value FROM aborted_values) USING (value)"""


def _define_readable(seen: Survey, marks: bool) -> None:
    """The copies of the readable log, and the rows that give their order if others do."""
    views = seen.views
    if seen.fact("log", "readable") or not seen.fact("log", "replicas"):
        views.define(
            "plain_copies", f"SELECT DISTINCT {PLACE}, value FROM log WHERE replica IS NULL"
        )
        _define_visible(views, "copies", "plain_copies", marks)
        views.define("ordered", _all("copies"))
        return
    # Known only by its replicas: of each value, the copies that the replica with most has.
    views.define("held", f"SELECT DISTINCT {PLACE}, value, replica FROM log")
    views.define(
        "fullest",
        f"""
        SELECT {PLACE}, value FROM (
            SELECT *, first(replica) OVER (PARTITION BY value ORDER BY n DESC, replica) AS chosen
            FROM (SELECT *, count(1) OVER (PARTITION BY value, replica) AS n FROM held)
        ) WHERE replica = chosen""",
    )
    views.define(
        "lowest",
        f"""
        SELECT {PLACE}, value FROM (
            SELECT *, min(replica) OVER (PARTITION BY topic, partition) AS chosen FROM held
        ) WHERE replica = chosen""",
    )
    _define_visible(views, "copies", "fullest", marks)
    _define_visible(views, "ordered", "lowest", marks)


def _define_visible(views: Views, name: str, rows: str, marks: bool) -> None:
    # Four counts read these, and each would make them distinct again.
    visible = f"SELECT {PLACE}, value, NOT aborted AS visible FROM ({_marked(rows, marks)})"
    views.define(name, visible, settled=True)
