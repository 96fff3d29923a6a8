"""Prepares a ledger for counting: the fates of transactions, and the readable log.

The definitions of `docs/ledger.md` become columns here: the outcome of an attempt in a transaction
of unknown fate is `info`, aborted records are marked, and a log that is known only from its
replicas becomes one readable log. The counts are in `spark_jobs.counts`. Besides the tables, they
read these views:

- `attempts`: sends with `acknowledged` (whatever the fate of their transaction), `fate` (of the
  transaction) and `aborted`;
- `copies`: the records of the readable log with `visible`;
- `ordered`: those of them that define the order;
- `marked_deliveries`: deliveries with `reader`, `final` and `aborted`.
"""

from __future__ import annotations

from spark_jobs.columns import IS_FINAL, PLACE, READER
from spark_jobs.counts.contradictions import BOTH, UNRECORDED
from spark_jobs.survey import Survey
from spark_jobs.views import Views

_IS_ABORTED = "coalesce(transaction_state = 'aborted', false)"


def define(survey: Survey) -> None:
    """Defines the views of a surveyed ledger. Nothing runs yet: these are plans."""
    views = survey.views
    views.define("fated_attempts", _attempts(survey))
    aborted = _aborted(survey)
    if aborted is not None:
        places, values = aborted
        views.define("aborted_places", places)
        views.define("aborted_values", values)
    has_aborted = aborted is not None
    in_log_only = has_aborted and "transactions" not in survey.recorded
    views.define(
        "attempts",
        _marked_by_value("fated_attempts") if in_log_only else _select_all("fated_attempts"),
    )
    _define_readable(survey, has_aborted)
    views.define(
        "reader_deliveries", f"SELECT *, {READER} AS reader, {IS_FINAL} AS final FROM deliveries"
    )
    views.define("marked_deliveries", _marked("reader_deliveries", has_aborted))


def _select_all(rows: str) -> str:
    return f"SELECT * FROM {rows}"


def _attempts(survey: Survey) -> str:
    """Sends with the fate of their transaction; null without a transaction or a known fate."""
    if not survey.fact("sends", "transactional"):
        return """
            SELECT *, outcome = 'ok' AS acknowledged, CAST(NULL AS string) AS fate,
                false AS aborted
            FROM sends"""
    if "transactions" in survey.recorded:
        fates, fate = (
            _RECORDED_FATES,
            f"if(transaction IS NULL, fate, coalesce(fate, '{UNRECORDED}'))",
        )
    else:
        fates, fate = _FATES_IN_LOG, "fate"
    return f"""
        SELECT * EXCEPT (outcome, fate), outcome = 'ok' AS acknowledged, {fate} AS fate,
            if(coalesce({fate} IN ('unknown', '{UNRECORDED}'), false), 'info', outcome) AS outcome,
            coalesce({fate} = 'aborted', false) AS aborted
        FROM sends LEFT JOIN ({fates}) USING (transaction)"""


_RECORDED_FATES = f"""
    SELECT transaction, CASE
        WHEN max(outcome = 'committed') AND max(outcome = 'aborted') THEN '{BOTH}'
        WHEN max(outcome = 'committed') THEN 'committed'
        ELSE max(outcome) END AS fate
    FROM transactions GROUP BY transaction"""
"""A recorded commit outweighs an unknown outcome. With a commit and an abort, the fate is both."""

_FATES_IN_LOG = f"""
    SELECT transaction, if(bool_and({_IS_ABORTED}), 'aborted', NULL) AS fate
    FROM (SELECT transaction, value FROM sends WHERE transaction IS NOT NULL)
    JOIN log USING (value) GROUP BY transaction"""
"""Without the table `transactions`: a transaction is aborted if all its records are."""


def _aborted(survey: Survey) -> tuple[str, str] | None:
    """Two SELECTs: the places of aborted records, and the values all of whose records are aborted.

    The table `transactions` says what was aborted; the log does only if that table is absent.
    """
    if "transactions" in survey.recorded:
        if not survey.fact("transactions", "aborted"):
            return None
        rows, condition = "fated_attempts", "aborted"
    else:
        if not survey.fact("log", "aborted"):
            return None
        rows, condition = "log", _IS_ABORTED
    places = f"SELECT DISTINCT {PLACE}, value FROM {rows} WHERE {condition}"
    return places, f"SELECT value FROM {rows} GROUP BY value HAVING bool_and({condition})"


def _marked(rows: str, has_aborted: bool) -> str:
    """Rows of records with the column `aborted`, which is found by place or by value."""
    if not has_aborted:
        return f"SELECT *, false AS aborted FROM {rows}"
    return f"""
        SELECT * EXCEPT (by_place, by_value), coalesce(by_place, by_value, false) AS aborted
        FROM {rows}
        LEFT JOIN (SELECT *, true AS by_place FROM aborted_places) USING ({PLACE}, value)
        LEFT JOIN (SELECT *, true AS by_value FROM aborted_values) USING (value)"""


def _marked_by_value(attempts: str) -> str:
    """The attempts; aborted are also those of a value that has only aborted copies."""
    return f"""
        SELECT * EXCEPT (aborted, by_value), aborted OR coalesce(by_value, false) AS aborted
        FROM {attempts} LEFT JOIN (SELECT *, true AS by_value FROM aborted_values) USING (value)"""


def _define_readable(survey: Survey, has_aborted: bool) -> None:
    """Defines `copies`, the readable log, and `ordered`, the copies that define the order."""
    views = survey.views
    if survey.fact("log", "readable") or not survey.fact("log", "replicas"):
        views.define(
            "plain_copies", f"SELECT DISTINCT {PLACE}, value FROM log WHERE replica IS NULL"
        )
        _define_visible(views, "copies", "plain_copies", has_aborted)
        views.define("ordered", _select_all("copies"))
        return
    # Known only from its replicas: of each value, the copies of the replica with the most of them.
    views.define("replica_copies", f"SELECT DISTINCT {PLACE}, value, replica FROM log")
    views.define(
        "fullest_replica",
        f"""
        SELECT {PLACE}, value FROM (
            SELECT *, first(replica) OVER (PARTITION BY value ORDER BY n DESC, replica) AS chosen
            FROM (SELECT *, count(1) OVER (PARTITION BY value, replica) AS n FROM replica_copies)
        ) WHERE replica = chosen""",
    )
    views.define(
        "lowest_replica",
        f"""
        SELECT {PLACE}, value FROM (
            SELECT *, min(replica) OVER (PARTITION BY topic, partition) AS chosen
            FROM replica_copies
        ) WHERE replica = chosen""",
    )
    _define_visible(views, "copies", "fullest_replica", has_aborted)
    _define_visible(views, "ordered", "lowest_replica", has_aborted)


def _define_visible(views: Views, name: str, rows: str, has_aborted: bool) -> None:
    # Four counts read these, and each would repeat the DISTINCT.
    visible = f"SELECT {PLACE}, value, NOT aborted AS visible FROM ({_marked(rows, has_aborted)})"
    views.define(name, visible, checkpointed=True)
