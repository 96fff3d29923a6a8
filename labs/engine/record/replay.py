"""A run as its telemetry recorded it, sample by sample. Pages play it, and stories refer to it.

Nothing is interpolated between two samples: what was not sampled is not shown. Times are seconds
since `began_ns`, a monotonic time of the run (on the pages, the time of the first send).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow.dataset as ds

_BEFORE_S = 0.5
"""The seconds before the first send that are kept."""


@dataclass(frozen=True, slots=True)
class Moment:
    """One sample of one partition. None means that the value was unknown at that time.

    `states` (running, paused or dead) and `ends` (the log end offset according to the log's files)
    are by broker id. A broker that never had a replica is only in `states`. `leader` is what the
    brokers report, so a dead leader remains until the controllers notice. `committed` is the
    group's last committed offset.
    """

    at_s: float
    leader: int | None
    epoch: int | None
    isr: tuple[int, ...]
    elr: tuple[int, ...]
    high_watermark: int | None
    last_stable: int | None
    committed: int | None
    states: Mapping[int, str]
    ends: Mapping[int, int | None]
    sent: int
    acknowledged: int
    failed: int
    delivered: int

    @property
    def lag(self) -> int | None:
        """The number of readable offsets that the group has not committed."""
        if self.high_watermark is None or self.committed is None:
            return None
        return max(0, self.high_watermark - self.committed)

    @property
    def live_leader(self) -> int | None:
        """The leader, if its process runs."""
        return self.leader if self.states.get(self.leader or 0) == "running" else None


@dataclass(frozen=True, slots=True)
class ProvenFault:
    """A fault or heal that is proved to have happened, with the evidence."""

    at_s: float
    fault: str
    target: str
    evidence: str


@dataclass(frozen=True, slots=True)
class Replay:
    """One partition of one run."""

    partition: int
    moments: tuple[Moment, ...]
    faults: tuple[ProvenFault, ...]

    @property
    def brokers(self) -> tuple[int, ...]:
        """The ids of the brokers that had a replica."""
        return tuple(sorted({id_ for moment in self.moments for id_ in moment.ends}))

    def before(self, at_s: float) -> Moment | None:
        """The last sample at or before a time."""
        return next((m for m in reversed(self.moments) if m.at_s <= at_s), None)

    def after(self, at_s: float) -> Moment | None:
        """The first sample after a time."""
        return next((m for m in self.moments if m.at_s > at_s), None)


def read(ledger: Path, began_ns: int, partition: int = 0) -> Replay | None:
    """The replay of a partition, or None if the ledger has no samples of it."""
    samples = rows(ledger, "telemetry", ds.field("partition") == partition)
    moments = _trim([_moment(group, began_ns) for group in _by_time(samples)])
    if not moments:
        return None
    faults = [
        ProvenFault(
            _seconds(row["time_ns"], began_ns), row["fault"], row["target"], row["evidence"]
        )
        for row in rows(ledger, "faults")
        if row["phase"] == "complete"
    ]
    return Replay(partition, tuple(moments), tuple(faults))


def partitions(ledger: Path) -> tuple[int, ...]:
    """The numbers of the partitions of which a ledger has samples."""
    path = ledger / "telemetry.parquet"
    if not path.exists():
        return ()
    samples = ds.dataset(path, format="parquet").to_table(columns=["partition"])
    numbers: list[int] = samples["partition"].unique().drop_null().to_pylist()  # type: ignore[assignment]
    return tuple(sorted(numbers))


def rows(ledger: Path, table: str, condition: ds.Expression | None = None) -> list[dict[str, Any]]:
    """The rows of a table that satisfy a condition; empty if the table was not recorded.

    Parquet's statistics let the reader skip parts that cannot contain such a row.
    """
    path = ledger / f"{table}.parquet"
    if not path.exists():
        return []
    results: list[dict[str, Any]] = (
        ds.dataset(path, format="parquet").to_table(filter=condition).to_pylist()
    )
    return results


def _by_time(samples: Iterable[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    groups: dict[int, list[Mapping[str, Any]]] = {}
    for row in samples:
        groups.setdefault(row["time_ns"], []).append(row)
    return [groups[time_ns] for time_ns in sorted(groups)]


def _moment(replicas: Sequence[Mapping[str, Any]], began_ns: int) -> Moment:
    row = replicas[0]
    pairs = (text.partition(":") for text in (row["brokers"] or "").split(",") if text)
    return Moment(
        at_s=_seconds(row["time_ns"], began_ns),
        leader=row["leader"],
        epoch=row["leader_epoch"],
        isr=tuple(row["isr"] or ()),
        elr=tuple(row["elr"] or ()),
        high_watermark=row["high_watermark"],
        last_stable=row["last_stable_offset"],
        committed=row.get("committed"),
        states={int(id_): state for id_, _, state in pairs},
        ends={
            replica["replica"]: replica["log_end_offset"]
            for replica in replicas
            if replica["replica"] is not None
        },
        **{name: row[name] for name in ("sent", "acknowledged", "failed", "delivered")},
    )


def _trim(moments: Sequence[Moment]) -> list[Moment]:
    """The samples from the first send on, with one of the equal samples at the end."""
    kept = [moment for moment in moments if moment.at_s >= -_BEFORE_S]
    while len(kept) > 1 and replace(kept[-1], at_s=0) == replace(kept[-2], at_s=0):
        kept.pop()
    return kept


def _seconds(time_ns: int, began_ns: int) -> float:
    return round((time_ns - began_ns) / 1e9, 3)
