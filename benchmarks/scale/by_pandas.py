"""The answer by pandas: `python -m benchmarks.scale.by_pandas LEDGER` prints JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.scale.answer import SHORTEST_NS, answer, bucket_ns

PLACE = ["topic", "partition", "offset"]
_POLLER = ["consumer", "group", "assignment", "topic", "partition"]
_POLL = ["consumer", "group", "assignment", "poll"]
_COLUMNS = {
    "sends": ["producer", "value", "invoked_ns", "completed_ns", "outcome"],
    "log": [*PLACE, "value"],
    "deliveries": ["consumer", "group", "assignment", "poll", *PLACE, "value", "time_ns"],
    "commits": ["group", *PLACE, "outcome", "time_ns"],
}
_WORDS = {"producer", "topic", "consumer", "group", "assignment", "outcome"}
_FAR = 2**61


def read(ledger: Path, table: str) -> Any:
    """A table with texts as categories: strings would take ten times the memory."""
    import pyarrow.parquet as pq

    columns = _COLUMNS[table]
    words = [name for name in columns if name in _WORDS]
    rows = pq.read_table(ledger / f"{table}.parquet", columns=columns, read_dictionary=words)
    return rows.unify_dictionaries().to_pandas()


def each_sent(sends: Any, log: Any, deliveries: Any) -> Any:
    """One row per sent value: its outcomes, its copies, and the time of its first delivery."""
    outcome = sends["outcome"]
    ok = outcome == "ok"
    data = pd.DataFrame({"value": sends["value"], "ok": ok, "info": outcome == "info",
                         "only_failed": outcome == "fail",
                         "acked_ns": sends["completed_ns"].where(ok)})  # fmt: skip
    by_value = data.groupby("value")
    sent = by_value[["ok", "info"]].any()
    sent["only_failed"] = by_value["only_failed"].all()
    sent["acked_ns"] = by_value["acked_ns"].min()
    sent["copies"] = log.drop_duplicates()["value"].value_counts().reindex(sent.index, fill_value=0)
    app = deliveries[deliveries["group"] != "final"]
    sent["delivered_ns"] = app.groupby("value")["time_ns"].min().reindex(sent.index)
    sent["read"] = sent.index.isin(app["value"])
    sent["delivered"] = sent.index.isin(deliveries["value"])
    return sent


def values(sent: Any, log: Any, deliveries: Any, commits: Any) -> dict[str, int]:
    copies = log.drop_duplicates()
    there, delivered = copies["value"].value_counts(), pd.Index(deliveries["value"].unique())
    skipped = _skipped(copies, there, deliveries, commits)
    ok, info, in_log = sent["ok"], sent["info"], sent["copies"] > 0
    left = ok & in_log & ~sent.index.isin(skipped)
    strangers = there.index.union(delivered).difference(sent.index)
    return {
        "sent": len(sent), "ok": ok.sum(), "fail": (~ok & ~info).sum(),
        "info": (~ok & info).sum(), "obliged": ok.sum(), "in_log": len(there),
        "delivered": len(delivered), "lost_write": (ok & ~in_log).sum(),
        "given_up": (~ok & ~in_log).sum(),
        "phantom": len(strangers) + (sent["only_failed"] & (in_log | sent["delivered"])).sum(),
        "duplicate": (there - 1).sum(), "skipped": len(skipped),
        "unseen": (left & ~sent["delivered"]).sum(),
        "late": (left & sent["delivered"] & ~sent["read"]).sum(),
    }  # fmt: skip


def _skipped(copies: Any, there: Any, deliveries: Any, commits: Any) -> Any:
    last = commits[commits["outcome"] == "ok"].sort_values("time_ns")
    positions = last.drop_duplicates(["group", "topic", "partition"], keep="last")
    positions = positions[["group", "topic", "partition", "offset"]].rename(
        columns={"offset": "position"}
    )
    result = pd.Index([])
    for group, own in positions.groupby("group", observed=True):
        beyond = copies.merge(own, on=["topic", "partition"])
        beyond = beyond.loc[beyond["offset"] < beyond["position"], "value"]
        delivered = deliveries.loc[deliveries["group"] == group, "value"]
        passed = beyond[~beyond.isin(delivered)].value_counts()
        result = result.union(passed.index[passed == there.loc[passed.index]])
    return result


def diverged(log: Any, deliveries: Any) -> int:
    records = pd.concat([log, deliveries[[*PLACE, "value"]]])
    places = records.groupby(PLACE, observed=True)["value"].agg(["min", "max"])
    return int((places["min"] != places["max"]).sum())


def redelivery(deliveries: Any) -> int:
    app = deliveries[deliveries["group"] != "final"]
    return int(app.duplicated(["group", *PLACE, "value"]).sum())


def reordered(sends: Any, log: Any) -> int:
    line = ["topic", "partition", "producer"]
    first = log.groupby(["value", "topic", "partition"], observed=True)["offset"].min()
    when = sends.groupby(["value", "producer"], observed=True)["invoked_ns"].min()
    rows = first.reset_index().merge(when.reset_index(), on="value")
    rows = rows.sort_values([*line, "offset", "invoked_ns"])
    before = rows.groupby(line, observed=True)["invoked_ns"].shift()
    return int((rows["invoked_ns"] < before).sum())


def polls(log: Any, deliveries: Any) -> dict[str, int]:
    by_poll = deliveries.groupby([*_POLLER, "poll"], observed=True)["offset"]
    pairs = by_poll.agg(first="min", last="max").reset_index().sort_values([*_POLLER, "poll"])
    pairs["before"] = pairs.groupby(_POLLER, observed=True)["last"].shift()
    back = pairs.loc[pairs["first"] <= pairs["before"], _POLL].drop_duplicates()
    holes = pairs[pairs["first"] > pairs["before"] + 1]
    beyond = log.merge(holes, on=["topic", "partition"])
    inside = (beyond["before"] < beyond["offset"]) & (beyond["offset"] < beyond["first"])
    return {
        "nonmonotonic_poll": len(back),
        "poll_skip": len(beyond.loc[inside, _POLL].drop_duplicates()),
    }


def waited_ms(marks: Any, from_ns: Any, to_ns: Any) -> int:
    """How long waits between these moments lasted without a mark, in ms."""
    ends = np.r_[-_FAR, np.sort(marks), _FAR]
    total = 0
    for at in np.flatnonzero(np.diff(ends) > SHORTEST_NS):
        begin, end = ends[at], ends[at + 1]
        within = ((from_ns < end) & (to_ns > begin)).to_numpy()
        waits = pd.DataFrame({"from": from_ns[within].clip(lower=begin),
                              "to": to_ns[within].clip(upper=end)}).sort_values("from")  # fmt: skip
        reached = waits["to"].cummax().shift()
        piece = (reached.isna() | (waits["from"] > reached)).cumsum()
        spans = waits.groupby(piece)["to"].max() - waits.groupby(piece)["from"].min()
        total += int((spans[spans > SHORTEST_NS] // 1_000_000).sum())
    return total


def happened(
    sends: Any, sent: Any, deliveries: Any, start: int, width: int
) -> Iterator[tuple[int, str, int]]:
    """Yields bucket, kind and number for the timeline."""
    lost = sent.loc[sent["ok"] & (sent["copies"] == 0), "acked_ns"]
    moments = {"sent": sends["invoked_ns"], "lost": lost,
               "delivered": deliveries.loc[deliveries["group"] != "final", "time_ns"]}  # fmt: skip
    for word in ("ok", "fail", "info"):
        moments[word] = sends.loc[sends["outcome"] == word, "completed_ns"]
    for what, at in moments.items():
        for bucket, n in ((at.dropna() - start) // width).value_counts().items():
            yield bucket, what, n


def answered(sends: Any, log: Any, deliveries: Any, commits: Any) -> dict[str, Any]:
    sent = each_sent(sends, log, deliveries)
    counts = values(sent, log, deliveries, commits)
    counts["redelivery"] = redelivery(deliveries)
    counts["diverged"] = diverged(log, deliveries)
    counts["reordered"] = reordered(sends, log)
    counts.update(polls(log, deliveries))
    start = min(sends["invoked_ns"].min(), deliveries["time_ns"].min())
    sends_end = sends["completed_ns"].max()
    end = max(sends_end, deliveries["time_ns"].max())
    acked = sends[sends["outcome"] == "ok"]
    counts["unavailable_ms"] = waited_ms(
        acked["completed_ns"], sends["invoked_ns"], sends["completed_ns"].fillna(sends_end)
    )
    waiting = sent[(sent["copies"] > 0) & sent["acked_ns"].notna()]
    app = deliveries.loc[deliveries["group"] != "final", "time_ns"]
    counts["blocked_ms"] = waited_ms(app, waiting["acked_ns"], waiting["delivered_ns"].fillna(end))
    took = acked["completed_ns"] - acked["invoked_ns"]
    p50, p99 = took.quantile([0.5, 0.99], interpolation="lower")
    width = bucket_ns(int(start), int(end))
    rows = happened(sends, sent, deliveries, start, width)
    return answer(counts, {"p50": p50, "p99": p99, "max": took.max()}, width, rows)


def main() -> None:
    ledger = Path(sys.argv[1])
    print(json.dumps(answered(*(read(ledger, name) for name in _COLUMNS))))


if __name__ == "__main__":
    main()
