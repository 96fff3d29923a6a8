"""The answer by Polars: `python -m benchmarks.scale.by_polars LEDGER` prints JSON.

Uses lazy frames and the streaming engine, as Polars recommends for large data.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import polars as pl

from benchmarks.scale.answer import SHORTEST_NS, answer, bucket_ns

PLACE = ["topic", "partition", "offset"]
_POLLER = ["consumer", "group", "assignment", "topic", "partition"]
_POLL = ["consumer", "group", "assignment", "poll"]
_FAR = 2**61
_BY_GROUP = pl.col("group") != "final"


def each_value(sends: Any, log: Any, deliveries: Any, commits: Any) -> Any:
    """One row per value, with all facts about it."""
    copies = log.select(*PLACE, "value").unique()
    outcome = pl.col("outcome")
    one = pl.lit(1, pl.Int64)
    records = pl.concat(
        [
            sends.select("value", attempts=one, ok=outcome == "ok", info=outcome == "info",
                         only_failed=outcome == "fail",
                         acked_ns=pl.when(outcome == "ok").then("completed_ns")),
            copies.select("value", copies=one),
            deliveries.select("value", delivered=one, read=_BY_GROUP,
                              delivered_ns=pl.when(_BY_GROUP).then("time_ns")),
            _passed(copies, deliveries, commits).select("value", "passed"),
        ],
        how="diagonal",
    )  # fmt: skip
    frame = records.group_by("value").agg(
        pl.col("attempts", "copies", "delivered").sum(), pl.col("ok", "info", "read").any(),
        pl.col("only_failed").min().fill_null(False), pl.col("passed").max().fill_null(0),
        pl.col("acked_ns", "delivered_ns").min(),
    )  # fmt: skip
    there = pl.col("copies") > 0
    return frame.select(
        "ok", "info", "only_failed", "read", "copies", "acked_ns", "delivered_ns",
        sent=pl.col("attempts") > 0, delivered=pl.col("delivered") > 0,
        skipped=there & (pl.col("passed") == pl.col("copies")),
    )  # fmt: skip


def _passed(copies: Any, deliveries: Any, commits: Any) -> Any:
    """By value and group, the copies before the group's commit, if none was delivered to it."""
    positions = (
        commits.filter(pl.col("outcome") == "ok")
        .group_by("group", "topic", "partition")
        .agg(position=pl.col("offset").sort_by("time_ns").last())
    )
    return (
        copies.join(positions, on=["topic", "partition"])
        .filter(pl.col("offset") < pl.col("position"))
        .join(deliveries.select("value", "group"), on=["value", "group"], how="anti")
        .group_by("value", "group").agg(passed=pl.len().cast(pl.Int64))
    )  # fmt: skip


def values(frame: Any) -> Any:
    """One row with the counts of values."""
    sent, ok, info, delivered = pl.col("sent"), pl.col("ok"), pl.col("info"), pl.col("delivered")
    skipped, there = pl.col("skipped"), pl.col("copies") > 0
    return frame.select(
        sent=sent.sum(), ok=ok.sum(), fail=(sent & ~ok & ~info).sum(),
        info=(sent & ~ok & info).sum(), obliged=ok.sum(), in_log=there.sum(),
        delivered=delivered.sum(), lost_write=(ok & ~there).sum(),
        given_up=(sent & ~ok & ~there).sum(),
        phantom=((there | delivered) & (~sent | pl.col("only_failed"))).sum(),
        duplicate=(pl.col("copies") - 1).clip(0).sum(), skipped=skipped.sum(),
        unseen=(ok & there & ~delivered & ~skipped).sum(),
        late=(ok & there & delivered & ~pl.col("read") & ~skipped).sum(),
    )  # fmt: skip


def redelivery(deliveries: Any) -> Any:
    read = deliveries.filter(_BY_GROUP)
    rows = read.group_by("group", *PLACE, "value").agg(repeats=pl.len() - 1)
    return rows.select(redelivery=pl.col("repeats").sum())


def diverged(log: Any, deliveries: Any) -> Any:
    records = pl.concat([log.select(*PLACE, "value"), deliveries.select(*PLACE, "value")])
    places = records.group_by(PLACE).agg(one=pl.col("value").min(), other=pl.col("value").max())
    return places.select(diverged=(pl.col("one") != pl.col("other")).sum())


def reordered(sends: Any, log: Any) -> Any:
    line = ["topic", "partition", "producer"]
    first = log.group_by("value", "topic", "partition").agg(pl.col("offset").min())
    when = sends.group_by("value", "producer").agg(pl.col("invoked_ns").min())
    lines = first.join(when, on="value").sort(*line, "offset", "invoked_ns")
    same = pl.all_horizontal(pl.col(name) == pl.col(name).shift() for name in line)
    back = pl.col("invoked_ns") < pl.col("invoked_ns").shift()
    return lines.select(reordered=(same & back).sum())


def polls(log: Any, deliveries: Any) -> dict[str, int]:
    pairs = (
        deliveries.group_by(*_POLLER, "poll")
        .agg(first=pl.col("offset").min(), last=pl.col("offset").max())
        .sort(*_POLLER, "poll")
        .with_columns(before=pl.col("last").shift().over(_POLLER))
        .collect(engine="streaming")
    )
    first, before = pl.col("first"), pl.col("before")
    back = pairs.filter(first <= before).select(_POLL).unique()
    holes = pairs.filter(first > before + 1).lazy()
    inside = (before < pl.col("offset")) & (pl.col("offset") < first)
    beyond = log.join(holes, on=["topic", "partition"]).filter(inside).select(_POLL).unique()
    skips = beyond.select(pl.len()).collect(engine="streaming").item()
    return {"nonmonotonic_poll": len(back), "poll_skip": skips}


def waited_ms(marks: Any, waits: Any) -> int:
    """How long waits lasted without a mark: `marks` have `at_ns`, `waits` `from_ns`, `to_ns`."""
    at, edge = pl.col("at_ns"), pl.DataFrame({"at_ns": [-_FAR, _FAR]}).lazy()
    begins, ends = pl.col("begins_ns"), pl.col("ends_ns")
    idle_periods = (
        pl.concat([marks, edge]).group_by(at // (SHORTEST_NS // 2))
        .agg(first_ns=at.min(), last_ns=at.max()).sort("first_ns")
        .select(begins_ns=pl.col("last_ns").shift(), ends_ns="first_ns")
        .filter(ends - begins > SHORTEST_NS).collect(engine="streaming")
    )  # fmt: skip
    total = 0
    for begin, end in idle_periods.iter_rows():
        result = waits.filter((pl.col("from_ns") < end) & (pl.col("to_ns") > begin)).select(
            pl.col("from_ns").clip(lower_bound=begin), pl.col("to_ns").clip(upper_bound=end)
        )
        until = None
        for from_ns, to_ns in result.sort("from_ns").collect(engine="streaming").iter_rows():
            if until is None or from_ns > until[1]:
                total += _length(until)
                until = (from_ns, to_ns)
            until = (until[0], max(until[1], to_ns))
        total += _length(until)
    return total


def _length(stretch: tuple[int, int] | None) -> int:
    span = stretch[1] - stretch[0] if stretch else 0
    return span // 1_000_000 if span > SHORTEST_NS else 0


def timeline(sends: Any, frame: Any, deliveries: Any, start: int, width: int) -> Any:
    lost = frame.filter(pl.col("ok") & (pl.col("copies") == 0))
    happened = [
        sends.select(at="invoked_ns", what=pl.lit("sent")),
        sends.select(at="completed_ns", what=pl.col("outcome").cast(pl.String)),
        lost.select(at="acked_ns", what=pl.lit("lost")),
        deliveries.filter(_BY_GROUP).select(at="time_ns", what=pl.lit("delivered")),
    ]
    counted = [
        rows.group_by((pl.col("at") - start) // width, "what").agg(n=pl.len()) for rows in happened
    ]
    return pl.concat(counted).collect(engine="streaming").iter_rows()


def answered(sends: Any, log: Any, deliveries: Any, commits: Any) -> dict[str, Any]:
    frame = each_value(sends, log, deliveries, commits).collect(engine="streaming").lazy()
    questions = (values(frame), redelivery(deliveries), diverged(log, deliveries),
                 reordered(sends, log))  # fmt: skip
    counts: dict[str, int] = {}
    for question in questions:
        counts.update(question.collect(engine="streaming").row(0, named=True))
    counts.update(polls(log, deliveries))
    acked, took = sends.filter(pl.col("outcome") == "ok"), pl.col("took")
    ends = sends.select(
        start=pl.col("invoked_ns").min(), end=pl.col("completed_ns").max()
    ).collect(engine="streaming").row(0)  # fmt: skip
    read = deliveries.select(start=pl.col("time_ns").min(), end=pl.col("time_ns").max())
    start, end = read.collect(engine="streaming").row(0)
    start, end = min(start, ends[0]), max(end, ends[1])
    counts["unavailable_ms"] = waited_ms(
        acked.select(at_ns="completed_ns"),
        sends.select(from_ns="invoked_ns", to_ns=pl.col("completed_ns").fill_null(ends[1])),
    )
    visible_acked = frame.filter((pl.col("copies") > 0) & pl.col("acked_ns").is_not_null())
    counts["blocked_ms"] = waited_ms(
        deliveries.filter(_BY_GROUP).select(at_ns="time_ns"),
        visible_acked.select(from_ns="acked_ns", to_ns=pl.col("delivered_ns").fill_null(end)),
    )
    latencies = acked.select(took=pl.col("completed_ns") - pl.col("invoked_ns")).select(
        p50=took.quantile(0.5, "lower"), p99=took.quantile(0.99, "lower"), max=took.max()
    )
    took_ns = latencies.collect(engine="streaming").row(0, named=True)
    width = bucket_ns(start, end)
    return answer(counts, took_ns, width, timeline(sends, frame, deliveries, start, width))


def main() -> None:
    ledger = Path(sys.argv[1])
    tables = (
        pl.scan_parquet(ledger / f"{name}.parquet" / "*.parquet")
        for name in ("sends", "log", "deliveries", "commits")
    )
    print(json.dumps(answered(*tables)))


if __name__ == "__main__":
    main()
