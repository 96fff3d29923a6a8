"""What an answer says beside its counts, in plain Python from the sentences of `docs/ledger.md`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from tests.oracle_rows import Ledger, Row, is_final, place, reader

_HEALS = {"create", "mend", "mend-copies", "resume", "restart"}


def all_happened(ledger: Ledger) -> bool:
    """Whether a fault is proved, and nothing that was planned is left without proof."""
    rows = ledger.get("faults", ())
    ended = Counter(_what(row) for row in rows if row["phase"] != "invoke")
    if any(n > ended[what] for what, n in _begun(rows).items()):
        return False
    proved = False
    for row in rows:
        shown = bool((row.get("evidence") or "").strip())
        heals = row["fault"] in _HEALS
        if row["phase"] == "failed" or (row["phase"] == "complete" and not shown and not heals):
            return False
        proved = proved or (row["phase"] == "complete" and shown and not heals)
    return proved


def _begun(rows: Iterable[Row]) -> Counter[tuple[str, str | None]]:
    return Counter(_what(row) for row in rows if row["phase"] == "invoke")


def _what(row: Row) -> tuple[str, str | None]:
    return row["fault"], row.get("target")


def groups(ledger: Ledger) -> dict[str, tuple[dict[Any, int], dict[int, int]]]:
    """By reader: deliveries by member, and records by how often they were handed out if again."""
    read: dict[str, list[Row]] = {}
    for row in ledger.get("deliveries", ()):
        if not is_final(row):
            read.setdefault(" ".join(map(str, reader(row))), []).append(row)
    results = {}
    for who, own in read.items():
        times = Counter(Counter((place(row), row["value"]) for row in own).values())
        again = {often: records for often, records in times.items() if often > 1}
        results[who] = (dict(Counter(row["consumer"] for row in own)), again)
    return results
