"""A run as its telemetry saw it, moment by moment: what a page plays, and a story refers to.

Nothing is drawn between two samples: what was not seen is not shown. Times are seconds since
`began_ns`, a monotonic time of the run (the first send, on the pages).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow.dataset as ds

_BEFORE_S = 0.5
"""How much of the time before the first send is kept."""


@dataclass(frozen=True, slots=True)
class Moment:
    """One sample of one partition. None means that the value was unknown then.

    `states` (running, paused, dead) and `ends` (log end offset by its files) are by broker id;
    a broker that never had a replica is in `states` alone. `leader` is the brokers' word, so a
    dead one leads until the controllers notice. `committed` is the group's last commit.
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
        """What the group could have read and has not committed."""
        if self.high_watermark is None or self.committed is None:
            return None
        return max(0, self.high_watermark - self.committed)

    @property
    def live_leader(self) -> int | None:
        """The leader, if its process runs."""
        return self.leader if self.states.get(self.leader or 0) == "running" else None


@dataclass(frozen=True, slots=True)
class ProvenFault:
    """A fault or heal that was seen to have happened, with the evidence."""

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
    """The replay of a partition; None if the ledger has no samples of it."""
    samples = rows(ledger, "telemetry", ds.field("partition") == partition)
    moments = _ended([_moment(group, began_ns) for group in _by_time(samples)])
    if not moments:
        return None
    done = [
        ProvenFault(
            _seconds(row["time_ns"], began_ns), row["fault"], row["target"], row["evidence"]
        )
        for row in rows(ledger, "faults")
        if row["phase"] == "complete"
    ]
    return Replay(partition, tuple(moments), tuple(done))


def partitions(ledger: Path) -> tuple[int, ...]:
    """The partitions of which a ledger has samples."""
    path = ledger / "telemetry.parquet"
    if not path.exists():
        return ()
    samples = ds.dataset(path, format="parquet").to_table(columns=["partition"])
    numbers: list[int] = samples["partition"].unique().drop_null().to_pylist()  # type: ignore[assignment]
    return tuple(sorted(numbers))


def rows(ledger: Path, table: str, wanted: ds.Expression | None = None) -> list[dict[str, Any]]:
    """The rows of a table that fulfil a condition; empty if the table was not recorded.

    Parts that cannot hold such a row are skipped by Parquet's statistics.
    """
    path = ledger / f"{table}.parquet"
    if not path.exists():
        return []
    results: list[dict[str, Any]] = (
        ds.dataset(path, format="parquet").to_table(filter=wanted).to_pylist()
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


def _ended(moments: Sequence[Moment]) -> list[Moment]:
    """Without what came before the sends, and without the quiet end, of which one sample stays."""
    kept = [moment for moment in moments if moment.at_s >= -_BEFORE_S]
    while len(kept) > 1 and replace(kept[-1], at_s=0) == replace(kept[-2], at_s=0):
        kept.pop()
    return kept


def _seconds(time_ns: int, began_ns: int) -> float:
    return round((time_ns - began_ns) / 1e9, 3)
