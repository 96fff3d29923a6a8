"""Databases that a program writes to, whose transaction it never commits.

A driver of Python begins a transaction by itself, and takes it back where nothing commits (PEP 249,
Connection.commit). So does JDBC with setAutoCommit(false) (java.sql.Connection).
"""

from __future__ import annotations

from advisor.catalog import Component
from advisor.intake.reading import Reading

_UNCOMMITTED = (
    "nothing here commits what is written to this database, so that it is gone when the connection "
    "is closed. Commit it before the offsets, or leave autocommit on"
)


def refuse_uncommitted(reading: Reading, line: int) -> None:
    """Refuses such a program, if there is a line where it says so."""
    if line:
        reading.wrong(Component.APPLICATION, "processing", line, _UNCOMMITTED)
