"""The messages of a run that were harmed, according to its ledger.

The judge counts messages and keeps a few examples. A page that shows any one message needs all of
them. The messages found here are used only if there are as many as the judge counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

from labs.engine.record import replay


def harmed(ledger: Path, count: str, counted: int) -> frozenset[int] | None:
    """The values that one of the judge's counts includes.

    None if the ledger is gone, if the count is not in `TRACEABLE`, or if the judge `counted` a
    different number.
    """
    if count not in TRACEABLE or not (ledger / "sends.parquet").exists():
        return None
    values, number = TRACEABLE[count](ledger)
    return values if number == counted else None


def _lost(ledger: Path) -> tuple[frozenset[int], int]:
    """Values acknowledged and not in the log at the end (docs/ledger.md, `lost_write`)."""
    acknowledged = {row["value"] for row in replay.rows(ledger, "sends") if row["outcome"] == "ok"}
    lost = frozenset(acknowledged - set(_copies(ledger)))
    return lost, len(lost)


def _duplicated(ledger: Path) -> tuple[frozenset[int], int]:
    """Values more than once in the log; the judge counts the copies after the first."""
    copies = _copies(ledger)
    return frozenset(value for value, times in copies.items() if times > 1), sum(
        times - 1 for times in copies.values()
    )


def _copies(ledger: Path) -> Counter[int]:
    """How often each value is in the readable log."""
    rows = replay.rows(ledger, "log")
    return Counter(row["value"] for row in rows if row.get("replica") is None)


TRACEABLE: Mapping[str, Callable[[Path], tuple[frozenset[int], int]]] = {
    "lost_write": _lost,
    "duplicate": _duplicated,
}
"""The counts whose messages can all be listed, in runs without transactions."""
