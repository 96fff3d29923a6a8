"""What an answer says beside its counts, in plain Python from the sentences of `docs/ledger.md`."""

from __future__ import annotations

from tests.oracle import Ledger, Row

_HEALS = {"mend", "resume", "restart"}


def all_happened(ledger: Ledger) -> bool:
    """Whether a fault is proved, and nothing that was planned is left without proof."""
    rows = ledger.get("faults", ())
    ended = [_what(row) for row in rows if row["phase"] != "invoke"]
    proved = False
    for row in rows:
        shown = bool((row.get("evidence") or "").strip())
        heals = row["fault"] in _HEALS
        if row["phase"] == "failed" or (row["phase"] == "complete" and not shown and not heals):
            return False
        if row["phase"] == "invoke" and _what(row) not in ended:
            return False
        proved = proved or (row["phase"] == "complete" and shown and not heals)
    return proved


def _what(row: Row) -> tuple[str, str | None]:
    return row["fault"], row.get("target")
