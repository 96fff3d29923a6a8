"""Databases to which a JVM program writes and never commits (`programs.databases`)."""

from __future__ import annotations

import re

_AUTOCOMMIT_OFF = re.compile(
    r"\b(?:(?P<name>\w+)\s*\.\s*(?:setAutoCommit\s*\(\s*false\s*\)|autoCommit\s*=\s*false\b"
    r"|getTransaction\s*\(\s*\)\s*\.\s*begin\s*\()|(?i:session)\w*\s*\.\s*beginTransaction\s*\()"
)
_UPDATE = re.compile(
    r"\.\s*(?:executeUpdate|executeLargeUpdate|executeBatch|execute|persist|merge|save\w*)\s*\("
)
_COMMIT = re.compile(r"\bcommit\s*(?:\(\s*\)|$)|::\s*commit\b", re.MULTILINE)


def uncommitted(plain: str) -> int:
    """Returns the offset where a JVM program turns autocommit of a database off, or begins a
    transaction, and never commits; -1 if there is none."""
    off = _AUTOCOMMIT_OFF.search(plain)
    if off is None or not _UPDATE.search(plain) or _COMMIT.search(plain):
        return -1
    name = off["name"] or "session"
    is_passed_on = re.search(rf"[(,]\s*{name}\s*[,)]|\breturn\s+{name}\b", plain)
    return -1 if is_passed_on else off.start()
