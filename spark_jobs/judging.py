"""Judges a ledger: its counts, examples, timeline and verdict."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from spark_jobs import bundles, history, parts
from spark_jobs.count_table import COUNTS, TABLE
from spark_jobs.counts import Family
from spark_jobs.counts import values as by_value
from spark_jobs.counts.contradictions import CONTRADICTIONS
from spark_jobs.counts.effects import STATE, effects
from spark_jobs.counts.gaps import gaps
from spark_jobs.counts.keys import keys
from spark_jobs.counts.order import polls, reordered
from spark_jobs.counts.positions import PLACES, REDELIVERIES
from spark_jobs.counts.transactions import ABORTED_READ, TORN
from spark_jobs.doubts import doubt
from spark_jobs.groups import BY_MEMBER, BY_TIMES, groups
from spark_jobs.sieve import sieve
from spark_jobs.survey import Survey, survey_ledger, views_for
from spark_jobs.tables import MalformedLedger
from spark_jobs.timeline import LATENCIES, buckets, timeline
from spark_jobs.verdict import Circumstances, verdict
from spark_jobs.views import Views

EXAMPLES = 5
"""Rows shown for each anomaly."""

_PLAIN_COUNTS = frozenset(count.name for count in TABLE if count.plain)

_SOUND_COUNTS = ("sent", "ok", "obliged", "in_log", "delivered")
"""The counts to which each value that the sieve set aside as sound adds one."""

Report = Callable[[str], None]
"""Receives the next step of a judging, in words for a user."""

JsonRows = dict[str, list[dict[str, Any]]]
"""Rows as JSON data: examples by anomaly, and what `_summary_selects` and the timeline need."""

_LATENCY, _TIMELINE = "ack_latency_ms", "timeline"
_BY_MEMBER, _BY_TIMES = "by_member", "by_times"


def silent(_: str) -> None:
    """The default `Report`: ignores it."""


def judge(
    spark: SparkSession,
    ledger: Path,
    want: str | None = None,
    small: bool | None = None,
    large: bool | None = None,
    scanned: bool = False,
    report: Report = silent,
) -> dict[str, Any]:
    """Judges one ledger against a guarantee or, if `want` is None, against every anomaly.

    Returns the answer that `docs/ledger.md` describes. Raises `MalformedLedger` for a folder that
    cannot be read as a ledger. A judging takes three Spark actions: the survey, the counts, and
    their examples. A ledger that is not small is also sieved, in further actions, some of them in
    parallel (docs/decisions/0079). `small` and `large` override the size of the ledger. `scanned`
    is whether we wrote the log of a run that still continues: then the ledger is not sealed yet,
    but nobody else has changed it. `report` receives each step.
    """
    report("Spark reads what was sent, delivered and committed")
    sealed = parts.check(ledger, complete=scanned) or scanned
    with closing(views_for(spark, ledger, small, large)) as views:
        try:
            survey = survey_ledger(views, ledger, sealed)
            return _answer(*_prepare(survey), ledger, want, sealed, report)
        except (Py4JJavaError, PySparkException) as error:
            raise _malformed(ledger, error) from error


def _answer(
    survey: Survey, early_rows: Sequence[Future[JsonRows]], ledger: Path, want: str | None,
    sealed: bool, report: Report,
) -> dict[str, Any]:  # fmt: skip
    report("Spark counts what happened to each message")
    families = _families(survey)
    counted = _sum_weights(survey, families)
    _check_values(survey, counted, ledger)
    counts = _mask_unjudged(counted, survey)
    report("Spark looks for examples of what it counted")
    shown = _examples(survey, families, counts, early_rows)
    circumstances = _circumstances(survey, sealed, counted["unrecorded"])
    outcome, reason = verdict(counts, want, circumstances)
    if outcome == "holds" and (gap := doubt(survey, sealed, counts)):
        outcome, reason = "unknown", gap
    return {
        "ledger": str(ledger),
        "want": want,
        "verdict": outcome,
        "reason": reason,
        "counts": counts,
        "ack_latency_ms": {"p50": None, "p99": None, "max": None} | shown.pop(_LATENCY)[0],
        "timeline": timeline(survey, shown.pop(_TIMELINE, [])),
        "groups": groups(shown.pop(_BY_MEMBER, []), shown.pop(_BY_TIMES, [])),
        "examples": shown,
    }


def _check_values(survey: Survey, counted: Mapping[str, int], ledger: Path) -> None:
    """Refuses a ledger that contradicts itself about a value; the message names one."""
    for name, (condition, text) in CONTRADICTIONS.items():
        if counted[name]:
            (row,) = survey.views.rows(
                f"SELECT min(value) AS value FROM each_value WHERE {condition}"
            )
            raise MalformedLedger(f"{ledger}: value {row['value']} {text}")


def _prepare(survey: Survey) -> tuple[Survey, list[Future[JsonRows]]]:
    """The survey after every view of the counts is defined, and the rows that are shown anyway.

    The rows of a small ledger are read together with the examples instead, by one action.
    """
    views, transactional = survey.views, survey.fact("sends", "transactional")
    early_rows: list[Future[JsonRows]] = []

    def read_early(parts: list[str]) -> None:
        if not views.small:
            early_rows.append(views.submit(lambda: _read_rows(views, parts)))

    if not views.small:
        bundles.define_whole(survey)
        if not transactional:
            read_early(_summary_selects(survey))
        survey = sieve(survey)
    history.define(survey)
    bundles.define(survey)
    if transactional:
        read_early(_summary_selects(survey))
    views.define("each_value", by_value.each_value(survey), checkpointed=True)
    read_early([_as_json(_TIMELINE, buckets(survey))])
    return survey, early_rows


def _families(survey: Survey) -> list[Family]:
    """The families that can apply to this ledger; all counts of the others are 0."""
    families = [
        by_value.family(), REDELIVERIES, PLACES, reordered(survey), polls(survey), gaps(survey),
    ]  # fmt: skip
    if "effects" in survey.recorded:
        families.append(effects(survey))
    if "state" in survey.recorded:
        families.append(STATE)
    if survey.fact("sends", "keyed"):
        families.append(keys(survey))
    if survey.fact("sends", "transactional"):
        families.append(TORN)
    if survey.fact("transactions", "aborted") or survey.fact("log", "aborted"):
        families.append(ABORTED_READ)
    if survey.views.small:
        return families
    futures = [
        survey.views.submit(partial(_cache_anomalies, survey.views, number, family))
        for number, family in enumerate(families)
    ]
    return [family.result() for family in futures]


def _cache_anomalies(views: Views, number: int, family: Family) -> Family:
    """The family with its anomalies cached, because both counts and examples read them."""
    if family.weights.keys() & _PLAIN_COUNTS:
        return family  # such rows are not rare
    is_anomaly = " OR ".join(f"{weight} > 0" for weight in family.weights.values())
    name = f"evidence_{number}"
    views.define(name, f"SELECT * FROM ({family.rows}) WHERE {is_anomaly}", checkpointed=True)
    return replace(family, rows=f"SELECT * FROM {name}")


def _sum_weights(survey: Survey, families: Sequence[Family]) -> dict[str, int]:
    """All counts, by one Spark action."""
    parts = []
    for number, family in enumerate(families):
        sums = ", ".join(f"sum({weight})" for weight in family.weights.values())
        parts.append(f"SELECT {number} AS family, array({sums}) AS sums FROM ({family.rows})")
    rows = survey.views.rows(" UNION ALL ".join(parts))
    return {
        name: (n or 0) + (survey.sound if name in _SOUND_COUNTS else 0)
        for row in rows
        for name, n in zip(families[row["family"]].weights, row["sums"], strict=True)
    }


def _mask_unjudged(counted: Mapping[str, int], survey: Survey) -> dict[str, int | None]:
    """Every count, with null where a table that it needs was not recorded."""
    unjudged = {count.name for count in TABLE if not survey.recorded.issuperset(count.needs)}
    # The commits of a group show which records it skipped.
    if survey.fact("deliveries", "readers") and "commits" not in survey.recorded:
        unjudged.update(("skipped", "late"))
    # The transactions, or else the log, show what was aborted.
    has_transactions = survey.recorded >= {"transactions", "sends"}
    if not has_transactions and "log" not in survey.recorded:
        unjudged.update(("aborted_read", "torn_transaction"))
    if not survey.fact("deliveries", "readers"):
        unjudged.update(("blocked_ms", "late"))
    # Only keys have an order to judge, and only the times of deliveries show it.
    timed = survey.fact("deliveries", "timed") or not survey.fact("deliveries", "readers")
    if not (survey.fact("sends", "keyed") and timed):
        unjudged.add("key_reordered")
    return {name: None if name in unjudged else counted.get(name, 0) for name in COUNTS}


def _summary_selects(survey: Survey) -> list[str]:
    """SELECTs of what is shown of every ledger, except the timeline, which needs the counts."""
    parts = [_as_json(_LATENCY, LATENCIES)]
    return parts + (
        [_as_json(_BY_MEMBER, BY_MEMBER)] if survey.fact("deliveries", "readers") else []
    )


def _examples(
    survey: Survey,
    families: Sequence[Family],
    counts: Mapping[str, int | None],
    early_rows: Sequence[Future[JsonRows]],
) -> JsonRows:
    """Examples of each anomaly that was counted, latencies and timeline, by one Spark action.

    Rows that were read early are not read again.
    """
    parts = [] if early_rows else [*_summary_selects(survey), _as_json(_TIMELINE, buckets(survey))]
    parts += [_as_json(_BY_TIMES, BY_TIMES)] if counts.get("redelivery") else []
    for family in families:
        for name, weight in family.weights.items():
            if counts.get(name) and name not in _PLAIN_COUNTS:
                text = f"SELECT {', '.join(family.shown)} FROM ({family.rows}) WHERE {weight} > 0"
                parts.append(_as_json(name, f"{text} ORDER BY ALL LIMIT {EXAMPLES}"))
    shown = _read_rows(survey.views, parts)
    for future in early_rows:
        shown |= future.result()
    return shown


def _read_rows(views: Views, parts: Sequence[str]) -> JsonRows:
    """The rows of SELECTs made by `_as_json`, by their names."""
    results: JsonRows = {}
    for row in views.rows(" UNION ALL ".join(parts)) if parts else ():
        results.setdefault(row["name"], []).append(json.loads(row["row"]))
    return results


def _as_json(name: str, rows: str) -> str:
    """A SELECT of a name and a row as JSON, without its nulls, so that all rows have one schema."""
    return f"SELECT '{name}' AS name, to_json(struct(*)) AS row FROM ({rows})"


def _circumstances(survey: Survey, sealed: bool, unrecorded: int) -> Circumstances:
    return Circumstances(
        proved=survey.fact("faults", "proved"),
        unproved=tuple(survey.facts.get("faults", {}).get("unproved", ())),
        failed=tuple(survey.facts.get("faults", {}).get("failed", ())),
        final_read_completed=survey.fact("meta", "completed") > 0,
        given_up_breaks=survey.fact("meta", "given_up_breaks") > 0,
        effects_decide=survey.fact("meta", "effects_decide") > 0,
        transactional=survey.fact("sends", "transactional") > 0,
        outcomes_recorded="transactions" in survey.recorded,
        unrecorded=unrecorded,
        seal_follows=survey.fact("meta", "seal_follows") > 0,
        sealed=sealed,
    )


_NO_TYPE = re.compile(r"Illegal Parquet type: (.+?)\.$", re.MULTILINE)
_UNREADABLE = ("FAILED_READ_FILE", "CANNOT_READ_FILE_FOOTER", "is not a Parquet file")


def _malformed(ledger: Path, error: Exception) -> Exception:
    """Spark's failure to read a file as a `MalformedLedger`; other errors unchanged."""
    text = str(error)
    if "ARITHMETIC_OVERFLOW" in text:
        return MalformedLedger(f"{ledger}: a sum or difference of its numbers exceeds 64 bits")
    if illegal := _NO_TYPE.search(text):
        return MalformedLedger(f"{ledger}: a column has the type {illegal.group(1)}, not 64 bits")
    if not any(word in text for word in _UNREADABLE):
        return error
    file = re.search(r"while reading file (?:file:/*(?=/))?(.+?)\.(?: |\n|$)", text)
    column = re.search(r"Parquet column \[(\w+)\]", text)
    where = unquote(file.group(1)) if file else str(ledger)
    problem = (
        f"column `{column.group(1)}` has the wrong type" if column else "this is not a Parquet file"
    )
    return MalformedLedger(f"{where}: {problem}")
