"""Which messages of a run were harmed, according to its ledger.

The judge counts and keeps a few examples; a page that asks about any one message needs them all.
What is found here counts only where it is as many as the judge counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

from labs.engine.record import replay


def harmed(ledger: Path, count: str, counted: int) -> frozenset[int] | None:
    """The values that a count of the judge is about.

    None if the ledger is gone, if the count is not in `KNOWN`, or if the judge `counted` another
    number of them.
    """
    if count not in KNOWN or not (ledger / "sends.parquet").exists():
        return None
    numbers, number = KNOWN[count](ledger)
    return numbers if number == counted else None


def _lost(ledger: Path) -> tuple[frozenset[int], int]:
    """Acknowledged, and not in the log at the end (docs/ledger.md, `lost_write`)."""
    acknowledged = {row["value"] for row in replay.rows(ledger, "sends") if row["outcome"] == "ok"}
    gone = frozenset(acknowledged - set(_copies(ledger)))
    return gone, len(gone)


def _duplicated(ledger: Path) -> tuple[frozenset[int], int]:
    """More than once in the log; the judge counts the copies beyond the first."""
    copies = _copies(ledger)
    return frozenset(value for value, times in copies.items() if times > 1), sum(
        times - 1 for times in copies.values()
    )


def _copies(ledger: Path) -> Counter[int]:
    """How often each value is in the readable log."""
    rows = replay.rows(ledger, "log")
    return Counter(row["value"] for row in rows if row.get("replica") is None)


KNOWN: Mapping[str, Callable[[Path], tuple[frozenset[int], int]]] = {
    "lost_write": _lost,
    "duplicate": _duplicated,
}
"""The counts of which every message can be named: those of runs without transactions."""
