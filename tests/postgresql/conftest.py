"""Skips test_suites.py where Debian's PostgreSQL is not installed."""

from __future__ import annotations

from tests.postgresql.server import missing_requirements

collect_ignore = ["test_suites.py"] if missing_requirements() else []
