"""One ledger in, its counts, examples, timeline and verdict out."""

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
from spark_jobs.groups import BY_WHOM, HOW_OFTEN, groups
from spark_jobs.sieve import sieve
from spark_jobs.survey import Survey, survey, views_for
from spark_jobs.tables import MalformedLedger
from spark_jobs.timeline import LATENCIES, buckets, timeline
from spark_jobs.verdict import Circumstances, verdict
from spark_jobs.views import Views

EXAMPLES = 5
"""Rows shown for each anomaly."""

_PLAIN = frozenset(count.name for count in TABLE if count.plain)

_SOUND = ("sent", "ok", "obliged", "in_log", "delivered")
"""The counts of a value that the sieve set aside as sound."""

Report = Callable[[str], None]
"""Receives what is done next, in words."""

Shown = dict[str, list[dict[str, Any]]]
"""Rows as JSON data, by what they show."""

_LATENCY, _TIMELINE = "ack_latency_ms", "timeline"
_BY_WHOM, _HOW_OFTEN = "by_whom", "how_often"


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
    """Judges one ledger against a guarantee, or against every anomaly.

    Raises `MalformedLedger` for what cannot be read as a ledger. Three Spark actions: a survey,
    the counts, and what is shown of them. A ledger that is not small takes some more, to be sieved,
    and of these what can go on at the same time does (docs/decisions/0079);
    `small` and `large` override what its size says. `scanned` is whether its run goes on and we
    wrote its log: then nobody has sealed it yet, and nobody else has touched it. `report` hears
    what is done next.
    """
    report("Spark reads what was sent, delivered and committed")
    sealed = parts.check(ledger, whole=scanned) or scanned
    with closing(views_for(spark, ledger, small, large)) as views:
        try:
            seen = survey(views, ledger, sealed)
            return _judged(*_prepared(seen), ledger, want, sealed, report)
        except (Py4JJavaError, PySparkException) as error:
            raise _malformed(ledger, error) from error


def _judged(
    seen: Survey, ahead: Sequence[Future[Shown]], ledger: Path, want: str | None, sealed: bool,
    report: Report,
) -> dict[str, Any]:  # fmt: skip
    report("Spark counts what became of each message")
    families = _families(seen)
    counted = _counted(seen, families)
    _check_values(seen, counted, ledger)
    counts = _masked(counted, seen)
    report("Spark looks for examples of what it counted")
    shown = _shown(seen, families, counts, ahead)
    around = _circumstances(seen, sealed, counted["untold"])
    word, reason = verdict(counts, want, around)
    if word == "holds" and (open_question := doubt(seen, sealed, counts)):
        word, reason = "unknown", open_question
    return {
        "ledger": str(ledger),
        "want": want,
        "verdict": word,
        "reason": reason,
        "counts": counts,
        "ack_latency_ms": {"p50": None, "p99": None, "max": None} | shown.pop(_LATENCY)[0],
        "timeline": timeline(seen, shown.pop(_TIMELINE, [])),
        "groups": groups(shown.pop(_BY_WHOM, []), shown.pop(_HOW_OFTEN, [])),
        "examples": shown,
    }


def _check_values(seen: Survey, counted: Mapping[str, int], ledger: Path) -> None:
    """Refuses a ledger that contradicts itself about a value, and names one."""
    for name, (condition, text) in CONTRADICTIONS.items():
        if counted[name]:
            (row,) = seen.views.rows(
                f"SELECT min(value) AS value FROM each_value WHERE {condition}"
            )
            raise MalformedLedger(f"{ledger}: value {row['value']} {text}")


def _prepared(seen: Survey) -> tuple[Survey, list[Future[Shown]]]:
    """A surveyed ledger with every view that the counts read; and what is shown of it anyway.

    Of a small ledger the latter comes with the examples, by one action.
    """
    views, transactional = seen.views, seen.fact("sends", "transactional")
    ahead: list[Future[Shown]] = []

    def look(parts: list[str]) -> None:
        if not views.small:
            ahead.append(views.soon(lambda: _read(views, parts)))

    if not views.small:
        bundles.define_whole(seen)
        if not transactional:
            look(_overall(seen))
        seen = sieve(seen)
    history.define(seen)
    bundles.define(seen)
    if transactional:
        look(_overall(seen))
    views.define("each_value", by_value.each_value(seen), settled=True)
    look([_as_json(_TIMELINE, buckets(seen))])
    return seen, ahead


def _families(seen: Survey) -> list[Family]:
    """Every family that this ledger gives rise to; the others count 0 without a plan."""
    families = [by_value.family(), REDELIVERIES, PLACES, reordered(seen), polls(seen), gaps(seen)]
    if "effects" in seen.recorded:
        families.append(effects(seen))
    if "state" in seen.recorded:
        families.append(STATE)
    if seen.fact("sends", "keyed"):
        families.append(keys(seen))
    if seen.fact("sends", "transactional"):
        families.append(TORN)
    if seen.fact("transactions", "aborted") or seen.fact("log", "aborted"):
        families.append(ABORTED_READ)
    if seen.views.small:
        return families
    soon = [
        seen.views.soon(partial(_kept, seen.views, number, family))
        for number, family in enumerate(families)
    ]
    return [family.result() for family in soon]


def _kept(views: Views, number: int, family: Family) -> Family:
    """The family with its anomalies found once, where both counts and examples ask for them."""
    if family.weights.keys() & _PLAIN:
        return family  # what is there is no rarity
    wrong = " OR ".join(f"{weight} > 0" for weight in family.weights.values())
    name = f"evidence_{number}"
    views.define(name, f"SELECT * FROM ({family.rows}) WHERE {wrong}", settled=True)
    return replace(family, rows=f"SELECT * FROM {name}")


def _counted(seen: Survey, families: Sequence[Family]) -> dict[str, int]:
    """All counts, by one Spark action."""
    parts = []
    for number, family in enumerate(families):
        sums = ", ".join(f"sum({weight})" for weight in family.weights.values())
        parts.append(f"SELECT {number} AS family, array({sums}) AS sums FROM ({family.rows})")
    rows = seen.views.rows(" UNION ALL ".join(parts))
    return {
        name: (n or 0) + (seen.sound if name in _SOUND else 0)
        for row in rows
        for name, n in zip(families[row["family"]].weights, row["sums"], strict=True)
    }


def _masked(counted: Mapping[str, int], seen: Survey) -> dict[str, int | None]:
    """Every count, with null where a table that it needs was not recorded."""
    unjudged = {count.name for count in TABLE if not seen.recorded.issuperset(count.needs)}
    # Whether a group passed something over is told by its commits; no group, no question.
    if seen.fact("deliveries", "readers") and "commits" not in seen.recorded:
        unjudged.update(("skipped", "late"))
    # What was aborted is told by the transactions, or by the log.
    is_told = seen.recorded >= {"transactions", "sends"}
    if not is_told and "log" not in seen.recorded:
        unjudged.update(("aborted_read", "torn_transaction"))
    if not seen.fact("deliveries", "readers"):
        unjudged.update(("blocked_ms", "late"))
    # Only a key asks for an order of its own, and only moments tell in which it was handed out.
    timed = seen.fact("deliveries", "timed") or not seen.fact("deliveries", "readers")
    if not (seen.fact("sends", "keyed") and timed):
        unjudged.add("key_reordered")
    return {name: None if name in unjudged else counted.get(name, 0) for name in COUNTS}


def _overall(seen: Survey) -> list[str]:
    """What is shown of any ledger, but for the timeline, which shows losses too."""
    parts = [_as_json(_LATENCY, LATENCIES)]
    return parts + ([_as_json(_BY_WHOM, BY_WHOM)] if seen.fact("deliveries", "readers") else [])


def _shown(
    seen: Survey,
    families: Sequence[Family],
    counts: Mapping[str, int | None],
    ahead: Sequence[Future[Shown]],
) -> Shown:
    """Examples of each anomaly that was seen, latencies and timeline, by one Spark action.

    What was looked up `ahead` is taken from there.
    """
    parts = [] if ahead else [*_overall(seen), _as_json(_TIMELINE, buckets(seen))]
    parts += [_as_json(_HOW_OFTEN, HOW_OFTEN)] if counts.get("redelivery") else []
    for family in families:
        for name, weight in family.weights.items():
            if counts.get(name) and name not in _PLAIN:
                text = f"SELECT {', '.join(family.shown)} FROM ({family.rows}) WHERE {weight} > 0"
                parts.append(_as_json(name, f"{text} ORDER BY ALL LIMIT {EXAMPLES}"))
    shown = _read(seen.views, parts)
    for known in ahead:
        shown |= known.result()
    return shown


def _read(views: Views, parts: Sequence[str]) -> Shown:
    """The rows of SELECTs that `_as_json` made, by their names."""
    results: Shown = {}
    for row in views.rows(" UNION ALL ".join(parts)) if parts else ():
        results.setdefault(row["name"], []).append(json.loads(row["row"]))
    return results


def _as_json(name: str, rows: str) -> str:
    """Rows of whatever columns, in one shape; nulls are left out."""
    return f"SELECT '{name}' AS name, to_json(struct(*)) AS row FROM ({rows})"


def _circumstances(seen: Survey, sealed: bool, untold: int) -> Circumstances:
    return Circumstances(
        proved=seen.fact("faults", "proved"),
        unproved=tuple(seen.facts.get("faults", {}).get("unproved", ())),
        failed=tuple(seen.facts.get("faults", {}).get("failed", ())),
        final_read_completed=seen.fact("meta", "completed") > 0,
        given_up_breaks=seen.fact("meta", "given_up_breaks") > 0,
        effects_decide=seen.fact("meta", "effects_decide") > 0,
        transactional=seen.fact("sends", "transactional") > 0,
        outcomes_recorded="transactions" in seen.recorded,
        untold=untold,
        seal_follows=seen.fact("meta", "seal_follows") > 0,
        sealed=sealed,
    )


_NO_TYPE = re.compile(r"Illegal Parquet type: (.+?)\.$", re.MULTILINE)
_UNREADABLE = ("FAILED_READ_FILE", "CANNOT_READ_FILE_FOOTER", "is not a Parquet file")


def _malformed(ledger: Path, error: Exception) -> Exception:
    """Spark's failure to read a file, in our words; any other failure stays what it is."""
    text = str(error)
    if "ARITHMETIC_OVERFLOW" in text:
        return MalformedLedger(f"{ledger}: a sum or a difference of its numbers exceeds 64 bits")
    if illegal := _NO_TYPE.search(text):
        return MalformedLedger(f"{ledger}: a column has the type {illegal.group(1)}, not 64 bits")
    if not any(word in text for word in _UNREADABLE):
        return error
    file = re.search(r"while reading file (?:file:/*(?=/))?(.+?)\.(?: |\n|$)", text)
    column = re.search(r"Parquet column \[(\w+)\]", text)
    where = unquote(file.group(1)) if file else str(ledger)
    what = f"column `{column.group(1)}` has the wrong type" if column else "this is no Parquet file"
    return MalformedLedger(f"{where}: {what}")
