"""Only where Debian's PostgreSQL is installed."""

from __future__ import annotations

from tests.postgresql.server import why_not

collect_ignore = ["test_suites.py"] if why_not() else []
