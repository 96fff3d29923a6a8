"""What every engine answers, in one shape, and the few rules that they share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

SHORTEST_NS = 500_000_000
"""Silences up to this length count for nothing (docs/ledger.md)."""

_BUCKET_NS, _MOST = 200_000_000, 1_000
_NAMES = ("sent", "ok", "fail", "info", "lost", "delivered")


def bucket_ns(start: int, end: int) -> int:
    """The width of a bucket of the timeline, as `spark_jobs.timeline` has it."""
    return _BUCKET_NS * ((end - start) // 1_000_000 // (_BUCKET_NS * _MOST // 1_000_000) + 1)


def answer(
    counts: Mapping[str, Any],
    took_ns: Mapping[str, Any],
    width_ns: int,
    happened: Iterable[tuple[int, str, int]],
) -> dict[str, Any]:
    """The answer, from counts, quantiles and (bucket, what, how often)."""
    buckets: dict[int, dict[str, int]] = {}
    for bucket, what, n in happened:
        at = int(bucket) * (width_ns // 1_000_000)
        row = buckets.setdefault(at, {"t_ms": at, **dict.fromkeys(_NAMES, 0)})
        row[what] += int(n)
    return {
        "counts": {name: int(n) for name, n in counts.items()},
        "ack_latency_ms": {name: round(int(ns) / 1e6, 3) for name, ns in took_ns.items()},
        "timeline": [buckets[at] for at in sorted(buckets)],
    }
