"""A ledger of N sends with known anomalies, written in chunks: memory does not grow with N.

Eight producers send in turn to four partitions, and one group of two consumers reads everything. In
every `PERIOD` values each anomaly happens once, far enough from the others that none hides another.
In the middle there is an outage: nothing is acknowledged or delivered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from labs.engine.record.ledger import TableWriter

PRODUCERS, PARTITIONS, TOPIC, GROUP = 8, 4, "orders", "app"
PERIOD, CHUNK, POLL = 20_000, 1_000_000, 500
STEP_NS, ANSWERED_NS, READ_NS = 10_000, 3_000_000, 20_000_000
OUTAGE_NS = 2_000_000_000
UNREAD = 10
"""Records at the end of each partition that are neither delivered nor committed."""

_PHANTOM, _OTHER = 10**12, 10**13
"""Added to a value: for a record that was never sent, and for a delivery with another value."""

_ANOMALIES = {
    "lost": 1_001, "refused": 2_002, "unsure_gone": 3_003, "unsure_there": 4_004, "doubled": 5_005,
    "phantom": 6_006, "skipped": 6_027, "redelivered": 8_008, "diverged": 9_009, "late": 10_010,
}  # fmt: skip
"""The place of each anomaly in a period. `late` is invoked after its producer's next value."""

_OUTCOMES = ("ok", "fail", "info")


def write(ledger: Path, sends: int) -> dict[str, int]:
    """Writes a ledger of `sends` sends, a multiple of `CHUNK`; returns the expected counts."""
    if sends % CHUNK:
        raise ValueError(f"{sends:,} sends are not a multiple of {CHUNK:,}")
    writers = {name: TableWriter(ledger, name, "all") for name in ("sends", "log", "deliveries")}
    planted: Counter[str] = Counter()
    outage = sends // 2 * STEP_NS
    ends = [0] * PARTITIONS
    for first in range(0, sends, CHUNK):
        values = np.arange(first, first + CHUNK)
        planted.update({name: int(_is(name, values).sum()) for name in _ANOMALIES})
        offsets = np.empty(CHUNK, np.int64)
        for partition in range(PARTITIONS):
            in_partition = values % PARTITIONS == partition
            log, offsets[in_partition] = _records(values[in_partition], ends[partition])
            ends[partition] += len(log["offset"])
            place = {"topic": _text(TOPIC, len(log["offset"])), "partition": log["partition"]}
            writers["log"].flush({**place, "offset": log["offset"], "value": log["value"]})
            unread = UNREAD if first + CHUNK == sends else 0
            planted["poll_skip"] += _between_polls(log)
            writers["deliveries"].flush(_deliveries(log, partition, unread, outage))
        writers["sends"].flush(_sends(values, offsets, outage))
    _write_rest(ledger, ends)
    return _expected_counts(sends, planted)


def _is(name: str, values: Any) -> Any:
    return values % PERIOD == _ANOMALIES[name]


def _records(values: Any, end: int) -> tuple[dict[str, Any], Any]:
    """The log's records for the values of a partition, and the acknowledged offset of each."""
    copies = 1 + _is("doubled", values) + _is("phantom", values)
    copies -= _is("lost", values) | _is("refused", values) | _is("unsure_gone", values)
    sent = np.repeat(values, copies)
    second = np.r_[False, sent[1:] == sent[:-1]]
    recorded = np.where(second & _is("phantom", sent), sent + _PHANTOM, sent)
    partition = np.full(len(sent), values[0] % PARTITIONS, np.int32)
    log = {
        "sent": sent,
        "value": recorded,
        "partition": partition,
        "offset": end + np.arange(len(sent)),
    }
    return log, end + np.cumsum(copies) - copies


def _between_polls(log: Mapping[str, Any]) -> int:
    """The number of skipped records that would be the first or last of a poll."""
    at = log["offset"][_is("skipped", log["value"])] % POLL
    return int(((at == 0) | (at == POLL - 1)).sum())


def _on_clock(moments: Any, outage: int) -> Any:
    """Moments of an even flow, with the outage between them."""
    return moments + np.where(moments >= outage, OUTAGE_NS, 0)


def _sends(values: Any, offsets: Any, outage: int) -> dict[str, Any]:
    outcome = 1 * _is("refused", values) + 2 * (
        _is("unsure_gone", values) | _is("unsure_there", values)
    )
    late = _is("late", values) * (PRODUCERS * STEP_NS * 3 // 2)
    invoked = values * STEP_NS + late
    answered = invoked + ANSWERED_NS + values * 7_919 % 1_000 * 1_000
    return {
        "producer": _numbered("producer-", values % PRODUCERS, PRODUCERS),
        "value": values,
        "topic": _text(TOPIC, len(values)),
        "partition": (values % PARTITIONS).astype(np.int32),
        "invoked_ns": _on_clock(invoked, outage),
        "completed_ns": _on_clock(answered, outage),
        "outcome": pa.DictionaryArray.from_arrays(outcome.astype(np.int32), list(_OUTCOMES)),
        "offset": pa.array(offsets, mask=outcome > 0),
    }


def _deliveries(log: Mapping[str, Any], partition: int, unread: int, outage: int) -> dict[str, Any]:
    delivered = np.where(_is("diverged", log["value"]), log["value"] + _OTHER, log["value"])
    times = 1 + _is("redelivered", log["value"]) - _is("skipped", log["value"])
    times[len(times) - unread :] = 0
    rows = {name: np.repeat(column, times) for name, column in {**log, "value": delivered}.items()}
    count = len(rows["value"])
    again = np.r_[False, rows["offset"][1:] == rows["offset"][:-1]]
    read = _on_clock(rows["sent"] * STEP_NS + READ_NS, outage)
    consumer = f"consumer-{partition % 2}"
    return {
        "consumer": _text(consumer, count), "group": _text(GROUP, count),
        "assignment": _text("1", count), "poll": rows["offset"] // POLL + again,
        "topic": _text(TOPIC, count), "partition": rows["partition"], "offset": rows["offset"],
        "value": rows["value"], "time_ns": read,
    }  # fmt: skip


def _write_rest(ledger: Path, ends: list[int]) -> None:
    places = [{"topic": TOPIC, "partition": number} for number in range(PARTITIONS)]
    committed = {"group": GROUP, "outcome": "ok", "time_ns": 1}
    TableWriter(ledger, "commits", "all").flush_rows(
        [{**committed, **at, "offset": end - UNREAD} for at, end in zip(places, ends, strict=True)]
    )
    TableWriter(ledger, "partitions", "all").flush_rows(
        [{**at, "log_start_offset": 0} for at in places]
    )
    fault = {"fault": "none", "phase": "complete", "evidence": "a generated ledger"}
    TableWriter(ledger, "faults", "all").flush_rows([fault])
    TableWriter(ledger, "meta", "all").flush_rows([{"final_read_completed": True}])


def _expected_counts(sends: int, planted: Mapping[str, int]) -> dict[str, int]:
    """The expected counts of docs/ledger.md for the planted anomalies."""
    unsure = planted["unsure_gone"] + planted["unsure_there"]
    ok = sends - planted["refused"] - unsure
    in_log = sends - planted["lost"] - planted["refused"] - planted["unsure_gone"]
    unseen = PARTITIONS * UNREAD
    return {
        "sent": sends, "ok": ok, "fail": planted["refused"], "info": unsure, "obliged": ok,
        "in_log": in_log + planted["phantom"],
        "delivered": in_log + planted["phantom"] - planted["skipped"] - unseen,
        "lost_write": planted["lost"],
        "given_up": planted["refused"] + planted["unsure_gone"],
        "phantom": planted["phantom"] + planted["diverged"],
        "duplicate": planted["doubled"],
        "skipped": planted["skipped"] + planted["diverged"],
        "unseen": unseen,
        "redelivery": planted["redelivered"],
        "diverged": planted["diverged"],
        "reordered": planted["late"],
        "late": 0,
        "nonmonotonic_poll": planted["redelivered"],
        "poll_skip": planted["poll_skip"],
        "unavailable_ms": OUTAGE_NS // 1_000_000,
        "blocked_ms": OUTAGE_NS // 1_000_000,
    }  # fmt: skip


def _text(text: str, count: int) -> pa.Array:
    return pa.repeat(pa.scalar(text), count)


def _numbered(prefix: str, numbers: Any, count: int) -> pa.Array:
    names = [f"{prefix}{number}" for number in range(count)]
    return pa.DictionaryArray.from_arrays(numbers.astype(np.int32), names)
