"""Reads a ledger: whether it is well formed, and which counts can apply to it.

One Spark action over all tables. What it finds lets `spark_jobs.history` leave whole joins out
of a plan: most ledgers know no transactions, no retention and no replica dumps.
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
"""First words of `faults.fault` that undo a fault, or harm nothing; they never prove that one
happened."""

CELL_NS = 200_000_000
"""Moments closer than this need not be told apart: the least width of a timeline's bucket, and
less than half of the shortest silence that counts."""

_HEALS = rf"coalesce(fault RLIKE r'(?i)^\s*({'|'.join(HEALS)})\b', false)"
"""Not by `lower`, which alone would load the tables of ICU: a second of a small judging."""
_SHOWN = r"coalesce(evidence RLIKE r'[^\p{Z}\p{C}]', false)"
"""A visible character: neither space nor control."""
_IS_RUN = r"coalesce(fault RLIKE r'(?i)^\s*run\s*$', false)"
"""What disturbed a run stands under this name, which is no fault's."""
_PROOF = f"phase = 'complete' AND fault IS NOT NULL AND {_SHOWN} AND NOT {_HEALS} AND NOT {_IS_RUN}"

_FAULT = "coalesce(fault, 'a fault') || coalesce(' of ' || target, '')"
_IN_WORDS = f"{_FAULT} || ': ' || if({_SHOWN}, trim(evidence), 'no evidence')"
_FAILED = f"array_sort(collect_set(if(phase = 'failed', {_IN_WORDS}, NULL)))"
"""Faults and heals that failed, and what disturbed the run, in words."""
_BEGUN = f"collect_list(if(phase = 'invoke', {_FAULT}, NULL))"
_ENDED = f"collect_list(if(phase <> 'invoke', {_FAULT}, NULL))"
_UNPROVED = f"""
    array_sort(array_union(
        collect_set(if(
            phase = 'failed' OR phase = 'complete' AND NOT {_SHOWN} AND NOT {_HEALS},
            {_IN_WORDS}, NULL)),
        transform(
            filter(
                array_distinct({_BEGUN}),
                each -> size(filter({_BEGUN}, begun -> begun = each))
                    > size(filter({_ENDED}, ended -> ended = each))),
            begun -> begun || ': begun, and nothing after that')))"""
"""What was begun, fault or heal, and is not known to have happened, in words."""

_BEGUN_AT = f"collect_list(if(phase = 'invoke', struct({_FAULT} AS what, time_ns), NULL))"
_ENDED_AT = f"collect_list(if(phase <> 'invoke', struct({_FAULT} AS what, time_ns), NULL))"


def _times(rows: str) -> str:
    return f"array_sort(transform(filter({rows}, row -> row.what = each), row -> row.time_ns))"


_PAIRS = f"zip_with({_times(_BEGUN_AT)}, {_times(_ENDED_AT)}, (begun, ended) -> ended < begun)"
_ENDED_EARLY = f"""
    filter(
        array_distinct({_BEGUN}),
        each -> size({_times(_BEGUN_AT)}) >= size({_times(_ENDED_AT)})
            AND forall({_times(_BEGUN_AT)}, begun -> begun IS NOT NULL)
            AND forall({_times(_ENDED_AT)}, ended -> ended IS NOT NULL)
            AND exists({_PAIRS}, early -> coalesce(early, false)))"""
"""What ended, the first time or a later one, before it had begun as often."""

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
"""Conditions on single rows; a fact is the number of rows that fulfil one."""

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
"""Facts about a table as a whole."""

_DOUBTFUL = """
    SELECT shiftright(value, 6) AS block, true AS doubtful FROM sends GROUP BY 1
    HAVING count(1) <> bit_count(bit_or(shiftleft(1L, CAST(value & 63 AS int))))"""
"""Sixty-four neighbouring values, of which one was sent more than once."""


@dataclass(frozen=True, slots=True)
class Survey:
    """What one ledger holds: its tables as views, which were recorded, and first facts."""

    views: Views
    recorded: frozenset[str]
    """The tables that have a file, empty or not."""
    facts: Mapping[str, Mapping[str, Any]]

    doubtful: Future[int] | None = None
    """The number of rows of `doubtful`: of a ledger that is not small, blocks of sent values."""

    sound: int = 0
    """Values that `spark_jobs.sieve` set aside: nothing is wrong with them."""

    @property
    def start_ns(self) -> int:
        """The first moment that sends or deliveries tell of."""
        return min(self._moments("start_ns"), default=0)

    @property
    def end_ns(self) -> int:
        """The last one."""
        return max(self._moments("end_ns"), default=0)

    def cell(self, moment: str) -> str:
        """The number of the stretch of `CELL_NS` in which a moment falls, in SQL.

        The start is taken out of an array: a number in a plan would be compiled for it alone.
        """
        start = f"array({self.start_ns}L, {self.start_ns}L)[CAST({moment} IS NULL AS int)]"
        return f"({moment} - {start}) DIV {CELL_NS}L"

    def _moments(self, name: str) -> list[int]:
        rows = (self.facts.get(table, {}).get(name) for table in ("sends", "deliveries"))
        return [moment for moment in rows if moment is not None]

    def fact(self, table: str, name: str) -> int:
        """A number of the survey; 0 where nothing was recorded."""
        return int(self.facts.get(table, {}).get(name) or 0)


def views_for(
    spark: SparkSession, ledger: Path, small: bool | None = None, large: bool | None = None
) -> Views:
    """Where to judge a ledger.

    `small` and `large` are whether it is taken for that; without them, its size says.
    """
    size = measure(ledger)
    small = size.is_small if small is None else small
    large = size.is_large if large is None else large
    return Views(spark, small, size.parts, large)


def survey(views: Views, ledger: Path, sealed: bool = True) -> Survey:
    """Reads a ledger; raises `MalformedLedger` for a row or a file that is no ledger's.

    `sealed` is whether its own recorder left it so: its last look at the log may come after the
    one at the partitions.
    """
    recorded = frozenset(table for table in tables.TABLES if tables.define(views, ledger, table))
    doubtful = None
    if "sends" in recorded and not views.small:
        doubtful = views.soon(partial(views.computed, "doubtful", _DOUBTFUL))
    seen = Survey(views, recorded, _facts(views, recorded), doubtful)
    for table in tables.TABLES:
        if seen.fact(table, "bad"):
            raise _complaint(views, ledger, table)
    if seen.fact("meta", "rows") > 1:
        raise tables.MalformedLedger(f"{ledger}: `meta` has more than one row, and a run has one")
    if early := seen.facts.get("faults", {}).get("early"):
        raise tables.MalformedLedger(f"{ledger}: `faults` has {early[0]}: it ended before it began")
    if seen.fact("partitions", "again"):
        raise tables.MalformedLedger(f"{ledger}: `partitions` has more than one row of a partition")
    if seen.fact("partitions", "started") and "log" in recorded:
        _check_starts(views, ledger)
    if seen.fact("partitions", "ended") and "log" in recorded and not sealed:
        _check_ends(views, ledger)
    return seen


def _check_starts(views: Views, ledger: Path) -> None:
    """Refuses a log that has records before its start: they would count as expired and as there.

    Only where it was read from the brokers: the files of a replica keep deleted records a while.
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
            f" {row['log_start_offset']}, and `log` has offset {row['offset']} before it"
        )


def _check_ends(views: Views, ledger: Path) -> None:
    """Refuses a log that has records at or beyond its end: another log, or one of another time."""
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
            f" {row['log_end_offset']}, and `log` has offset {row['offset']}"
        )


def _facts(views: Views, recorded: frozenset[str]) -> dict[str, dict[str, Any]]:
    """What the tables hold, by table."""
    looks = [
        f"SELECT '{table}' AS name, {_look(table)} AS facts FROM {table}" for table in recorded
    ]
    rows = views.rows(" UNION ALL ".join(looks)) if looks else []
    return {row["name"]: json.loads(row["facts"]) for row in rows}


def _look(table: str) -> str:
    flags = {"bad": "_problem IS NOT NULL", **_FLAGS.get(table, {})}
    sums = [f"sum({flag(condition)}) AS {name}" for name, condition in flags.items()]
    wholes = [f"{whole} AS {name}" for name, whole in _WHOLES.get(table, {}).items()]
    return f"to_json(struct({', '.join(sums + wholes)}))"


def _complaint(views: Views, ledger: Path, table: str) -> tables.MalformedLedger:
    first = f"SELECT _problem, _line FROM {table} WHERE _problem IS NOT NULL LIMIT 1"
    bad, path = views.rows(first), tables.table_path(ledger, table)
    if not bad or path is None:  # the file changed under our eyes
        return tables.MalformedLedger(f"{ledger}: `{table}` is malformed")
    return tables.complaint(path, table, bad[0]["_problem"], bad[0]["_line"])
