"""Surveys a ledger: whether it is well formed, and which counts can apply to it.

This is one Spark action over all tables. Its facts let `spark_jobs.history` omit whole joins from
a plan: most ledgers have no transactions, no retention and no dumps of replicas.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from spark_jobs import tables
from spark_jobs.columns import IS_FINAL, flag
from spark_jobs.size import measure
from spark_jobs.views import Views

HEALS = (
    "heal", "mend", "resume", "restart", "start", "restore", "recover", "reconnect", "undo",
    "unpause", "unblock", "unfreeze", "repair", "release", "revert", "continue", "rejoin",
    "create",
)  # fmt: skip
"""First words of `faults.fault` for what undoes a fault or does no harm. They never prove that a
fault happened."""

CELL_NS = 200_000_000
"""Moments closer than this need not be distinguished: the least width of a timeline's bucket, and
less than half of the shortest gap that counts."""

_HEALS = rf"coalesce(fault RLIKE r'(?i)^\s*({'|'.join(HEALS)})\b', false)"
"""Without `lower`, which alone would load the tables of ICU: a second of a small judging."""
_HAS_EVIDENCE = r"coalesce(evidence RLIKE r'[^\p{Z}\p{C}]', false)"
"""The evidence has a visible character, neither a space nor a control character."""
_IS_RUN = r"coalesce(fault RLIKE r'(?i)^\s*run\s*$', false)"
"""A disturbance of the run is recorded under this name. It is not a fault."""
_PROOF = f"""
    phase = 'complete' AND fault IS NOT NULL AND {_HAS_EVIDENCE}
    AND NOT {_HEALS} AND NOT {_IS_RUN}"""

_FAULT = "coalesce(fault, 'a fault') || coalesce(' of ' || target, '')"
_IN_WORDS = f"{_FAULT} || ': ' || if({_HAS_EVIDENCE}, trim(evidence), 'no evidence')"
_FAILED = f"array_sort(collect_set(if(phase = 'failed', {_IN_WORDS}, NULL)))"
"""Faults and heals that failed, and disturbances of the run, in words."""
_BEGUN = f"collect_list(if(phase = 'invoke', {_FAULT}, NULL))"
_ENDED = f"collect_list(if(phase <> 'invoke', {_FAULT}, NULL))"
_UNPROVED = f"""
    array_sort(array_union(
        collect_set(if(
            phase = 'failed' OR phase = 'complete' AND NOT {_HAS_EVIDENCE} AND NOT {_HEALS},
            {_IN_WORDS}, NULL)),
        transform(
            filter(
                array_distinct({_BEGUN}),
                action -> size(filter({_BEGUN}, begun -> begun = action))
                    > size(filter({_ENDED}, ended -> ended = action))),
            begun -> begun || ': begun, and nothing after that')))"""
"""Faults and heals that began and are not known to have happened, in words."""

_BEGINNINGS = f"collect_list(if(phase = 'invoke', struct({_FAULT} AS name, time_ns), NULL))"
_ENDS = f"collect_list(if(phase <> 'invoke', struct({_FAULT} AS name, time_ns), NULL))"


def _times(rows: str) -> str:
    return f"array_sort(transform(filter({rows}, row -> row.name = action), row -> row.time_ns))"


_PAIRS = f"zip_with({_times(_BEGINNINGS)}, {_times(_ENDS)}, (begun, ended) -> ended < begun)"
_ENDED_EARLY = f"""
    filter(
        array_distinct({_BEGUN}),
        action -> size({_times(_BEGINNINGS)}) >= size({_times(_ENDS)})
            AND forall({_times(_BEGINNINGS)}, begun -> begun IS NOT NULL)
            AND forall({_times(_ENDS)}, ended -> ended IS NOT NULL)
            AND exists({_PAIRS}, early -> coalesce(early, false)))"""
"""Faults and heals that ended, the first time or a later one, before they had begun as often."""

_READS = f"NOT {IS_FINAL}"

_FLAGS: Mapping[str, Mapping[str, str]] = {
    "sends": {
        "rows": "true",
        "transactional": "transaction IS NOT NULL",
        "keyed": "key IS NOT NULL",
        "named": "producer IS NOT NULL",
        "begun": "invoked_ns IS NOT NULL",
        "answered": "outcome <> 'ok' AND offset IS NOT NULL",
    },
    "log": {
        "readable": "replica IS NULL",
        "replicas": "replica IS NOT NULL",
        "aborted": "transaction_state = 'aborted'",
    },
    "transactions": {"aborted": "outcome = 'aborted'"},
    "deliveries": {"readers": _READS, "timed": f"{_READS} AND time_ns IS NOT NULL"},
    "commits": {"readers": _READS},
    "partitions": {
        "started": "log_start_offset > 0 OR created_ns IS NOT NULL",
        "ended": "log_end_offset IS NOT NULL",
        "compacted": "contains(cleanup_policy, 'compact')",
    },
    "faults": {"proved": _PROOF},
    "meta": {
        "rows": "true",
        "completed": "final_read_completed",
        "given_up_breaks": "given_up_breaks",
        "effects_decide": "effects_decide",
        "seal_follows": "seal_follows",
    },
}
"""Conditions on single rows. The fact of that name is the number of rows that fulfil it."""

_WHOLES: Mapping[str, Mapping[str, str]] = {
    "sends": {
        "start_ns": "min(invoked_ns)",
        "end_ns": "max(greatest(invoked_ns, completed_ns))",
    },
    "deliveries": {
        "start_ns": f"min(if({_READS}, time_ns, NULL))",
        "end_ns": f"max(if({_READS}, time_ns, NULL))",
    },
    "faults": {"unproved": _UNPROVED, "failed": _FAILED, "early": _ENDED_EARLY},
    "partitions": {"again": "count(1) - size(collect_set(struct(topic, partition)))"},
}
"""Facts about a table as a whole: aggregates."""

_DOUBTFUL = """
    SELECT shiftright(value, 6) AS block, true AS doubtful FROM sends GROUP BY 1
    HAVING count(1) <> bit_count(bit_or(shiftleft(1L, CAST(value & 63 AS int))))"""
"""Blocks of sixty-four neighbouring values, one of which was sent more than once."""


@dataclass(frozen=True, slots=True)
class Survey:
    """The contents of one ledger: its tables as views, and facts about them."""

    views: Views
    recorded: frozenset[str]
    """The tables that have a file, empty or not."""
    facts: Mapping[str, Mapping[str, Any]]
    """By table and name; the names are those of `_FLAGS` and `_WHOLES`."""

    doubtful: Future[int] | None = None
    """The number of rows of the view `doubtful`; None for a small ledger, or without sends."""

    sound: int = 0
    """The number of values that `spark_jobs.sieve` set aside because they are sound."""

    @property
    def start_ns(self) -> int:
        """The first moment in the sends and deliveries; 0 if they have none."""
        return min(self._moments("start_ns"), default=0)

    @property
    def end_ns(self) -> int:
        """The last moment in the sends and deliveries; 0 if they have none."""
        return max(self._moments("end_ns"), default=0)

    def cell(self, moment: str) -> str:
        """The SQL expression for the number of the cell, of `CELL_NS` each, of a moment.

        The start is taken out of an array: a literal in the plan would make Spark compile the plan
        for this ledger alone.
        """
        start = f"array({self.start_ns}L, {self.start_ns}L)[CAST({moment} IS NULL AS int)]"
        return f"({moment} - {start}) DIV {CELL_NS}L"

    def _moments(self, name: str) -> list[int]:
        rows = (self.facts.get(table, {}).get(name) for table in ("sends", "deliveries"))
        return [moment for moment in rows if moment is not None]

    def fact(self, table: str, name: str) -> int:
        """A fact that is a number; 0 if its table was not recorded, or the fact is null."""
        return int(self.facts.get(table, {}).get(name) or 0)


def views_for(
    spark: SparkSession, ledger: Path, small: bool | None = None, large: bool | None = None
) -> Views:
    """The views in which a ledger is judged.

    `small` and `large` are whether it is treated as such; if None, its size decides.
    """
    size = measure(ledger)
    small = size.is_small if small is None else small
    large = size.is_large if large is None else large
    return Views(spark, small, size.parts, large)


def survey_ledger(views: Views, ledger: Path, sealed: bool = True) -> Survey:
    """Surveys a ledger.

    Raises `MalformedLedger` for a row or a file that is not valid in a ledger. In a `sealed` ledger
    the log may extend beyond the recorded ends of partitions: its recorder may have read the log
    after them.
    """
    recorded = frozenset(table for table in tables.TABLES if tables.define(views, ledger, table))
    doubtful = None
    if "sends" in recorded and not views.small:
        doubtful = views.submit(partial(views.materialize, "doubtful", _DOUBTFUL))
    survey = Survey(views, recorded, _facts(views, recorded), doubtful)
    for table in tables.TABLES:
        if survey.fact(table, "bad"):
            raise _row_error(views, ledger, table)
    if survey.fact("meta", "rows") > 1:
        raise tables.MalformedLedger(f"{ledger}: `meta` has more than one row, but a run has one")
    if early := survey.facts.get("faults", {}).get("early"):
        raise tables.MalformedLedger(f"{ledger}: `faults` has {early[0]}: it ended before it began")
    if survey.fact("partitions", "again"):
        raise tables.MalformedLedger(f"{ledger}: `partitions` has more than one row of a partition")
    if survey.fact("partitions", "started") and "log" in recorded:
        _check_starts(views, ledger)
    if survey.fact("partitions", "ended") and "log" in recorded and not sealed:
        _check_ends(views, ledger)
    return survey


def _check_starts(views: Views, ledger: Path) -> None:
    """Refuses a log with records before its start: they would count as expired and as in the log.

    Applies only to a log that was read from the brokers: the files of a replica keep deleted
    records for a while.
    """
    before = views.rows(
        """
        SELECT topic, partition, min(offset) AS offset,
            max(log_start_offset) AS log_start_offset
        FROM log JOIN partitions USING (topic, partition)
        WHERE replica IS NULL AND offset < log_start_offset GROUP BY topic, partition LIMIT 1"""
    )
    for row in before:
        raise tables.MalformedLedger(
            f"{ledger}: `log_start_offset` of {row['topic'] or 'the topic'},"
            f" partition {row['partition']}, is"
            f" {row['log_start_offset']}, but `log` has offset {row['offset']} before it"
        )


def _check_ends(views: Views, ledger: Path) -> None:
    """Refuses a log with records at or beyond its end: another log, or one of another time."""
    beyond = views.rows(
        """
        SELECT topic, partition, max(offset) AS offset, min(log_end_offset) AS log_end_offset
        FROM log JOIN partitions USING (topic, partition)
        WHERE replica IS NULL AND offset >= log_end_offset GROUP BY topic, partition LIMIT 1"""
    )
    for row in beyond:
        raise tables.MalformedLedger(
            f"{ledger}: `log_end_offset` of {row['topic'] or 'the topic'},"
            f" partition {row['partition']}, is"
            f" {row['log_end_offset']}, but `log` has offset {row['offset']}"
        )


def _facts(views: Views, recorded: frozenset[str]) -> dict[str, dict[str, Any]]:
    """The facts of each recorded table, by table and name."""
    selects = [
        f"SELECT '{table}' AS name, {_facts_of(table)} AS facts FROM {table}" for table in recorded
    ]
    rows = views.rows(" UNION ALL ".join(selects)) if selects else []
    return {row["name"]: json.loads(row["facts"]) for row in rows}


def _facts_of(table: str) -> str:
    flags = {"bad": "_problem IS NOT NULL", **_FLAGS.get(table, {})}
    sums = [f"sum({flag(condition)}) AS {name}" for name, condition in flags.items()]
    wholes = [f"{whole} AS {name}" for name, whole in _WHOLES.get(table, {}).items()]
    return f"to_json(struct({', '.join(sums + wholes)}))"


def _row_error(views: Views, ledger: Path, table: str) -> tables.MalformedLedger:
    first = f"SELECT _problem, _line FROM {table} WHERE _problem IS NOT NULL LIMIT 1"
    bad, path = views.rows(first), tables.table_path(ledger, table)
    if not bad or path is None:  # the file changed meanwhile
        return tables.MalformedLedger(f"{ledger}: `{table}` is malformed")
    return tables.row_error(path, table, bad[0]["_problem"], bad[0]["_line"])
