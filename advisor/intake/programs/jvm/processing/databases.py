"""Databases to which a JVM program writes without a commit (`programs.databases`)."""

from __future__ import annotations

import re

_OFF = re.compile(
    r"\b(?:(?P<name>\w+)\s*\.\s*(?:setAutoCommit\s*\(\s*false\s*\)|autoCommit\s*=\s*false\b"
    r"|getTransaction\s*\(\s*\)\s*\.\s*begin\s*\()|(?i:session)\w*\s*\.\s*beginTransaction\s*\()"
)
_UPDATES = re.compile(
    r"\.\s*(?:executeUpdate|executeLargeUpdate|executeBatch|execute|persist|merge|save\w*)\s*\("
)
_COMMITS = re.compile(r"\bcommit\s*(?:\(\s*\)|$)|::\s*commit\b", re.MULTILINE)


def uncommitted(plain: str) -> int:
    """Where a JVM program turns off that a database commits by itself, and never
    commits; -1 if it does not."""
    off = _OFF.search(plain)
    if off is None or not _UPDATES.search(plain) or _COMMITS.search(plain):
        return -1
    name = off["name"] or "session"
    is_given = re.search(rf"[(,]\s*{name}\s*[,)]|\breturn\s+{name}\b", plain)
    return -1 if is_given else off.start()
