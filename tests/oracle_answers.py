"""The parts of a result besides its counts, in plain Python from the text of `docs/ledger.md`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from tests.oracle_rows import Ledger, Row, is_final, place, reader

_HEALS = {"create", "mend", "mend-copies", "resume", "restart"}


def all_happened(ledger: Ledger) -> bool:
    """Whether a fault is proved by evidence, and no planned fault lacks evidence."""
    rows = ledger.get("faults", ())
    ended = Counter(_fault_of(row) for row in rows if row["phase"] != "invoke")
    if any(n > ended[fault] for fault, n in _begun_faults(rows).items()):
        return False
    proved = False
    for row in rows:
        has_evidence = bool((row.get("evidence") or "").strip())
        heals = row["fault"] in _HEALS
        if row["phase"] == "failed" or (
            row["phase"] == "complete" and not has_evidence and not heals
        ):
            return False
        proved = proved or (row["phase"] == "complete" and has_evidence and not heals)
    return proved


def _begun_faults(rows: Iterable[Row]) -> Counter[tuple[str, str | None]]:
    return Counter(_fault_of(row) for row in rows if row["phase"] == "invoke")


def _fault_of(row: Row) -> tuple[str, str | None]:
    return row["fault"], row.get("target")


def groups(ledger: Ledger) -> dict[str, tuple[dict[Any, int], dict[int, int]]]:
    """By reader: deliveries per member, and how many records were delivered n times, for n > 1."""
    read: dict[str, list[Row]] = {}
    for row in ledger.get("deliveries", ()):
        if not is_final(row):
            read.setdefault(" ".join(map(str, reader(row))), []).append(row)
    results = {}
    for group, rows in read.items():
        times = Counter(Counter((place(row), row["value"]) for row in rows).values())
        repeated = {n: records for n, records in times.items() if n > 1}
        results[group] = (dict(Counter(row["consumer"] for row in rows)), repeated)
    return results
