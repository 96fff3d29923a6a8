"""The form of every engine's answer, and the rules that the engines share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

SHORTEST_NS = 500_000_000
"""Gaps up to this length do not count, in nanoseconds (docs/ledger.md)."""

_BUCKET_NS, _MOST = 200_000_000, 1_000
_NAMES = ("sent", "ok", "fail", "info", "lost", "delivered")


def bucket_ns(start: int, end: int) -> int:
    """The width in nanoseconds of a bucket of the timeline, as in `spark_jobs.timeline`."""
    return _BUCKET_NS * ((end - start) // 1_000_000 // (_BUCKET_NS * _MOST // 1_000_000) + 1)


def answer(
    counts: Mapping[str, Any],
    took_ns: Mapping[str, Any],
    width_ns: int,
    events: Iterable[tuple[int, str, int]],
) -> dict[str, Any]:
    """The answer, from counts, quantiles and events (bucket, kind, number)."""
    buckets: dict[int, dict[str, int]] = {}
    for bucket, kind, n in events:
        at = int(bucket) * (width_ns // 1_000_000)
        row = buckets.setdefault(at, {"t_ms": at, **dict.fromkeys(_NAMES, 0)})
        row[kind] += int(n)
    return {
        "counts": {name: int(n) for name, n in counts.items()},
        "ack_latency_ms": {name: round(int(ns) / 1e6, 3) for name, ns in took_ns.items()},
        "timeline": [buckets[at] for at in sorted(buckets)],
    }
