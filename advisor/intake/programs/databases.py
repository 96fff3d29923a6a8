"""Programs that write to a database and never commit its transaction.

A Python driver begins a transaction implicitly, and rolls it back if nothing commits it (PEP 249,
Connection.commit). So does JDBC with setAutoCommit(false) (java.sql.Connection).
"""

from __future__ import annotations

from advisor.catalog import Component
from advisor.intake.reading import Reading

_UNCOMMITTED = (
    "nothing here commits what is written to this database, so that it is rolled back when the "
    "connection is closed. Commit it before the offsets, or leave autocommit on"
)


def refuse_uncommitted(reading: Reading, line: int) -> None:
    """Refuses a program that writes without a commit at a line; 0 for no such line."""
    if line:
        reading.add_problem(Component.APPLICATION, "processing", line, _UNCOMMITTED)
